"""The paper's counts: public functions on tables built to have them (statistics G4 and G5)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from deliberation_blocks import Poll, to_blocks

from routeaudit.deliberation.commitment.classes import MatchFlags, class_measures, primary_classes
from routeaudit.deliberation.commitment.metrics import Pairs, commitment_measures, commitment_sums
from routeaudit.deliberation.judges import Confusion, agreement, check_margin
from routeaudit.deliberation.linkage.logit import odds_ratio, wald_from_interval
from routeaudit.deliberation.routing.counterfactuals import fixed_rules, success_measures
from routeaudit.deliberation.routing.metrics import routing_measures, routing_sums

N_PROBLEMS = 421
C, W, X = "correct", "wrong", "invalid"


def block(kinds: str, scores: tuple[int, int, int]) -> list[Poll]:
    """Three polls from letters c, w, x (invalid); the first is selected because it scores highest."""
    return [Poll(s, k != "x", k == "c") for k, s in zip(kinds, scores, strict=True)]


# (number of blocks, kinds, scores): the block types of the gpt-oss/math cell, one consistent completion.
HIGH, FIRST, LOW = (90, 90, 90), (90, 50, 50), (90, 90, 50)
CELL = [
    # selected correct in mixed blocks: 289 with one pair (100 tied), 433 with two pairs (142 tied)
    (100, "cwx", HIGH),
    (189, "cwx", FIRST),
    (142, "cww", HIGH),
    (291 - 66, "cww", FIRST),
    (66, "ccw", LOW),
    # the router's misses: selected wrong, 148 of them fully tied
    (148, "wcc", HIGH),
    (314, "wcc", FIRST),
    # all valid candidates correct, then all wrong
    (800, "cxx", FIRST),
    (1000, "ccx", FIRST),
    (2273, "ccc", FIRST),
    (697, "wxx", FIRST),
    (913, "wwx", FIRST),
    (2600, "www", FIRST),
    # invalid selections: another correct candidate, another wrong one, none
    (38, "xcx", FIRST),
    (148, "xwx", FIRST),
    (1469, "xxx", FIRST),
]


@pytest.fixture(scope="module")
def cell():
    rows = [block(kinds, scores) for count, kinds, scores in CELL for _ in range(count)]
    cluster = [i % N_PROBLEMS for i in range(len(rows))]
    return to_blocks(rows, None, cluster)


@pytest.fixture(scope="module")
def sums(cell):
    return routing_sums(cell)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("selected", 11_122),
        ("selected_valid", 9_467),
        ("selected_correct", 4_795),
        ("routeable", 9_653),
        ("possible_hit", 5_295),
        ("mcr_eligible", 7_970),
        ("mixed", 1_184),
        ("pairs", 2_079),
        ("ties", 680),
        ("missed_correct", 462),
    ],
)
def test_cell_has_the_published_counts(sums, name, count):
    assert sums.total(name) == count


def test_cell_has_the_published_valid_candidates(cell):
    assert (int(cell.valid.sum()), len(cell.valid)) == (23_391, 33_366)


@pytest.mark.parametrize(
    ("name", "printed", "denominator"),
    [
        ("CRA", 0.506, 9_467),
        ("HRWP", 0.906, 5_295),
        ("MCR", 0.058, 7_970),
        ("PCCA", 0.570, 1_184),
        ("CTR", 0.327, 2_079),
        ("selected_invalid_rate", 0.149, 11_122),
    ],
)
def test_table_6_rates_and_denominators(sums, name, printed, denominator):
    found = {m.name: m for m in routing_measures(sums)}[name]
    assert (round(found.estimate, 3), found.denominator) == (printed, denominator)


def test_4795_is_the_only_selected_correct_count_that_fits_the_three_printed_rates():
    fits = [
        k
        for k in range(5_296)
        if (round(k / 9_467, 3), round(k / 5_295, 3), round(k / 9_653, 3)) == (0.506, 0.906, 0.497)
    ]
    assert fits == [4_795]


@pytest.mark.parametrize(
    ("name", "printed"),
    [("runtime_argmax", 0.497), ("gap_runtime_argmax", 0.052), ("oracle", 0.549), ("random_valid", 0.490)],
)
def test_table_1_rows(cell, name, printed):
    measures = success_measures(fixed_rules(cell), cell.cluster, cell.n_clusters)
    found = {m.name: m for m in measures}[name]
    assert (round(found.estimate, 3), found.denominator) == (printed, 9_653)


def test_misses_are_missed_correct_blocks_plus_possible_hits_lost_to_invalid_selections(sums):
    lost = 5_295 - 4_795
    assert lost == 500 == sums.total("missed_correct") + 38


# (class, pairs, net correctness shift) with the incumbent and peer flags that overlap it.
CLASSES = [
    ("self-revert", 367, -42),
    ("incumbent-pull", 120, 2),
    ("peer-echo", 238, -12),
    ("novel", 1202, -109),
]
OVERLAP = {"self-revert": (104, 250), "incumbent-pull": (120, 62), "peer-echo": (0, 238), "novel": (0, 0)}
IMPROVED = {"self-revert": 40, "incumbent-pull": 30, "peer-echo": 45, "novel": 220}
N_PAIRS, N_DIVERGENT = 9_436, 1_927


def first(count: int, total: int) -> np.ndarray:
    return np.arange(total) < count


@pytest.fixture(scope="module")
def commitment():
    polled, spoken, own, incumbent, peer = ([] for _ in range(5))
    for name, count, net in CLASSES:
        better, worse = IMPROVED[name], IMPROVED[name] - net
        polled.append(first(worse, count))
        spoken.append(first(better, count)[::-1])
        own.append(np.full(count, name == "self-revert"))
        incumbent.append(first(OVERLAP[name][0], count))
        peer.append(first(OVERLAP[name][1], count))
    rest = N_PAIRS - N_DIVERGENT
    same = first(rest // 2, rest)
    none = np.zeros(rest, dtype=bool)
    pairs = Pairs(
        polled=np.concatenate([*polled, same]),
        spoken=np.concatenate([*spoken, same]),
        divergent=first(N_DIVERGENT, N_PAIRS),
        cluster=np.arange(N_PAIRS) % N_PROBLEMS,
        n_clusters=N_PROBLEMS,
    )
    flags = MatchFlags(*(np.concatenate([*part, none]) for part in (own, incumbent, peer)))
    return pairs, flags


def test_unconditional_shift_is_minus_161_pairs_of_9436(commitment):
    found = {m.name: m for m in commitment_measures(commitment_sums(commitment[0]))}
    assert (found["NPCS"].numerator, found["NPCS"].denominator) == (-161, 9_436)
    assert round(100 * found["NPCS"].estimate, 1) == -1.7
    assert round(found["NPCS_divergent"].estimate, 4) == -0.0835
    assert round(found["PSDR"].estimate, 5) == 0.20422
    assert found["NPCS_all_pairs"].numerator == -161
    assert found["incoherent_rate"].numerator == 0


def test_table_3_primary_classes(commitment):
    pairs, flags = commitment
    found = {m.name: m for m in class_measures(pairs, primary_classes(flags), "primary")}
    counts = [found[f"primary_share:{name}"].numerator for name, _, _ in CLASSES]
    shares = [round(100 * found[f"primary_share:{name}"].estimate, 1) for name, _, _ in CLASSES]
    shifts = [found[f"primary_shift:{name}"].numerator for name, _, _ in CLASSES]
    points = [round(100 * found[f"primary_shift:{name}"].estimate, 1) for name, _, _ in CLASSES]
    assert counts == [367, 120, 238, 1_202]
    assert shares == [19.0, 6.2, 12.4, 62.4]
    assert shifts == [-42, 2, -12, -109]
    assert sum(shifts) == -161
    assert points == [-11.4, 1.7, -5.0, -9.1]


def test_table_13_flags(commitment):
    pairs, flags = commitment
    found = {m.name: m for m in class_measures(pairs, flags.columns(), "flag")}
    counts = [found[f"flag_share:{name}"].numerator for name, _, _ in CLASSES]
    shares = [round(100 * found[f"flag_share:{name}"].estimate, 1) for name, _, _ in CLASSES]
    assert counts == [367, 224, 550, 1_202]
    assert shares == [19.0, 11.6, 28.5, 62.4]


@pytest.mark.parametrize(
    ("tier", "n", "divergent", "net", "psdr", "npcs"),
    [
        ("01", 119, 1, 0, 0.008, 0.0),
        ("03", 47, 8, -2, 0.170, -0.25),
        ("02-09 gpt-oss", 9_263, 1_921, -159, 0.207, -0.083),
        ("02-09 gemma-31b", 9_263, 2_418, -147, 0.261, -0.061),
        ("02-09 gemma-e4b", 9_263, 2_537, -152, 0.274, -0.060),
    ],
)
def test_tier_and_judge_rows_of_tables_10_and_17(tier, n, divergent, net, psdr, npcs):
    pairs = Pairs(
        polled=first(-net, n),
        spoken=np.zeros(n, bool),
        divergent=first(divergent, n),
        cluster=np.arange(n) % 2,
        n_clusters=2,
    )
    found = {m.name: m.estimate for m in commitment_measures(commitment_sums(pairs))}
    assert (round(found["PSDR"], 3), round(found["NPCS_divergent"], 3)) == (psdr, npcs)


@pytest.mark.parametrize(
    ("judge", "cells", "undecided", "observed", "expected", "kappa", "se", "chi2", "own_total"),
    [
        ("31B", (1776, 311, 62, 1899), 331, 0.90786, 0.49857, 0.81624, 0.00900, 166.2, 2_418),
        ("E4B", (1670, 433, 68, 1774), 434, 0.87300, 0.49607, 0.74799, 0.01034, 265.9, 2_537),
    ],
)
def test_table_16_kappas_and_the_exchanged_orientation(
    judge, cells, undecided, observed, expected, kappa, se, chi2, own_total
):
    printed = Confusion("gpt-oss", judge, *cells, undecided)
    found = agreement(printed)
    rounded = [round(v, 5) for v in (found.observed, found.expected, found.kappa, found.kappa_se)]
    assert rounded == [observed, expected, kappa, se]
    assert round(found.mcnemar_chi2, 1) == chi2
    assert printed.decided + undecided == 4_379
    assert not check_margin(printed, judge, own_total, undecided, 0).holds
    exchanged = Confusion(judge, "gpt-oss", *cells, undecided)
    assert check_margin(exchanged, judge, own_total, undecided, 0).holds
    assert agreement(exchanged).kappa == pytest.approx(found.kappa, abs=1e-15)
    assert printed.divergent_of("gpt-oss") > 1_921


# (beta, its decimals, printed odds ratio, its decimals): tables 4, 11, 12 and 18.
ODDS = [
    *[(4.80, 2, 121, 0), (1.30, 2, 3.68, 2), (0.39, 2, 1.48, 2), (0.58, 2, 1.78, 2)],
    *[(0.15, 2, 1.16, 2), (0.09, 2, 1.09, 2)],
    *[(6.551, 3, 700.1, 1), (-1.993, 3, 0.136, 3), (-0.903, 3, 0.405, 3)],
    *[(-1.171, 3, 0.310, 3), (0.254, 3, 1.290, 3), (-1.208, 3, 0.299, 3)],
    *[(-0.010, 3, 0.99, 2), (0.519, 3, 1.68, 2), (0.004, 3, 1.00, 2)],
    *[(1.471, 3, 4.35, 2), (0.314, 3, 1.37, 2), (0.198, 3, 1.22, 2)],
    *[(5.94, 2, 380, 0), (1.40, 2, 4.08, 2), (1.08, 2, 2.96, 2)],
    *[(0.42, 2, 1.52, 2), (0.60, 2, 1.81, 2), (0.19, 2, 1.21, 2)],
]


def test_all_24_odds_ratios_follow_from_their_coefficients_within_rounding():
    assert len(ODDS) == 24
    for beta, digits, printed, printed_digits in ODDS:
        low, high = (odds_ratio(beta + sign * 0.5 * 10**-digits) for sign in (-1, 1))
        half = 0.5 * 10**-printed_digits
        assert low < printed + half, (beta, printed)
        assert high > printed - half, (beta, printed)


@pytest.mark.parametrize(
    ("beta", "lower", "upper", "printed"),
    [
        (6.551, 5.844, 7.258, 1.18e-73),
        (-1.993, -2.303, -1.683, 2.44e-36),
        (-0.903, -1.022, -0.785, 1.26e-50),
        (-1.171, -1.333, -1.009, 1.23e-45),
        (0.254, 0.181, 0.328, 8.85e-12),
        (-1.208, -1.886, -0.530, 4.83e-4),
    ],
)
def test_table_11_p_values_are_normal_within_the_rounding_of_their_intervals(beta, lower, upper, printed):
    p_values = [
        wald_from_interval(beta + db, lower + dl, upper + du)[1]
        for db in (-5e-4, 5e-4)
        for dl in (-5e-4, 5e-4)
        for du in (-5e-4, 5e-4)
    ]
    assert min(p_values) <= printed <= max(p_values)


def test_table_11_standard_error_of_the_divergence_score_term():
    se, p = wald_from_interval(-1.208, -1.886, -0.530)
    assert round(-1.208 / se, 3) == -3.492
    assert math.isclose(p, 4.79e-4, rel_tol=2e-3)
