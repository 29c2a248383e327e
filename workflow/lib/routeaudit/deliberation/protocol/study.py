"""One cell of a study, from problems to a labelled trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from routeaudit.config.deliberation import BaselinesConfig, JudgeConfig, PoolConfig, ProtocolConfig
from routeaudit.config.models import ModelConfig
from routeaudit.deliberation.equivalence.judging import judge_pairs
from routeaudit.deliberation.equivalence.labelling import Labeller, labelled, open_pairs
from routeaudit.deliberation.problems.base import Problem
from routeaudit.deliberation.protocol.baselines import solve_alone
from routeaudit.deliberation.protocol.panel import Panel, open_panel, replayed
from routeaudit.deliberation.protocol.recording import record
from routeaudit.deliberation.protocol.run import deliberate, members
from routeaudit.deliberation.protocol.stages import Table
from routeaudit.deliberation.trace import Trace, TraceMeta


def run_cell(
    problems: Sequence[Problem],
    pool: PoolConfig,
    protocol: ProtocolConfig,
    baselines: BaselinesConfig,
    panel: Panel,
    meta: TraceMeta,
) -> Trace:
    """Deliberate on the problems, solve them in the baseline modes, and record the unlabelled trace."""
    table = Table(panel, pool, protocol)
    discussions = deliberate(problems, table)
    return record(discussions, solve_alone(problems, table, baselines), meta)


def label_cell(
    trace: Trace, problems: Sequence[Problem], judges: Mapping[str, JudgeConfig], panel: Panel
) -> Trace:
    """Label a trace by rule and by the judges; the first judge's verdicts are the labels."""
    known = {problem.uid: problem for problem in problems}
    pairs = open_pairs(trace, known) if judges else set()
    verdicts = {name: judge_pairs(panel, name, judge, pairs, known) for name, judge in judges.items()}
    first = next(iter(judges), None)
    return labelled(trace, Labeller(known, first, verdicts[first] if first else {}), verdicts)


def cell_models(
    pool: PoolConfig, protocol: ProtocolConfig, judges: Mapping[str, JudgeConfig]
) -> dict[str, ModelConfig]:
    """Every model of a cell by its name in the panel."""
    return members(pool, protocol) | {name: judge.model for name, judge in judges.items()}


def replay_cell(
    problems: Sequence[Problem],
    pool: PoolConfig,
    protocol: ProtocolConfig,
    baselines: BaselinesConfig,
    judges: Mapping[str, JudgeConfig],
    meta: TraceMeta,
    journal: Path,
) -> Trace:
    """The labelled trace of a cell from the journal alone; no model is opened to answer.

    Raises
    ------
    InputError : a request that the journal does not hold
    """
    models = {name: replayed(m, journal) for name, m in cell_models(pool, protocol, judges).items()}
    with open_panel(models, journal, "replay", quiet=True) as panel:
        return label_cell(run_cell(problems, pool, protocol, baselines, panel, meta), problems, judges, panel)


def problem_shard(problems: Sequence[Problem], shard: int, n_shards: int) -> list[Problem]:
    """Part `shard` (counted from 1) of `n_shards`; every n-th problem, so that tiers spread evenly."""
    return list(problems[shard - 1 :: n_shards])
