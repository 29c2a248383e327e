"""Attackers that see no words, beside the routers: they must come out like chance."""

from __future__ import annotations

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
    """Each attacker against the uniform router, paired by task."""
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
    reference = chance(study)
    rows = [_row(study, stack, policy, reference) for policy in [*attackers, *_routers(study)]]
    columns = [
        Column("policy", "router"),
        Column("sees", "sees"),
        numeric("value", "value", str),
        numeric("regret", study.regime.regret_word, str),
        numeric("gain", f"minus {reference}" if reference else "minus chance", str),
        numeric("interval", "paired interval", str),
        Column("verdict", "reading"),
    ]
    against = f"Attackers and routers against a uniform choice{_stack_words(study, stack)}."
    caption = against + _expected(study, stack)
    return html_table(columns, rows, caption, study.source("contrasts.parquet"))


def _stack_words(study: Study, stack: str) -> str:
    return f", stack {stack}" if len(study.stacks) > 1 else ""


def _expected(study: Study, stack: str) -> str:
    if study.regime.name != "complete":
        return ""
    return f" A uniformly drawn legal team gets {number(mean_team_value(study, stack))} in expectation."


def _routers(study: Study) -> list[str]:
    return [p for p in study.policies if p not in study.shortcuts and study.kind(p) != "random"]


def _row(study: Study, stack: str, policy: str, reference: str | None) -> dict[str, Any]:
    pair: Row = study.pair(stack, policy, reference) if reference else {}
    cue = study.sections["routers"].get(policy, {}).get("cue", "")
    return {
        "policy": policy,
        "sees": _CUES.get(cue, "") if policy in study.shortcuts else "the public text",
        "value": level(study.score(stack, policy, "value")),
        "regret": level(study.score(stack, policy, study.regime.regret)),
        "gain": difference(pair),
        "interval": ends(pair),
        "verdict": _reading(pair) if policy in study.shortcuts else "",
    }


def _reading(pair: Row) -> Markup:
    low, high = pair.get("lower"), pair.get("upper")
    if low is None or high is None:
        return badge("not comparable")
    if low > 0:
        return badge("better than chance", "bad")
    return badge("worse than chance", "caution") if high < 0 else badge("like chance", "good")
