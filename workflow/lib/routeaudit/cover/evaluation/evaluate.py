"""Score a study's held-out outcomes and test what was declared: the result tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.config.inference import CoverageConfig, EndpointsConfig, StatsConfig, TestsConfig
from routeaudit.cover.evaluation.crossed import CROSSED_STACK, Models, crossed_rows, crossing
from routeaudit.cover.evaluation.history import History
from routeaudit.cover.evaluation.rows import (
    Row,
    contrast_columns,
    criterion_columns,
    estimate_columns,
    regret_rows,
)
from routeaudit.cover.scoring.cells import build_cells
from routeaudit.cover.scoring.contrasts import Contrast, ContrastResult, Scored
from routeaudit.cover.scoring.contrasts import evaluate_contrasts as contrast_results
from routeaudit.cover.scoring.criteria import Criterion, judge
from routeaudit.cover.scoring.routes import locate_routes
from routeaudit.cover.scoring.sampled import SampledFamily, draw_sample
from routeaudit.cover.scoring.scores import comparison_set, score
from routeaudit.cover.scoring.status import EvidentialStatus, Status
from routeaudit.inference.plan import InferencePlan
from routeaudit.inference.results import Estimate
from routeaudit.tables import results as tables

_BEST_OF = {
    "complete": tables.BEST_OF_FAMILY,
    "route_union": tables.BEST_OF_UNION,
    "sampled": tables.BEST_OF_SAMPLE,
}
_NO_CLAIM = EvidentialStatus(Status.descriptive, ("no_claim",))


@dataclass(frozen=True, eq=False)
class Tables:
    """A study's held-out material.

    Parameters
    ----------
    index : INDEX_TASKS rows of the held-out tasks
    family : FAMILY rows of the same tasks
    outcomes : OUTCOMES
    routes : policy -> task_id -> team_id
    kinds : policy -> kind of router, to tell shortcut attackers from policies
    """

    index: pa.Table
    family: pa.Table
    outcomes: pa.Table
    routes: Mapping[str, Mapping[str, str]]
    kinds: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class _Panel:
    """One endpoint under one stack."""

    endpoint: str
    stack: str
    scored: Scored
    sample: SampledFamily | None

    @property
    def key(self) -> str:
        return f"{self.endpoint}@{self.stack}"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything that scoring and inference of one study need."""

    tables: Tables
    coverage: CoverageConfig
    endpoints: EndpointsConfig

    def panels(self) -> Iterator[_Panel]:
        """Each graded endpoint under each stack."""
        clusters = dict(
            zip(*(self.tables.index[c].to_pylist() for c in ("task_id", "cluster_id")), strict=True)
        )
        for stack in sorted(pc.unique(self.tables.outcomes["stack"]).to_pylist()):
            outcomes = self.tables.outcomes.filter(pc.equal(self.tables.outcomes["stack"], stack))
            for endpoint in self.endpoints.all:
                cells = build_cells(self.tables.family, outcomes, endpoint, clusters)
                sample = None
                if self.coverage.regime == "sampled":
                    sample = draw_sample(cells, self.coverage.sampled_teams, self.coverage.seed)
                yield _Panel(endpoint, stack, Scored(cells, locate_routes(cells, self.tables.routes)), sample)

    def regret(self) -> pa.Table:
        """REGRET: each policy's value and regret, task by task; no randomness, no interval."""
        identity = self._identity()
        rows: list[Row] = []
        for panel in self.panels():
            within = comparison_set(
                panel.scored.cells, panel.scored.routes, self.coverage.regime, panel.sample
            )
            for policy in panel.scored.routes.policies:
                found = regret_rows(panel.scored, policy, within, _BEST_OF[self.coverage.regime], identity)
                rows += [row | {"endpoint": panel.endpoint, "stack": panel.stack} for row in found]
        return tables.REGRET.from_rows(rows)

    def scores(self, plan: InferencePlan, history: History) -> pa.Table:
        """SCORES: every policy's levels and the references, with intervals and status."""
        rows: list[Row] = []
        for panel in self.panels():
            estimates = score(
                panel.scored.cells, panel.scored.routes, self.coverage.regime, plan, panel.sample
            )
            rows += [self._score_row(panel, estimate, history) for estimate in estimates]
        return tables.SCORES.from_rows(rows)

    def contrasts(
        self, plan: InferencePlan, tests: TestsConfig, history: History, stacks: Mapping[str, Any]
    ) -> pa.Table:
        """CONTRASTS: the Holm family, the secondary rows, and every pair of policies as description.

        `stacks` is the section of that name; where four of them cross two worker and two finalizer models,
        the primary contrasts' main effects and interactions are added, unadjusted.
        """
        panels = {panel.key: panel for panel in self.panels()}
        rows: list[Row] = []
        for family, declared, status in self._families(panels, tests, history):
            results = contrast_results({key: panel.scored for key, panel in panels.items()}, declared, plan)
            rows += [
                self._contrast_row(family, result, panels[result.contrast.endpoint], status, plan)
                for result in results
            ]
        rows += self._interactions(panels, tests, history, plan, crossing(stacks))
        return tables.CONTRASTS.from_rows(rows)

    def _interactions(
        self,
        panels: Mapping[str, _Panel],
        tests: TestsConfig,
        history: History,
        plan: InferencePlan,
        models: Mapping[str, Models],
    ) -> list[Row]:
        """Effects of a crossed design for every primary contrast; none without one."""
        rows: list[Row] = []
        for name, c in tests.primary.items() if models else ():
            endpoint = c.endpoint or self.endpoints.primary
            scored = {panel.stack: panel.scored for panel in panels.values() if panel.endpoint == endpoint}
            status = history.effect(name, (c.policy, c.reference))
            contrast = Contrast(id=name, policy=c.policy, reference=c.reference, endpoint=endpoint)
            place = {"endpoint": endpoint, "stack": CROSSED_STACK}
            rows += [
                {"family": tables.FAMILY_SECONDARY, "contrast": name, **place, **row}
                for row in crossed_rows(scored, models, contrast, plan, status)
            ]
        return rows

    def criteria(self, plan: InferencePlan, tests: TestsConfig, history: History) -> pa.Table:
        """CRITERIA: each declared bar, by the point rule and by confidence bound."""
        rows: list[Row] = []
        for panel in self.panels():
            for identifier, bar in tests.criteria.items():
                if (bar.endpoint or self.endpoints.primary) != panel.endpoint:
                    continue
                criterion = Criterion(
                    id=identifier,
                    policy=bar.policy,
                    endpoint=panel.endpoint,
                    threshold=bar.at_most,
                    regime=self.coverage.regime,
                )
                result = judge(criterion, panel.scored.cells, panel.scored.routes, plan, panel.sample)
                status = history.criterion(identifier, bar.policy)
                rows.append(_place(panel) | criterion_columns(result, status))
        return tables.CRITERIA.from_rows(rows)

    def _identity(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {
            row["task_id"]: {"cluster_id": row["cluster_id"], "costs": {}}
            for row in self.tables.index.to_pylist()
        }
        for row in self.tables.family.to_pylist():
            found[row["task_id"]]["costs"][row["team_id"]] = row["cost"]
        return found

    def _score_row(self, panel: _Panel, estimate: Estimate, history: History) -> Row:
        policy = estimate.subject in self.tables.routes
        status = history.policy(estimate.subject, panel.endpoint) if policy else _NO_CLAIM
        return {
            **_place(panel),
            "subject": estimate.subject,
            "role": self._role(estimate.subject),
            "metric": estimate.metric,
            **estimate_columns(estimate, status),
        }

    def _role(self, subject: str) -> str:
        if subject in self.tables.routes:
            shortcut = self.tables.kinds[subject] == "shortcut"
            return tables.ROLE_SHORTCUT if shortcut else tables.ROLE_POLICY
        return tables.ROLE_STUDY if subject == "family" else tables.ROLE_REFERENCE

    def _families(
        self, panels: Mapping[str, _Panel], tests: TestsConfig, history: History
    ) -> Iterator[tuple[str, list[Contrast], Callable[[Contrast], EvidentialStatus]]]:
        for family, declared in (
            (tables.FAMILY_PRIMARY, tests.primary),
            (tables.FAMILY_SECONDARY, tests.secondary),
        ):
            primary = family == tables.FAMILY_PRIMARY
            contrasts = [
                Contrast(
                    id=f"{name}", policy=c.policy, reference=c.reference, endpoint=key, in_family=primary
                )
                for name, c in declared.items()
                for key in self._keys(panels, c.endpoint)
            ]
            yield family, contrasts, self._status_of(history, family)
        yield tables.FAMILY_PAIRWISE, self._pairs(panels), lambda _: _NO_CLAIM

    @staticmethod
    def _status_of(history: History, family: str) -> Callable[[Contrast], EvidentialStatus]:
        return lambda c: history.contrast(family, _name(c), (c.policy, c.reference))

    def _keys(self, panels: Mapping[str, _Panel], endpoint: str | None) -> list[str]:
        wanted = endpoint or self.endpoints.primary
        return [key for key, panel in panels.items() if panel.endpoint == wanted]

    def _pairs(self, panels: Mapping[str, _Panel]) -> list[Contrast]:
        return [
            Contrast(id=_identifier(f"{one}_vs_{other}", key), policy=one, reference=other, endpoint=key)
            for key in self._keys(panels, None)
            for one, other in combinations(self.tables.routes, 2)
        ]

    @staticmethod
    def _contrast_row(
        family: str,
        result: ContrastResult,
        panel: _Panel,
        status: Callable[[Contrast], EvidentialStatus],
        plan: InferencePlan,
    ) -> Row:
        columns = contrast_columns(result, panel.scored, status(result.contrast), plan.alpha)
        return {"family": family, "contrast": _name(result.contrast), **_place(panel), **columns}


def _identifier(name: str, key: str) -> str:
    """The engine wants an id of its own for each stack in which a contrast is tested."""
    return f"{name}@{key}"


def _name(contrast: Contrast) -> str:
    return contrast.id.split("@")[0]


def _place(panel: _Panel) -> Row:
    return {"endpoint": panel.endpoint, "stack": panel.stack}


def inference_plan(stats: StatsConfig, contract_digest: str) -> InferencePlan:
    """The plan of a study; its random stream is keyed by the seed and by the contract."""
    return InferencePlan(
        level=1 - stats.alpha,
        resamples=stats.n_boot,
        seed=stats.seed,
        digest=contract_digest,
        engine=stats.engine,
        tail=stats.p_tail,
    )
