"""Coverage of the simultaneous rank intervals under planted truth, ties among it, beside percentile ranks.

    python benchmarks/rank_validity.py [--replications 500] [--output FILE]

A rank interval is right when it holds every rank that the true means allow: tied policies may stand in any
order, so each of them must be given all the ranks of their group. ``simultaneous`` counts the tables in which
that holds for all policies at once, which is what is claimed; ``each`` is the share of policies for which it
holds. ``percentile`` does the same for the 2.5 % and 97.5 % quantiles of the ranks over joint resamples.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.ranking import RESAMPLES, rank_intervals, ranks
from routeaudit.inference.replicates import bootstrap
from routeaudit.inference.streams import Stream
from routeaudit.inference.units import reduce_to_units

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

SIZES = (14, 41, 100, 500)
POLICIES = (8, 40)
NOMINAL = 0.95
_HEAD = ("generator", "T", "P", "simultaneous", "each", "mean width", "percentile, each", "percentile, all")


@dataclass(frozen=True)
class Generator:
    """Outcomes (T, P) of policies whose means are ``truth(P)``; ``per_source`` tasks copy one source."""

    name: str
    truth: Callable[[int], FloatArray]
    draw: Callable[[np.random.Generator, FloatArray, int], FloatArray]
    per_source: int = 1


@dataclass(frozen=True)
class Measured:
    """One row: shares over replications, mean widths in ranks."""

    generator: str
    tasks: int
    policies: int
    simultaneous: float
    each: float
    width: float
    percentile_each: float
    percentile_all: float


def tied_groups(count: int) -> FloatArray:
    """Two groups of equal means: .75 and .35."""
    return np.where(np.arange(count) < count // 2, 0.75, 0.35)


def equal(value: float) -> Callable[[int], FloatArray]:
    """One mean for all."""
    return lambda count: np.full(count, value)


def spread(count: int) -> FloatArray:
    """Means from .2 to .8 in equal steps, pairs of neighbours tied."""
    return np.repeat(np.linspace(0.2, 0.8, (count + 1) // 2), 2)[:count]


def independent(rng: np.random.Generator, truth: FloatArray, tasks: int) -> FloatArray:
    """Binary outcomes, policies independent."""
    return (rng.random((tasks, truth.size)) < truth).astype(np.float64)


def shared_difficulty(rng: np.random.Generator, truth: FloatArray, tasks: int) -> FloatArray:
    """Binary outcomes; on four tasks of five all policies see the same draw, so few tasks tell them apart."""
    common = rng.random((tasks, 1))
    own = rng.random((tasks, truth.size))
    return (np.where(rng.random((tasks, 1)) < 0.8, common, own) < truth).astype(np.float64)


def skewed(rng: np.random.Generator, truth: FloatArray, tasks: int) -> FloatArray:
    """Graded outcomes, mostly 0: Beta(2, 2) with probability twice the mean."""
    shape = (tasks, truth.size)
    return np.where(rng.random(shape) < 2 * truth, rng.beta(2, 2, shape), 0.0)


GENERATORS = (
    Generator("binary, two tied groups", tied_groups, independent),
    Generator("binary, tied pairs from .2 to .8", spread, independent),
    Generator("binary, all tied at .5", equal(0.5), independent),
    Generator("binary, all tied at .95", equal(0.95), independent),
    Generator("binary, two tied groups, shared difficulty", tied_groups, shared_difficulty),
    Generator("skewed graded, all tied at .1", equal(0.1), skewed),
    Generator("binary, two tied groups, three tasks a source", tied_groups, independent, per_source=3),
)


def sample(
    generator: Generator, policies: int, tasks: int, rng: np.random.Generator
) -> tuple[FloatArray, IntArray | None]:
    """Outcomes (T, P) and source codes; tasks of one source repeat its draw."""
    truth = generator.truth(policies)
    sources = np.arange(tasks) // generator.per_source
    values = generator.draw(rng, truth, int(sources[-1]) + 1)[sources]
    return values, sources if generator.per_source > 1 else None


def allowed(truth: FloatArray) -> tuple[IntArray, IntArray]:
    """First and last rank that each true mean allows."""
    return ranks(truth), truth.size + 1 - ranks(-truth)


def percentile_ranks(
    values: FloatArray, clusters: IntArray | None, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Quantiles of the ranks over joint resamples: the construction that is not used."""
    units = reduce_to_units(values, clusters)
    drawn = bootstrap(units, 399, Stream(seed, "percentile"), studentize=False).means
    standing = np.stack([ranks(row) for row in drawn])
    return np.quantile(standing, 0.025, axis=0), np.quantile(standing, 0.975, axis=0)


def measure(generator: Generator, policies: int, tasks: int, replications: int) -> Measured:
    """Coverage over ``replications`` tables."""
    first, last = allowed(generator.truth(policies))
    rng = np.random.default_rng([policies, tasks, len(generator.name)])
    held, by_percentile, width = [], [], 0.0
    for seed in range(replications):
        values, clusters = sample(generator, policies, tasks, rng)
        found = rank_intervals(values, InferencePlan(seed=seed, level=NOMINAL), clusters)
        held.append((found.lower <= first) & (found.upper >= last))
        width += float((found.upper - found.lower + 1).mean()) / replications
        low, high = percentile_ranks(values, clusters, seed)
        by_percentile.append((low <= first) & (high >= last))
    right, other = np.stack(held), np.stack(by_percentile)
    return Measured(
        generator.name,
        tasks,
        policies,
        float(right.all(axis=1).mean()),
        float(right.mean()),
        width,
        float(other.mean()),
        float(other.all(axis=1).mean()),
    )


def table(rows: list[Measured], replications: int) -> str:
    """The measured rows as markdown."""
    lines = [
        "## Coverage of the rank intervals",
        "",
        f"{replications:,} tables a row, {RESAMPLES:,} joint resamples each, nominal 95 % for all policies",
        "at once. An interval counts as right when it holds every rank that the true means allow. The last",
        "two columns are percentile intervals of resampled ranks, which are not used: with ties they miss.",
        "",
        f"| {' | '.join(_HEAD)} |",
        "|" + "---|" * len(_HEAD),
    ]
    lines += [
        f"| {row.generator} | {row.tasks} | {row.policies} | {row.simultaneous:.3f} | {row.each:.3f} "
        f"| {row.width:.1f} | {row.percentile_each:.3f} | {row.percentile_all:.3f} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure every generator at every size and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=500)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    started = time.process_time()
    rows = [
        measure(generator, policies, tasks, arguments.replications)
        for generator in GENERATORS
        for policies in POLICIES
        for tasks in SIZES
    ]
    shown = table(rows, arguments.replications)
    shown += f"\n{time.process_time() - started:.0f} CPU seconds.\n"
    if arguments.output:
        arguments.output.write_text(shown)
    else:
        print(shown)


if __name__ == "__main__":
    main()
