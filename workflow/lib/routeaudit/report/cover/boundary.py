"""What is visible at which stage and which part is routed: figure 1, tables 1 and 7 of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import pandas as pd
from markupsafe import Markup

from routeaudit.config.routers import RouterConfig
from routeaudit.report.charts import PALETTE
from routeaudit.report.cover.spelling import moment
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import INFORMATION, Tone, plain
from routeaudit.report.page import Section, badge, folded, fragment, paragraph
from routeaudit.report.tables import Column, count, html_table, number, text
from routeaudit.tables import artifacts


def section(study: Study) -> Section:
    """Figure, stages, fields, and one task as an example."""
    said = paragraph(
        "A router changes one thing: the team. It chooses from public text before any held-out outcome "
        "exists; workers, prompts, decoding and finalizer stay as the contract fixed them."
    )
    parts = [said, _figure(study), _stages(study), _fields(study), _example(study)]
    return Section("boundary", "What was visible when", Markup("").join(parts))


def _columns(schema_names: list[str]) -> str:
    return ", ".join(name for name in schema_names if name not in {"task_id", "worker_id"})


def facts(study: Study) -> dict[str, Any]:
    """The counts and fields that the figure and the tables quote."""
    heldout = study.index[study.index["split"] == "heldout"]
    family = study.family[study.family["task_id"].isin(set(heldout["task_id"]))]
    sizes = family.groupby("task_id").size()
    tasks = study.table("public/tasks.parquet", artifacts.PUBLIC_TASKS)
    tasks = tasks[tasks["task_id"].isin(set(heldout["task_id"]))]
    return {
        "tasks": len(heldout),
        "teams": _range(int(sizes.min()), int(sizes.max())),
        "workers": _range(int(family["n_workers"].min()), int(family["n_workers"].max())),
        "cost": _spread(tasks["worker_cost"]),
        "cap": _spread(tasks["budget_cap"]),
        "routers": len(study.policies),
        "stacks": ", ".join(study.stacks),
        "endpoint": study.primary,
        "model": bool(study.sections["stacks"]) and not study.played,
        "played": study.played,
        "public": _columns(artifacts.PUBLIC_TASKS.fields.names),
        "card": _card(study),
    }


def _range(low: int, high: int) -> str:
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _spread(values: pd.Series[float]) -> str:
    low, high = float(values.min()), float(values.max())
    return number(low, 2) if low == high else f"{number(low, 2)} to {number(high, 2)}"


def _card(study: Study) -> str:
    benchmark = study.sections["benchmark"]
    detail = benchmark.get("card")
    if detail is None:
        return "card"
    words = f", {benchmark['topic_words']} topic words" if detail == "topics" else ""
    return f"card ({detail}{words})"


def _figure(study: Study) -> Markup:
    drawn = fragment("routeaudit.report.cover", "boundary.svg.j2", facts=facts(study), private=PALETTE[1],
                     routed=PALETTE[0])  # fmt: skip
    caption = (
        "Only the team is routed (blue). Orange fields exist when the route is chosen but cannot be opened "
        "by the router; they enter where their arrow points."
    )
    return Markup(
        '<figure class="chart"><div class="scroll" tabindex="0">{}</div>'
        "<figcaption>{} {}</figcaption></figure>"
    ).format(drawn, caption, study.source("contract.json"))


def _stages(study: Study) -> Markup:
    told = facts(study)
    private = _columns(artifacts.PRIVATE_EVIDENCE.fields.names)
    rows = [
        _stage("Route selection", f"{told['public']}; {told['card']} of each worker; the legal teams",
               f"{private}; answers; required team; every held-out outcome"),
        *_downstream(told),
        _stage("Offline scoring", "frozen outcome table, frozen routes", "training on any held-out outcome"),
    ]  # fmt: skip
    columns = [
        Column("stage", "stage"),
        Column("seen", "available"),
        Column("hidden", "deliberately unavailable"),
    ]
    return html_table(
        columns, rows, "Information visible at each stage of this study.", study.source("contract.json")
    )


def _downstream(told: Mapping[str, Any]) -> list[dict[str, str]]:
    if told["played"]:
        return [_stage("Play", "the request; the selected families' tools; the scenario, for a scripted role",
                       "other families' tools; router's name")]  # fmt: skip
    model = (
        "the selected worker's own passages" if told["model"] else "nothing runs: outcomes come from the file"
    )
    final = "canonical messages of the selected workers" if told["model"] else "nothing runs"
    return [
        _stage("Worker execution", model, "other workers' passages; the team and the router"),
        _stage("Finalization", final, "router's name; messages of unselected workers; gold answers"),
    ]


def _stage(name: str, seen: str, hidden: str) -> dict[str, str]:
    return {"stage": name, "seen": seen, "hidden": hidden}


def _fields(study: Study) -> Markup:
    after = "selected worker only" if facts(study)["model"] else "evaluation only"
    rows = [
        _field("question and budget", "public/tasks", "yes", "yes"),
        _field("public capability cards", "public/cards", "yes", "yes"),
        _field("legal teams, ids and order permuted per task", "family", "yes", "no"),
        _field("private passages and evidence units", "private/evidence", "no", after),
        _field("gold answer, required team, component id", "private/answers", "no", "no"),
        _field("source ids, original ids, split", "index/tasks", "no", "no"),
        _field("held-out outcomes", "heldout/outcomes", "no", "evaluation only"),
        _field("finalizer and message order", "contract: stacks", "fixed, not routed", "fixed"),
    ]
    columns = [
        Column("field", "field"),
        Column("table", "kept in", lambda name: Markup("<code>{}</code>").format(name)),
        Column("router", "router, when it selects"),
        Column("after", "worker and finalizer, afterwards"),
    ]
    return html_table(columns, rows, "Public and private fields.", study.source("contract.json"))


def _field(name: str, table: str, router: str, after: str) -> dict[str, Any]:
    tones: dict[str, Tone] = {"yes": "good", "no": "bad"}
    return {
        "field": name,
        "table": table,
        "router": badge(router, tones.get(router, "plain")),
        "after": after,
    }


def _example(study: Study) -> Markup:
    """The public view of one held-out task, as a router gets it."""
    tasks = study.table("public/tasks.parquet", artifacts.PUBLIC_TASKS)
    heldout = set(study.index.loc[study.index["split"] == "heldout", "task_id"])
    task = tasks[tasks["task_id"].isin(heldout)].iloc[0]
    cards = study.table("public/cards.parquet", artifacts.PUBLIC_CARDS)
    cards = cards[cards["task_id"] == task["task_id"]]
    teams = study.family[study.family["task_id"] == task["task_id"]]
    rows = [{"worker": row.worker_id, "card": row.card} for row in cards.itertuples()]
    body = paragraph(Markup("<strong>{}</strong>: {}").format(task["task_id"], task["question"]))
    body += html_table([Column("worker", "worker"), Column("card", "public card", text)], rows,
                       f"Cards of {task['task_id']}; its router chooses one of {len(teams)} legal teams.",
                       study.source("public/cards.parquet"))  # fmt: skip
    return folded("One held-out task as a router sees it", body)


def routers(study: Study) -> Section:
    """Every policy: what it is, what it could open, what confined it."""
    rows = [_router(study, policy) for policy in study.policies]
    columns = [
        Column("policy", "router"),
        Column("kind", "kind"),
        Column("definition", "definition used here"),
        Column("sees", "information"),
        Column("mechanism", "confined by"),
        Column("folds", "fitted"),
        Column("frozen", "frozen (UTC)"),
    ]
    said = paragraph(
        "Where a published router is not defined in full, ours is an adaptation at the level of its "
        "interface, and the definition here is the one that ran."
    )
    table = html_table(columns, rows, "Routers of this study.", study.source("contract.json"))
    return Section("routers", "Routers", said + table)


def _router(study: Study, policy: str) -> dict[str, Any]:
    header = study.headers.get(policy, {})
    frozen = next((e.time for e in study.ledger if e.event == "frozen" and policy in e.facts.values()), "")
    sees = study.sees(policy)
    return {
        "policy": policy,
        "kind": plain(study.kind(policy)),
        "definition": _definition(study.kind(policy)),
        "sees": INFORMATION.get(sees, sees),
        "mechanism": header.get("mechanism") or "not recorded",
        "folds": "cross-fitted" if header.get("crossfit") else "one fit",
        "frozen": moment(frozen) if frozen else "not in the ledger",
    }


def _definition(kind: str) -> str | Markup:
    """How the router's configuration describes itself; adaptations carry a badge."""
    said = _configured(kind)
    return Markup("{} {}").format(badge("adaptation", "caution"), said) if "adaptation" in said else said


def _configured(kind: str) -> str:
    """The sentence with which the router's configuration describes itself."""
    sections = get_args(get_args(RouterConfig)[0])
    found = next((each for each in sections if kind in get_args(each.model_fields["kind"].annotation)), None)
    return str(found.__doc__ or "").strip() if found else ""
