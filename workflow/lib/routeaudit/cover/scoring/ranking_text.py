"""A ranking as plain text: best and worst policies, then what the pairs say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from routeaudit.cover.scoring.ranking import RANKS_MEAN, TIERS_MEAN, Pair, Ranking, Standing
from routeaudit.inference.results import Estimate

_ALL, _TOP, _BOTTOM = 40, 20, 10
_REGRET = ("regret", "sampled_action_regret", "union_regret")
_HEAD = ("rank", "policy", "value", "interval", "rank interval", "tier", "beats", "beaten by")


def ranking_block(ranking: Ranking, estimates: Iterable[Estimate] = ()) -> str:
    """The ranking as lines; ``estimates`` add each policy's regret where they hold it.

    Up to 40 policies are all shown, else the best 20 and the worst 10.
    """
    metric, regret = _regret(estimates)
    head = (*_HEAD[:4], *([metric] if metric else []), *_HEAD[4:])
    lines = [_line(standing, regret if metric else None) for standing in ranking.standings]
    table = aligned(head, lines).splitlines()
    hidden = len(lines) - _TOP - _BOTTOM if len(lines) > _ALL else 0
    if hidden:
        between = f"  ... {hidden} policies between are left out ..."
        table = [*table[: 1 + _TOP], between, *table[-_BOTTOM:]]
    title = f"ranking on {ranking.endpoint}: {len(lines)} policies in {_count(ranking.tiers, 'tier')}"
    return "\n".join([title, *table, *_said(ranking)])


def _regret(estimates: Iterable[Estimate]) -> tuple[str, dict[str, Estimate]]:
    """The regret that the regime identifies, and its estimate per policy."""
    found: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates:
        if estimate.metric in _REGRET and estimate.bounds is None:
            found.setdefault(estimate.metric, {})[estimate.subject] = estimate
    return max(found.items(), key=lambda kept: len(kept[1]), default=("", {}))


def _line(standing: Standing, regret: dict[str, Estimate] | None) -> Sequence[str]:
    low, high = standing.ranks
    known = () if regret is None else (_shown(regret, standing.policy),)
    return (
        "-" if standing.rank is None else str(standing.rank),
        standing.policy,
        "not identified" if math.isnan(standing.value) else f"{standing.value:.4f}",
        "" if math.isnan(standing.interval[0]) else "[{:.4f}, {:.4f}]".format(*standing.interval),
        *known,
        f"{low}-{high}",
        "-" if standing.tier is None else str(standing.tier),
        str(standing.beats),
        str(standing.beaten_by),
    )


def _shown(regret: dict[str, Estimate], policy: str) -> str:
    return f"{regret[policy].estimate:.4f}" if policy in regret else ""


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
