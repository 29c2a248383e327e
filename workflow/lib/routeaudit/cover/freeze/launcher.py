"""The clean process that forks the confined ones.

It starts fresh, so that its children inherit nothing but public text and the work order, and imports and
measures public text once for all of them. Its numerical libraries run one thread: forking is safe.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence, Set
from pathlib import Path

from routeaudit.cover.encoder import open_encoder
from routeaudit.cover.freeze.child import run_unit
from routeaudit.cover.freeze.unit import PUBLIC_ROLES, Job, Unit
from routeaudit.cover.freeze.wire import broker_handle
from routeaudit.cover.routers.sets import set_features
from routeaudit.cover.routers.text import Corpus
from routeaudit.cover.routers.view import read_view

# Routers of these kinds measure every team, and those of the others the cards, so that measuring once pays.
_OF_TEAMS = frozenset(("direct_set", "learned_value", "leave_one_out", "unified_cover", "no_partition"))
_OF_TEXT = _OF_TEAMS | {"calibrated_graph", "card_retriever"}


def main() -> None:
    """Run every unit of the job on standard input in its own child."""
    job = Job.from_json(json.load(sys.stdin))
    corpus = _public_text(job)
    readers = [unit for unit in job.units if unit.definition.kind in _OF_TEXT]
    # The others run beside the measuring that only readers need.
    running = _fork_each([unit for unit in job.units if unit not in readers], 0, job, corpus)
    _measure(corpus, {unit.dense for unit in readers if unit.definition.kind in _OF_TEAMS})
    for _ in range(_fork_each(readers, running, job, corpus)):
        os.wait()


def _fork_each(units: Sequence[Unit], running: int, job: Job, corpus: Corpus) -> int:
    """Start every unit, never more at a time than the job allows; how many run at the end."""
    for unit in units:
        if running >= job.processes:
            os.wait()
            running -= 1
        _fork(unit, job, corpus)
        running += 1
    return running


def _public_text(job: Job) -> Corpus:
    """The public tables as every router sees them."""
    tables = job.units[0].tables
    views = tuple(read_view(*(Path(tables[role]) for role in PUBLIC_ROLES)).values())
    return Corpus(views, open_encoder() if any(unit.dense for unit in job.units) else None)


def _measure(corpus: Corpus, kinds: Set[bool]) -> None:
    """Measure beforehand what several fits will need."""
    for task in corpus.tasks:
        for dense in sorted(kinds):
            set_features(corpus, task, dense)


def _fork(unit: Unit, job: Job, corpus: Corpus) -> None:
    if os.fork():
        return
    try:
        _close_inherited(keep_broker=unit.broker)
        run_unit(unit, corpus, job.mechanism, job.probes)
    finally:
        os._exit(0)


def _close_inherited(*, keep_broker: bool) -> None:
    """An open file outlives confinement, so none but the standard streams and a declared broker stays."""
    broker, highest = broker_handle() if keep_broker else None, os.sysconf("SC_OPEN_MAX")
    if broker is None:
        os.closerange(3, highest)
    else:
        os.closerange(3, broker)
        os.closerange(broker + 1, highest)
