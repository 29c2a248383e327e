"""Every number that an audit depends on besides its trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ValidityRule:
    """Which polls count as valid candidates (A10).

    check_range : a score outside 0..scale is invalid. Switching it off reproduces tables that counted such
        scores; calibration is then refused.
    unlabelled_as : None leaves unlabelled candidates out; False or True counts them as wrong or correct.
    """

    check_range: bool = True
    unlabelled_as: bool | None = None


DEFAULT_RULE = ValidityRule()


@dataclass(frozen=True)
class AuditSettings:
    """Defaults are the paper's where it prints one, else those of the statistical specification.

    resamples, level, seed : problem-cluster intervals
    bins : equal-width bins of the calibration error; calibration_folds : K of the recalibration
    router_folds : K of the learned router
    permutations : repetitions of the permutation null; oracle_repeats, sigmas : the noisy oracle
    """

    resamples: int = 9999
    level: float = 0.95
    seed: int = 20260818
    bins: int = 10
    calibration_folds: int = 2
    router_folds: int = 5
    permutations: int = 999
    oracle_repeats: int = 50
    sigmas: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5)
    noise_floor_repeats: int = 200
    validity: ValidityRule = DEFAULT_RULE
