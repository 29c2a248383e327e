"""The paper's rows beside ours: same routers, our instance, our number of tasks, our status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from routeaudit.report.cover.published import (
    COMPARISONS,
    LEVELS,
    ORACLE,
    TITLES,
    Comparison,
    Level,
    rebuilt_from,
)
from routeaudit.report.cover.spelling import Row, difference, ends, level, status
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import plain
from routeaudit.report.page import Section, badge, note
from routeaudit.report.tables import ABSENT, Column, count, estimate, html_table, number, numeric
from routeaudit.tables import results

CAUTION = (
    "Our instances are rebuilt from the public files and smaller, with our own distractors, cards, models "
    "and routers (adaptations where the paper does not define one in full). Numbers of the two columns are "
    "not comparable; whether the order of the routers is the same can be asked."
)


def section(study: Study) -> list[Section]:
    """The paper's rows that this study rebuilds; nothing for a study without a printed counterpart."""
    body = tables([study])
    if not body:
        return []
    return [Section("paper", "Beside the paper", note(CAUTION, "caution") + body)]


def tables(studies: Sequence[Study]) -> Markup:
    """One table for each of the paper's tables that any of the studies rebuilds."""
    known = {rebuilt_from(study.name): study for study in studies}
    parts = [_comparisons(known, number) for number in (4, 8, 9, 10)]
    parts[1:1] = [_levels(known, number) for number in (5, 6)]
    return Markup("").join(parts)


def _comparisons(known: Mapping[str, Study], table: int) -> Markup:
    wanted = [row for row in COMPARISONS if row.table == table and row.study in known]
    rows = [each for row in wanted for each in _compared(known[row.study], row)]
    if not rows:
        return Markup("")
    columns = [
        Column("label", "row of the paper and its status, our study"),
        numeric("printed", "paper", str, "router and reference as printed, number of tasks"),
        numeric("gain", "gain, paper", str),
        numeric("ours", "ours", str, "router and reference, number of tasks"),
        numeric("our_gain", "gain, ours", str, "positive: the first router is better"),
        Column("status", "our status"),
    ]
    sources = sorted({known[row.study].path("contrasts.parquet") for row in wanted})
    caption = f"Table {table} of the paper, “{TITLES[table]}”, beside ours, from {', '.join(sources)}."
    return html_table(columns, rows, caption)


def _compared(study: Study, row: Comparison) -> list[dict[str, Any]]:
    """One line per stack; only crossed stacks have several."""
    return [_line(study, row, stack) for stack in study.stacks]


def _line(study: Study, row: Comparison, stack: str) -> dict[str, Any]:
    policy, reference = _of_kind(study, row.policy), _of_kind(study, row.reference)
    ours = _ours(study, row, stack, policy, reference)
    place = f"{study.name} {stack}" if len(study.stacks) > 1 else study.name
    levels = f"{number(row.printed)}, {number(row.printed_reference)}" if row.printed is not None else ABSENT
    return {
        "label": Markup("{}, {}<br><small>{}</small>").format(row.label, plain(row.status), place),
        "printed": f"{levels} ({count(row.tasks)})",
        "gain": estimate(row.gain, *(row.interval or (None, None))),
        **ours,
    }


def _ours(
    study: Study, row: Comparison, stack: str, policy: str | None, reference: str | None
) -> dict[str, Any]:
    if policy is None or reference is None:
        absent = row.policy if policy is None else row.reference
        return {"ours": ABSENT, "our_gain": ABSENT, "status": badge(f"{plain(absent)} was not run")}
    endpoint = study.primary if row.metric == "regret" else row.metric
    metric = study.regime.regret if row.metric == "regret" else "value"
    ours = [study.score(stack, name, metric, endpoint) for name in (policy, reference)]
    if not all(ours):
        return {"ours": ABSENT, "our_gain": ABSENT, "status": badge(f"{plain(endpoint)} was not graded")}
    pair = contrast(study, stack, policy, reference, endpoint)
    gain = f"{difference(pair)} {ends(pair)}" if pair else _plain_gain(ours, metric)
    return {
        "ours": f"{', '.join(level(each) for each in ours)} ({count(ours[0]['denominator'])})",
        "our_gain": gain,
        "status": status(str(pair.get("status", "descriptive"))),
    }


def _plain_gain(ours: Sequence[Row], metric: str) -> str:
    """Difference of two levels, without an interval, where no contrast was computed."""
    first, second = (row["estimate"] for row in ours)
    if first is None or second is None:
        return ABSENT
    return number(first - second if metric == "value" else second - first)


def contrast(study: Study, stack: str, policy: str, reference: str, endpoint: str) -> Row:
    """The declared contrast of a pair, else its pairwise one."""
    for row in study.contrasts:
        key = (row["policy"], row["reference"], row["endpoint"], row["stack"], row["metric"])
        if key == (policy, reference, endpoint, stack, "value") and row["family"] != results.FAMILY_PAIRWISE:
            return row
    return study.pair(stack, policy, reference) if endpoint == study.primary else {}


def _of_kind(study: Study, kind: str) -> str | None:
    """The study's policy of this kind; one that bears the kind's name comes first."""
    named = [policy for policy in study.policies if study.kind(policy) == kind]
    return kind if kind in named else next(iter(named), None)


def _levels(known: Mapping[str, Study], table: int) -> Markup:
    wanted = [row for row in LEVELS if row.table == table and row.study in known]
    if not wanted or (known[wanted[0].study].regime.name != "complete" and table == 6):
        return Markup("")
    study = known[wanted[0].study]
    columns = [
        Column("label", "row of the paper"),
        Column("quantity", "quantity"),
        numeric("printed", "paper"),
        numeric("ours", "ours", str),
        numeric("interval", "interval", str),
        Column("status", "our status"),
    ]
    rows = [each for row in wanted for each in _leveled(study, row)]
    tasks = f"{wanted[0].tasks} tasks there, {count(study.regret['task_id'].nunique())} here"
    caption = f"Table {table} of the paper, “{TITLES[table]}”, beside ours: {tasks}."
    return html_table(columns, rows, caption, study.source("scores.parquet"))


def _leveled(study: Study, row: Level) -> list[dict[str, Any]]:
    """One line per printed quantity of a router."""
    policy = ORACLE if row.policy == ORACLE else _of_kind(study, row.policy)
    if policy is None:
        absent = badge(f"{plain(row.policy)} was not run")
        return [
            {"label": row.label, "quantity": plain(n), "printed": v, "status": absent}
            for n, v in row.printed.items()
        ]
    told = status(study.score(study.stacks[0], policy, "value").get("status", "descriptive"))
    found = {name: _level(study, policy, name) for name in row.printed}
    return [
        {"label": row.label, "quantity": plain(name), "printed": value, "ours": level(found[name]),
         "interval": ends(found[name]), "status": told}
        for name, value in row.printed.items()
    ]  # fmt: skip


def _level(study: Study, policy: str, name: str) -> Row:
    stack = study.stacks[0]
    if policy == ORACLE:
        return study.score(stack, policy, study.regime.best)
    if name == "workers":
        return study.score(stack, policy, "mean_workers")
    if name == "regret" or name.endswith(" regret"):
        endpoint = name.removesuffix("regret").strip() or study.primary
        return study.score(stack, policy, study.regime.regret, endpoint)
    return study.score(stack, policy, "value", study.primary if name == "value" else name)
