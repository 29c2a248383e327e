"""routeaudit plan: what a study will ask of its models, before anything runs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from routeaudit.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from routeaudit.config.models import ModelConfig
    from routeaudit.config.stack import StackConfig
    from routeaudit.execution import Request
    from routeaudit.execution.estimate import Forecast, RequestCounts

_HEADER = (
    f"{'phase':8} {'stack':12} {'regime':12} {'cells':>8} {'requests':>9} {'naive':>9} {'saving':>7} "
    f"{'finished':>9} {'tokens left':>12} {'device-hours':>12}"
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "plan",
        help="show cells, requests, tokens and GPU-hours before a run",
        description="Show, for a published study, the cells and distinct requests of every phase, stack and "
        "coverage regime, what the journal has of them, and the tokens and device-hours that are left. "
        "Regimes that depend on routes appear once the routes are frozen. Tokens are an upper estimate.",
    )
    parser.add_argument("study", type=Path, metavar="DIR", help="results/<study>, published")
    parser.add_argument(
        "--journal", type=Path, default=Path("results/journal"), metavar="DIR", help="folder of journals"
    )
    parser.add_argument(
        "--tokens-per-s", type=float, default=1000.0, help="prompt and generated tokens per second and engine"
    )
    parser.add_argument("--devices", type=int, default=1, help="devices of one engine (default: 1)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    rows = plan_rows(arguments.study, arguments.journal, arguments.tokens_per_s, arguments.devices)
    print(_HEADER, *rows, sep="\n")
    return 0


@dataclass(frozen=True)
class PlanRow:
    """One line: the requests of a phase, stack and regime, and what is left of them."""

    phase: str
    stack: str
    regime: str
    counts: RequestCounts
    forecasts: tuple[Forecast, Forecast]

    def __str__(self) -> str:
        finished = sum(forecast.finished for forecast in self.forecasts)
        tokens = sum(forecast.load.total for forecast in self.forecasts)
        hours = sum(forecast.device_hours for forecast in self.forecasts)
        counts = self.counts
        return (
            f"{self.phase:8} {self.stack:12} {self.regime:12} {counts.cells:8d} {counts.distinct:9d} "
            f"{counts.naive:9d} {counts.saving:6.2f}x {finished:9d} {tokens:12d} {hours:12.3f}"
        )


def plan_rows(study: Path, journal: Path, tokens_per_s: float, devices: int) -> list[PlanRow]:
    """A row for every phase, stack and regime of the study in folder `study`.

    Raises
    ------
    InputError : the study is not published, or has no stack
    """
    from routeaudit.tables import read_json

    if not (study / "contract.json").is_file():
        raise InputError(str(study), "a study's folder with contract.json", "none", "seal the study first")
    sections = read_json(study / "contract.json")["sections"]
    stacks = _stacks(study, sections)
    return [
        PlanRow(phase, name, regime, *_outlook(study, table, stack, journal, tokens_per_s, devices))
        for (phase, regime), table in _plans(study, sections).items()
        for name, stack in stacks.items()
    ]


def _stacks(study: Path, sections: Mapping[str, Any]) -> dict[str, StackConfig]:
    from pydantic import ValidationError

    from routeaudit.config.stack import StackConfig, is_played

    if not sections["stacks"] or any(map(is_played, sections["stacks"].values())):
        raise InputError(
            str(study),
            "a study with a prompted stack",
            "none: it needs no model, or plays whose requests depend on their answers",
            "there is nothing to plan",
        )
    try:
        return {name: StackConfig.model_validate(stack) for name, stack in sections["stacks"].items()}
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"{study / 'contract.json'}, key {'.'.join(map(str, first['loc']))}",
            "a contract sealed under this version's configuration",
            first["msg"],
            "run the version that sealed it, or seal the study again",
        ) from None


def _plans(study: Path, sections: Mapping[str, Any]) -> dict[tuple[str, str], pa.Table]:
    from routeaudit.config.inference import CoverageConfig
    from routeaudit.cover.coverage.planning import complete_plan, heldout_plan, of_tasks
    from routeaudit.cover.coverage.routes import routes_by_policy
    from routeaudit.cover.split.phases import phase_tasks
    from routeaudit.tables import read_table
    from routeaudit.tables.artifacts import FAMILY, FROZEN_ROUTES, INDEX_TASKS

    index = read_table(study / "index" / "tasks.parquet", INDEX_TASKS)
    family = read_table(study / "family.parquet", FAMILY)
    heldout = of_tasks(family, phase_tasks(index, "heldout"))
    plans = {
        ("train", "complete"): complete_plan(of_tasks(family, phase_tasks(index, "train"))),
        ("heldout", "complete"): complete_plan(heldout),
    }
    frozen = study / "routes.parquet"
    if frozen.is_file():
        routes = routes_by_policy(read_table(frozen, FROZEN_ROUTES))
        coverage = CoverageConfig.model_validate(sections["coverage"])
        for regime in get_args(CoverageConfig.model_fields["regime"].annotation):
            declared = coverage.model_copy(update={"regime": regime})
            plans["heldout", regime] = heldout_plan(heldout, routes, declared)
    return plans


def _outlook(
    study: Path, plan: pa.Table, stack: StackConfig, journal: Path, tokens_per_s: float, devices: int
) -> tuple[RequestCounts, tuple[Forecast, Forecast]]:
    from routeaudit.cover.stack import messages_table, worker_requests
    from routeaudit.execution import distinct, read_journals
    from routeaudit.execution.backends import open_backend
    from routeaudit.execution.estimate import count_requests, forecast
    from routeaudit.tables import read_table
    from routeaudit.tables.artifacts import PRIVATE_EVIDENCE, PUBLIC_TASKS

    evidence = read_table(study / "private" / "evidence.parquet", PRIVATE_EVIDENCE)
    tasks = read_table(study / "public" / "tasks.parquet", PUBLIC_TASKS)
    asked = worker_requests(plan, tasks, evidence, stack)
    identity = open_backend(stack.worker.model, journal).identity
    workers = distinct(asked.values(), identity)
    said = read_journals(journal, workers.keys()).completions
    messages = messages_table(asked, said, identity, evidence, "planned")
    finals = _final_requests(plan, tasks, messages, stack)
    cells = zip(plan["task_id"].to_pylist(), plan["workers"].to_pylist(), strict=True)
    return count_requests(cells, stack.replicates), (
        forecast(workers, said.keys(), tokens_per_s, devices),
        _finals_left(finals, stack.finalizer.model, journal, tokens_per_s, devices),
    )


def _final_requests(plan: pa.Table, tasks: pa.Table, messages: pa.Table, stack: StackConfig) -> list[Request]:
    """The finalizer's requests; where messages are still to come, with words of their greatest length."""
    from routeaudit.cover.stack import CellKey, finalizer_requests
    from routeaudit.cover.stack.finalizer import finalizer_request

    known = finalizer_requests(plan, tasks, messages, stack)
    question = dict(zip(tasks["task_id"].to_pylist(), tasks["question"].to_pylist(), strict=True))
    unknown = " ".join(["xx"] * stack.worker.max_tokens)
    made = []
    for cell in plan.to_pylist():
        for replicate in range(stack.replicates):
            key = CellKey(cell["task_id"], cell["team_id"], replicate)
            # The team's name keeps requests apart whose messages will differ.
            words = [f"{cell['team_id']} {unknown}"] * len(cell["workers"])
            placeholder = finalizer_request(question[cell["task_id"]], words, stack, replicate)
            made.append(known.get(key, placeholder))
    return made


def _finals_left(
    finals: list[Request], model: ModelConfig, journal: Path, tokens_per_s: float, devices: int
) -> Forecast:
    from routeaudit.execution import distinct, read_journals
    from routeaudit.execution.backends import open_backend
    from routeaudit.execution.estimate import forecast

    wanted = distinct(finals, open_backend(model, journal).identity)
    finished = read_journals(journal, wanted.keys()).completions
    return forecast(wanted, finished.keys(), tokens_per_s, devices)
