"""The held-out cells and routes behind a study's result tables, and what they say before any statistic."""

from __future__ import annotations

from markupsafe import Markup

from routeaudit.cover.coverage.planning import of_tasks
from routeaudit.cover.coverage.routes import routes_by_policy
from routeaudit.cover.scoring.cells import build_cells
from routeaudit.cover.scoring.contrasts import Scored
from routeaudit.cover.scoring.honesty import findings
from routeaudit.cover.scoring.routes import locate_routes
from routeaudit.cover.split.phases import phase_tasks
from routeaudit.report.cover.study import Study
from routeaudit.report.page import Section, note
from routeaudit.tables import read_table
from routeaudit.tables.artifacts import FAMILY, FROZEN_ROUTES, INDEX_TASKS, OUTCOMES

_FIXED_KINDS = frozenset({"best_fixed", "all_workers"})


def scored(study: Study, stack: str) -> Scored:
    """Cells of the primary endpoint under one stack, with the routes located in them."""
    index = read_table(study.folder / "index/tasks.parquet", INDEX_TASKS)
    heldout = phase_tasks(index, "heldout")
    family = of_tasks(read_table(study.folder / "family.parquet", FAMILY), heldout)
    outcomes = read_table(study.folder / "heldout/outcomes.parquet", OUTCOMES)
    outcomes = outcomes.filter([name == stack for name in outcomes["stack"].to_pylist()])
    tasks = of_tasks(index, heldout)
    clusters = dict(zip(tasks["task_id"].to_pylist(), tasks["cluster_id"].to_pylist(), strict=True))
    cells = build_cells(family, outcomes, study.primary, clusters)
    routes = read_table(study.folder / "routes.parquet", FROZEN_ROUTES)
    return Scored(cells, locate_routes(cells, routes_by_policy(routes, study.policies)))


def cautions(study: Study) -> list[Section]:
    """What a reader must know before a number; nothing where there is nothing."""
    by_design = frozenset(policy for policy in study.policies if study.kind(policy) in _FIXED_KINDS)
    said: dict[str, list[str]] = {}
    for stack in study.stacks:
        table = scored(study, stack)
        for finding in findings(table.cells, table.routes, by_design):
            said.setdefault(finding.sentence, []).append(stack)
    if not said:
        return []
    notes = [
        note(
            sentence if len(stacks) == len(study.stacks) else f"Stack {', '.join(stacks)}: {sentence}",
            "caution",
        )
        for sentence, stacks in said.items()
    ]
    return [Section("cautions", "Before reading", Markup("").join(notes))]
