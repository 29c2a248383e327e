"""The studies that come with the project compose, and overrides reach any key that the models know."""

from __future__ import annotations

import pytest

from composition import compose_deliberation
from places import ROOT
from routeaudit.config.deliberation import DeliberationStudy, ProtocolConfig
from routeaudit.errors import InputError

CONFIG = ROOT / "config"


def test_the_papers_grid_keeps_every_audited_protocol_setting() -> None:
    study = DeliberationStudy.model_validate(compose_deliberation(CONFIG, "paper_grid", ()))
    assert study.protocol == ProtocolConfig()
    assert {pool.size for pool in study.actors.values()} == {3}
    assert {pool.temperature for pool in study.actors.values()} == {0.0}
    assert len(study.actors) * len(study.benchmarks) == 4
    assert next(iter(study.judges)) == "gpt_oss"


def test_an_override_reaches_a_key_that_the_study_file_leaves_to_its_default() -> None:
    changed = compose_deliberation(CONFIG, "paper_grid", ("protocol.routing.rule=round_robin",))
    assert changed["protocol"]["routing"]["rule"] == "round_robin"


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("protocol.colour=red", "protocol.colour"),
        ("protocol.memory.recent_window=many", "protocol.memory.recent_window"),
        ("protocol.routing.rule=learned", "weights belong to the rule learned"),
        ("protocol.poll.confidence=answer_tokens", "fields contain score unless"),
    ],
)
def test_a_wrong_override_is_named(override: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        compose_deliberation(CONFIG, "paper_grid", (override,))
