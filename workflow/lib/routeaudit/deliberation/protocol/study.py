"""One cell of a study, an actor on a benchmark, from problems to a labelled trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from routeaudit.config.deliberation import BaselinesConfig, JudgeConfig, PoolConfig, ProtocolConfig
from routeaudit.config.models import ModelConfig
from routeaudit.deliberation.equivalence.judging import judge_pairs
from routeaudit.deliberation.equivalence.labelling import Labeller, labelled, open_pairs
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.baselines import solve_alone
from routeaudit.deliberation.protocol.describe import trace_meta
from routeaudit.deliberation.protocol.panel import Panel, open_panel, replay_panel
from routeaudit.deliberation.protocol.recording import record
from routeaudit.deliberation.protocol.run import deliberate, members
from routeaudit.deliberation.protocol.stages import Table
from routeaudit.deliberation.trace import Trace, TraceMeta


@dataclass(frozen=True)
class Cell:
    """An actor on a benchmark, the protocol, and the judges that all cells of the study share."""

    benchmark: str
    pool: PoolConfig
    protocol: ProtocolConfig
    baselines: BaselinesConfig
    judges: Mapping[str, JudgeConfig]

    @classmethod
    def from_sections(cls, sections: Mapping[str, Any], actor: str, benchmark: str) -> Cell:
        """The cell from the sections ``actors.<actor>``, ``protocol``, ``baselines`` and ``judges``."""
        return cls(
            benchmark,
            PoolConfig.model_validate(sections[f"actors.{actor}"]),
            ProtocolConfig.model_validate(sections["protocol"]),
            BaselinesConfig.model_validate(sections["baselines"]),
            TypeAdapter(dict[str, JudgeConfig]).validate_python(sections["judges"]),
        )

    @property
    def meta(self) -> TraceMeta:
        """What the traces of this cell say of themselves."""
        return trace_meta(self.pool, self.protocol, self.judges, self.benchmark)

    @property
    def models(self) -> dict[str, ModelConfig]:
        """Every model of the cell by its name in the panel."""
        judging = {name: judge.model for name, judge in self.judges.items()}
        return members(self.pool, self.protocol) | judging

    def panel(self, journal: Path, writer: str, quiet: bool = False) -> AbstractContextManager[Panel]:
        """The cell's models over a journal folder."""
        return open_panel(self.models, journal, writer, quiet)


def run_cell(cell: Cell, problems: Sequence[Problem], panel: Panel) -> Trace:
    """Deliberate on the problems, solve them in the baseline modes, and record the unlabelled trace."""
    table = Table(panel, cell.pool, cell.protocol)
    discussions = deliberate(problems, table)
    return record(discussions, solve_alone(problems, table, cell.baselines), cell.meta)


def label_cell(cell: Cell, trace: Trace, problems: Sequence[Problem], panel: Panel) -> Trace:
    """Label a trace by rule and by the judges; the first judge's verdicts are the labels."""
    known = {problem.uid: problem for problem in problems}
    pairs = open_pairs(trace, known) if cell.judges else set()
    verdicts = {name: judge_pairs(panel, name, judge, pairs, known) for name, judge in cell.judges.items()}
    first = next(iter(cell.judges), None)
    return labelled(trace, Labeller(known, first, verdicts[first] if first else {}), verdicts)


def replay_cell(cell: Cell, problems: Sequence[Problem], journal: Path, writer: str) -> Trace:
    """The labelled trace of a cell from the journal alone; no model is opened to answer.

    Raises
    ------
    InputError : a request that the journal does not hold
    """
    with replay_panel(cell.models, journal, writer) as panel:
        return label_cell(cell, run_cell(cell, problems, panel), problems, panel)


def problem_shard(problems: Sequence[Problem], shard: int, n_shards: int) -> list[Problem]:
    """Part `shard` (counted from 1) of `n_shards`; every n-th problem, so that tiers spread evenly."""
    return list(problems[shard - 1 :: n_shards])
