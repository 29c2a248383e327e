"""Evidential status follows from the ledger: what was sealed and frozen before the first held-out outcome."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from routeaudit.cover.evaluation.events import sealed_facts
from routeaudit.cover.evaluation.history import History
from routeaudit.cover.scoring.status import Status
from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.ledger import FIRST_OUTCOME, FROZEN, LOOK, SEALED, append_event, read_ledger

CONFIG: dict[str, Any] = {
    "benchmark": {"kind": "worldhop", "seed": 1},
    "split": {"seed": 1},
    "family": {"slots": [2, 2]},
    "stacks": {},
    "coverage": {"regime": "complete"},
    "endpoints": {"primary": "evidence_complete"},
    "routers": {"good": {"kind": "direct_set"}, "base": {"kind": "random"}},
    "tests": {
        "primary": {"gain": {"policy": "good", "reference": "base"}},
        "secondary": {"back": {"policy": "base", "reference": "good"}},
        "criteria": {"bar": {"policy": "good", "at_most": 0.1}},
    },
    "stats": {"alpha": 0.05},
}
HELD_OUT = "tasks-1"


class Story:
    """A ledger written event by event."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "study.jsonl"
        self.headers: dict[str, dict[str, Any]] = {}
        self.config = copy.deepcopy(CONFIG)

    def seal(self, **changes: Any) -> Story:
        self.config |= changes
        append_event(self.path, SEALED, sealed_facts(make_contract("study", self.config)))
        return self

    def freeze(self, policy: str, routes: str = "r", heldout: str = HELD_OUT, **header: str) -> Story:
        self.headers[policy] = {
            "information_set": "public",
            "mechanism": "landlock",
            "routes_digest": routes,
            **header,
        }
        append_event(self.path, FROZEN, {"policy": policy, "routes": routes, "heldout": heldout})
        return self

    def outcome(
        self, heldout: str = HELD_OUT, sources: tuple[str, ...] = ("s1",), committed: bool = True
    ) -> Story:
        contract = make_contract("study", self.config)["digest"]
        facts = {"contract": contract, "heldout": heldout}
        append_event(self.path, FIRST_OUTCOME, facts, {"sources": list(sources), "seal_committed": committed})
        append_event(self.path, LOOK, facts, {"sources": list(sources)})
        return self

    def history(self, heldout: str = HELD_OUT, sources: tuple[str, ...] = ("s1",)) -> History:
        contract = make_contract("study", self.config)
        return History(read_ledger(self.path), contract, heldout, frozenset(sources), self.headers)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(tmp_path)


def _gain(history: History) -> Status:
    return history.contrast("primary", "gain", ("good", "base")).status


def test_a_family_sealed_and_frozen_before_outcomes_is_primary(story: Story) -> None:
    history = story.seal().freeze("good").freeze("base").outcome().history()
    assert _gain(history) == Status.primary
    assert history.policy("good", "evidence_complete").status == Status.primary
    assert history.policy("good", "answer_f1").status == Status.secondary
    assert history.criterion("bar", "good").status == Status.primary


def test_a_secondary_contrast_is_secondary(story: Story) -> None:
    history = story.seal().freeze("good").freeze("base").outcome().history()
    assert history.contrast("secondary", "back", ("base", "good")).status == Status.secondary


def test_privileged_information_is_a_positive_control_never_primary(story: Story) -> None:
    history = story.seal().freeze("good", information_set="privileged").freeze("base").outcome().history()
    assert _gain(history) == Status.positive_control


def test_without_confinement_no_row_is_primary(story: Story) -> None:
    history = story.seal().freeze("good", mechanism="none").freeze("base").outcome().history()
    assert _gain(history) == Status.secondary


def test_a_router_added_after_outcomes_is_retrospective_and_spoils_no_other(story: Story) -> None:
    story.seal().freeze("good").freeze("base").outcome()
    routers = CONFIG["routers"] | {"late": {"kind": "bm25"}}
    secondary = CONFIG["tests"]["secondary"] | {"late": {"policy": "late", "reference": "base"}}
    history = (
        story.seal(routers=routers, tests=CONFIG["tests"] | {"secondary": secondary})
        .freeze("late")
        .outcome()
        .history()
    )
    assert history.contrast("secondary", "late", ("late", "base")).status == Status.retrospective
    assert _gain(history) == Status.primary


def test_a_router_changed_after_outcomes_is_retrospective(story: Story) -> None:
    story.seal().freeze("good").freeze("base").outcome()
    changed = CONFIG["routers"] | {"good": {"kind": "direct_set", "seed": 2}}
    assert (
        _gain(story.seal(routers=changed).freeze("good", routes="other").outcome().history())
        == Status.retrospective
    )


def test_a_holm_family_changed_after_outcomes_is_retrospective(story: Story) -> None:
    story.seal().freeze("good").freeze("base").outcome()
    primary = CONFIG["tests"]["primary"] | {"more": {"policy": "base", "reference": "good"}}
    history = story.seal(tests=CONFIG["tests"] | {"primary": primary}).history()
    assert history.contrast("primary", "more", ("base", "good")).status == Status.retrospective
    assert _gain(history) == Status.retrospective


def test_statistics_changed_after_outcomes_are_retrospective(story: Story) -> None:
    story.seal().freeze("good").freeze("base").outcome()
    assert _gain(story.seal(stats={"alpha": 0.1}).history()) == Status.retrospective


def test_a_stack_changed_after_outcomes_is_retrospective(story: Story) -> None:
    story.seal().freeze("good").freeze("base").outcome()
    assert _gain(story.seal(stacks={"new": {}}).outcome().history()) == Status.retrospective


def test_repeating_the_sealed_study_keeps_its_status(story: Story) -> None:
    story.seal().freeze("good").freeze("base").outcome()
    assert _gain(story.seal().freeze("good").freeze("base").outcome().history()) == Status.primary


def test_a_later_study_on_new_sources_is_late_prospective(story: Story) -> None:
    story.seal().freeze("good").freeze("base").outcome()
    later = story.seal(benchmark={"kind": "worldhop", "seed": 2})
    later.freeze("good", heldout="tasks-2").freeze("base", heldout="tasks-2").outcome("tasks-2", ("s2",))
    status = later.history("tasks-2", ("s2",)).contrast("primary", "gain", ("good", "base"))
    assert status.status == Status.secondary
    assert status.late_prospective


def test_a_later_study_that_shares_a_source_is_retrospective(story: Story) -> None:
    story.seal().freeze("good").freeze("base").outcome()
    later = story.seal(benchmark={"kind": "worldhop", "seed": 2})
    later.freeze("good", heldout="tasks-2").freeze("base", heldout="tasks-2").outcome("tasks-2", ("s1", "s2"))
    assert _gain(later.history("tasks-2", ("s1", "s2"))) == Status.retrospective


def test_an_uncommitted_seal_is_frozen_within_this_run(story: Story) -> None:
    history = story.seal().freeze("good").freeze("base").outcome(committed=False).history()
    status = history.contrast("primary", "gain", ("good", "base"))
    assert status.status == Status.primary
    assert "frozen within this run" in str(status)
