"""Many routers: a ranking and a picture of all pairs in the place of one line per pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from routeaudit.config.inference import StatsConfig
from routeaudit.cover.evaluation.evaluate import inference_plan
from routeaudit.cover.scoring.ranking import RANKED_FROM, Pair, Ranking, Standing, rank_policies
from routeaudit.inference.multiplicity import holm
from routeaudit.report.charts import figure
from routeaudit.report.cover.board import scored
from routeaudit.report.cover.pairs import LABELLED, Cell, triangle
from routeaudit.report.cover.spelling import Row, level
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import plain
from routeaudit.report.page import Section, folded, paragraph
from routeaudit.report.tables import (
    Column,
    count,
    html_table,
    interval,
    number,
    numeric,
    p_value,
    percent,
    signed,
)
from routeaudit.tables import results

_ALL, _TOP, _BOTTOM = 40, 20, 10


def section(study: Study) -> list[Section]:
    """The ranking of every stack with enough pairs; nothing for a study of few routers."""
    parts: list[Markup] = []
    for stack in study.stacks:
        rows = pairwise(study, stack)
        if len(rows) >= RANKED_FROM:
            parts += [Markup("<h3>Stack {}</h3>").format(stack)] if len(study.stacks) > 1 else []
            parts += _stack(study, stack, rows)
    return [Section("ranking", "Ranking of the routers", Markup("").join(parts))] if parts else []


def pairwise(study: Study, stack: str) -> list[Row]:
    """Every pair of policies on the primary endpoint."""
    wanted = (results.FAMILY_PAIRWISE, study.primary, stack, "value")
    return [
        row
        for row in study.contrasts
        if (row["family"], row["endpoint"], row["stack"], row["metric"]) == wanted
    ]


def ranked(study: Study, stack: str, pairs: Sequence[Pair]) -> Ranking:
    """The ranking from the study's cells, its sealed statistics and its pairs."""
    table = scored(study, stack)
    plan = inference_plan(StatsConfig.model_validate(study.sections["stats"]), study.contract["digest"])
    values = {policy: study.score(stack, policy, "value") for policy in study.policies}
    ends = {name: (_real(row.get("lower")), _real(row.get("upper"))) for name, row in values.items()}
    outcomes = table.routes.named_outcomes(table.cells)
    return rank_policies(study.primary, outcomes, ends, pairs, plan, table.cells.cluster_codes)


def _stack(study: Study, stack: str, rows: list[Row]) -> list[Markup]:
    pairs = _pairs(rows)
    found = ranked(study, stack, pairs)
    return [
        paragraph(_said(found)),
        _table(study, stack, found),
        _picture(study, found, pairs),
        paragraph(
            "Every pair with its interval and raw p is a row of the family “pairwise” in "
            f"{study.path('contrasts.parquet')}."
        ),
    ]


def _pairs(rows: list[Row]) -> list[Pair]:
    adjusted = holm(np.array([_real(row["p"]) for row in rows]))
    return [
        Pair(
            policy=row["policy"],
            reference=row["reference"],
            gain=_real(row["estimate"]),
            p=math.nan if row["p"] is None else float(p),
        )
        for row, p in zip(rows, adjusted, strict=True)
    ]


def _real(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _said(found: Ranking) -> str:
    told = (
        f"Of all {count(found.pairs)} pairs of {count(len(found.standings))} routers, Holm's correction over "
        f"them separates {count(found.separated)}. These comparisons were not declared, so this is "
        "description; the declared ones follow with a correction of their own. "
    )
    if found.closest is not None and found.widest is not None:
        more = f" (and {count(found.as_close - 1)} more pairs as close)" if found.as_close > 1 else ""
        told += f"Closest: {_spelled(found.closest)}{more}. Widest: {_spelled(found.widest)}."
    return told


def _spelled(pair: Pair) -> str:
    return f"{pair.policy} over {pair.reference} {signed(pair.gain)}, adjusted p {p_value(pair.p)}"


def _table(study: Study, stack: str, found: Ranking) -> Markup:
    columns = [
        numeric("rank", "rank", str),
        Column("policy", "router"),
        numeric("value", "value", str),
        numeric("interval", "interval", str),
        numeric("regret", study.regime.regret_word, str),
        numeric("ranks", "rank interval", str, "ranks that the joint limits of all differences allow"),
        numeric("tier", "tier", str, "every router of a tier is separated from every router of a lower tier"),
        numeric("beats", "beats", str, "routers below it that Holm separates from it"),
        numeric("beaten", "beaten by", str, "routers above it that Holm separates from it"),
    ]
    rows = [_row(study, stack, standing) for standing in found.standings]
    caption = (
        f"Routers by mean {plain(study.primary)}. The rank intervals hold at once with confidence "
        f"{percent(found.level, 0)}, ties included. A tier ends only where every router above is separated "
        "from every router below, so routers of different tiers are always separated; two of one tier may be "
        "too, which the last two columns count."
    )
    source = study.source("contrasts.parquet")
    if len(rows) <= _ALL:
        return html_table(columns, rows, caption, source)
    hidden = len(rows) - _TOP - _BOTTOM
    between = dict.fromkeys(rows[0], "") | {"policy": Markup("<em>{} routers between</em>").format(hidden)}
    short = [*rows[:_TOP], between, *rows[-_BOTTOM:]]
    whole = html_table(columns, rows, "Every router by value.", source)
    return html_table(columns, short, caption, source) + folded(f"All {len(rows)} routers", whole)


def _row(study: Study, stack: str, standing: Standing) -> dict[str, Any]:
    low, high = standing.ranks
    return {
        "rank": "–" if standing.rank is None else str(standing.rank),
        "policy": standing.policy,
        "value": number(standing.value),
        "interval": interval(*standing.interval),
        "regret": level(study.score(stack, standing.policy, study.regime.regret)),
        "ranks": f"{low}–{high}",
        "tier": "–" if standing.tier is None else str(standing.tier),
        "beats": str(standing.beats),
        "beaten": str(standing.beaten_by),
    }


def _picture(study: Study, found: Ranking, pairs: Sequence[Pair]) -> Markup:
    names = [standing.policy for standing in found.standings if standing.rank is not None]
    place = {name: i for i, name in enumerate(names)}
    cells = []
    for pair in pairs:
        if pair.policy in place and pair.reference in place and math.isfinite(pair.gain):
            row, column = sorted((place[pair.policy], place[pair.reference]))
            cells.append(Cell(row, column, abs(pair.gain), pair.p <= 1 - found.level))
    if not cells:
        return Markup("")
    mark = (
        "A dot marks a pair that is separated after Holm."
        if len(names) <= LABELLED
        else "Full colour marks the pairs that are separated after Holm; the others are pale."
    )
    caption = (
        "Every pair, routers ordered by value, best first: how much the router of the row is above the "
        f"router of the column. {mark}"
    )
    return figure(triangle(names, cells), caption, study.source("contrasts.parquet"))
