"""Attackers that see no words, beside the routers: they must come out like chance."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

from routeaudit.report.cover.levels import mean_team_value
from routeaudit.report.cover.spelling import Row, difference, ends, level
from routeaudit.report.cover.study import Study
from routeaudit.report.page import Section, badge, note, paragraph
from routeaudit.report.tables import Column, html_table, number, numeric

_CUES = {
    "ids": "worker and team ids",
    "order": "places in the files and the canonical order",
    "lengths": "lengths of the question and of the cards",
    "card_sizes": "sizes of the cards",
}


def section(study: Study) -> Section:
    """Each attacker against a uniform choice."""
    title = "Shortcut attackers"
    attackers = [policy for policy in study.policies if policy in study.shortcuts]
    if not attackers:
        said = note(
            "No shortcut attacker was run: nothing here shows that ids, order or lengths are blank.",
            "caution",
        )
        return Section("shortcuts", title, said)
    said = paragraph(
        "These routers learn from training outcomes like the others, but see only ids, order, lengths or "
        "sizes. Where one beats chance, something public gives the answer away and every regret on this "
        "page is suspect."
    )
    tables = Markup("").join(_table(study, stack, attackers) for stack in study.stacks)
    return Section("shortcuts", title, said + tables)


def chance(study: Study) -> str | None:
    """The policy that draws uniformly, where one was declared."""
    return next((policy for policy in study.policies if study.kind(policy) == "random"), None)


def _table(study: Study, stack: str, attackers: list[str]) -> Markup:
    reference, level_of_chance = chance(study), mean_team_value(study, stack)
    rows = [
        _row(study, stack, policy, reference, level_of_chance) for policy in [*attackers, *_routers(study)]
    ]
    columns = [
        Column("policy", "router"),
        Column("sees", "sees"),
        numeric("value", "value", str),
        numeric("interval", "interval", str),
        numeric("gain", f"minus {reference}" if reference else "minus chance", str, "paired by task"),
        numeric("paired", "paired interval", str),
        Column("verdict", "reading"),
    ]
    place = f", stack {stack}" if len(study.stacks) > 1 else ""
    caption = f"Attackers and routers beside a uniform choice{place}. {_measure(level_of_chance, reference)}"
    return html_table(columns, rows, caption, study.source("scores.parquet"))


def _measure(level_of_chance: float, reference: str | None) -> str:
    """What the reading of an attacker goes by."""
    if math.isfinite(level_of_chance):
        return (
            f"A legal team drawn uniformly gets {number(level_of_chance)} in expectation; an attacker reads "
            "as like chance when its interval holds that value."
        )
    return (
        f"An attacker reads as like chance when its paired difference to {reference or 'chance'} may be zero."
    )


def _routers(study: Study) -> list[str]:
    return [p for p in study.policies if p not in study.shortcuts and study.kind(p) != "random"]


def _row(
    study: Study, stack: str, policy: str, reference: str | None, level_of_chance: float
) -> dict[str, Any]:
    pair: Row = study.pair(stack, policy, reference) if reference else {}
    value = study.score(stack, policy, "value")
    cue = study.sections["routers"].get(policy, {}).get("cue", "")
    judged, zero = (value, level_of_chance) if math.isfinite(level_of_chance) else (pair, 0.0)
    return {
        "policy": policy,
        "sees": _CUES.get(cue, "") if policy in study.shortcuts else "the public text",
        "value": level(value),
        "interval": ends(value),
        "gain": difference(pair),
        "paired": ends(pair),
        "verdict": reading(judged, zero) if policy in study.shortcuts else "",
    }


def reading(row: Row, zero: float) -> Markup:
    """Whether an interval lies above, around or below the level of chance."""
    low, high = row.get("lower"), row.get("upper")
    if low is None or high is None:
        return badge("not comparable")
    if low > zero:
        return badge("better than chance", "bad")
    return badge("worse than chance", "caution") if high < zero else badge("like chance", "good")
