"""A ranking as plain text: best and worst policies, then what the pairs say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from routeaudit.cover.scoring.ranking import RANKS_MEAN, TIERS_MEAN, Pair, Ranking, Standing
from routeaudit.inference.results import Estimate

_ALL, _TOP, _BOTTOM = 40, 20, 10
_REGRET = ("regret", "sampled_action_regret", "union_regret")
Levels = Mapping[tuple[str, str], Estimate]

_HEAD = ("rank", "policy", "value", "interval", "rank interval", "tier", "beats", "beaten by")


def ranking_block(ranking: Ranking, estimates: Iterable[Estimate] = ()) -> str:
    """The ranking as lines; ``estimates`` add each policy's regret where they hold it.

    Up to 40 policies are all shown, else the best 20 and the worst 10.
    """
    levels = {(estimate.subject, estimate.metric): estimate for estimate in estimates}
    metric = _regret(levels)
    head = (*_HEAD[:4], *([metric] if metric else []), *_HEAD[4:])
    lines = [_line(standing, levels, metric) for standing in ranking.standings]
    table = aligned(head, lines).splitlines()
    hidden = len(lines) - _TOP - _BOTTOM if len(lines) > _ALL else 0
    if hidden:
        between = f"  ... {hidden} policies between are left out ..."
        table = [*table[: 1 + _TOP], between, *table[-_BOTTOM:]]
    title = f"ranking on {ranking.endpoint}: {len(lines)} policies in {_count(ranking.tiers, 'tier')}"
    return "\n".join([title, *table, *_said(ranking)])


def _regret(levels: Levels) -> str:
    """The regret that is identified for most policies; empty where none is."""
    known = [metric for (_, metric), found in levels.items() if metric in _REGRET and found.bounds is None]
    return max(_REGRET, key=known.count) if known else ""


def _line(standing: Standing, levels: Levels, metric: str) -> Sequence[str]:
    low, high = standing.ranks
    known = (_level(math.nan, levels.get((standing.policy, metric))),) if metric else ()
    return (
        "-" if standing.rank is None else str(standing.rank),
        standing.policy,
        _level(standing.value, levels.get((standing.policy, "value"))),
        "" if math.isnan(standing.interval[0]) else "[{:.4f}, {:.4f}]".format(*standing.interval),
        *known,
        f"{low}-{high}",
        "-" if standing.tier is None else str(standing.tier),
        str(standing.beats),
        str(standing.beaten_by),
    )


def _level(value: float, estimate: Estimate | None) -> str:
    """The value itself, else its estimate, else its sharp bounds."""
    if math.isnan(value) and estimate is not None:
        value = estimate.estimate
    if not math.isnan(value):
        return f"{value:.4f}"
    bounds = None if estimate is None else estimate.bounds
    return "not identified" if bounds is None else f"in [{bounds[0]:.4f}, {bounds[1]:.4f}]"


def _said(ranking: Ranking) -> Iterator[str]:
    yield f"separated by Holm at level {ranking.level:g}: {ranking.separated:,} of {ranking.pairs:,} pairs"
    if ranking.closest is not None and ranking.widest is not None:
        more = f", and {ranking.as_close - 1:,} more as close" if ranking.as_close > 1 else ""
        yield f"closest pair: {_pair(ranking.closest)}{more}"
        yield f"widest pair: {_pair(ranking.widest)}"
    yield RANKS_MEAN
    yield TIERS_MEAN


def _pair(pair: Pair) -> str:
    p = "" if math.isnan(pair.p) else f" (Holm p {pair.p:.3g})"
    return f"{pair.policy} - {pair.reference} {pair.gain:+.4f}{p}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns of text, as wide as their widest cell."""
    cells = [head, *rows]
    widths = [max(len(row[j]) for row in cells) for j in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )
