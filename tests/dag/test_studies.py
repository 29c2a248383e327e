"""The studies of config/study as a user runs them: reports, records, statuses, campaigns."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from places import real_data
from project_copy import Project
from routeaudit.tables import read_table
from routeaudit.tables.artifacts import OUTCOMES
from routeaudit.tables.results import CONTRASTS, SCORES
from routeaudit.tables.schema import TableSchema

# Whole studies, several times over, on a machine that may be busy.
pytestmark = [pytest.mark.dag, pytest.mark.timeout(1200)]


def real(test: Callable[..., None]) -> Callable[..., None]:
    """A test on all real files: minutes, and only where they are."""
    for mark in (pytest.mark.realdata, pytest.mark.slow, pytest.mark.timeout(1800)):
        test = mark(test)
    return test


OFFLINE = (
    "musique12",
    "musique12_privileged",
    "hotpotqa4",
    "toolsandbox16_offline",
    "sampled_family",
    "routerbench",
    "routellm_gsm8k",
    "lifeeval_sat",
    "offline_world",
)
WORLD = "offline_world"
GAIN = "unified_cover_beats_calibrated_graph"
LATE = (
    'overrides=["+routers.late={kind: random, seed: 9}",'
    ' "+tests.secondary.late={policy: late, reference: random}"]'
)


def _rows(project: Project, folder: str, schema: TableSchema) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = read_table(
        project.folder / "results" / folder / f"{schema.name}.parquet", schema
    ).to_pylist()
    return rows


def _statuses(project: Project, folder: str) -> dict[str, object]:
    """Contrast -> status, on the primary endpoint, without the descriptive pairs."""
    return {
        str(row["contrast"]): row["status"]
        for row in _rows(project, folder, CONTRASTS)
        if row["family"] != "pairwise"
    }


def _all_data() -> str:
    """The setting that names the folder of all real data files."""
    return f"data_dir={real_data('multihop_migres').parent}"


def _verify(project: Project) -> str:
    program = "import sys; from routeaudit.cli.main import main; sys.exit(main(sys.argv[1:]))"
    done = project.python("-c", program, "verify", "results", check=False)
    return done.stdout + done.stderr


@dataclass(frozen=True)
class Seen:
    """What the offline world's study and its campaign said at one moment."""

    study: dict[str, object]
    campaign: dict[str, object]
    verified: str


def _look(world: Project) -> Seen:
    assert (world.folder / "results" / "campaign_world" / "report.html").exists()
    return Seen(_statuses(world, WORLD), _statuses(world, "campaign_world"), _verify(world))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that declares the offline world in a campaign. The three fixtures below are its history."""
    project = Project(tmp_path_factory.mktemp("world"))
    _declare_campaign(project, alpha=0.05)
    return project


@pytest.fixture(scope="module")
def sealed(world: Project) -> Seen:
    """Run once, as part of the campaign."""
    world.snakemake("--config", "studies=[]", "campaigns=world")
    return _look(world)


@pytest.fixture(scope="module")
def late(world: Project, sealed: Seen) -> tuple[dict[str, object], dict[str, object]]:
    """Then with one router more; and the same once more after the results were deleted."""
    world.snakemake("--config", f"studies={WORLD}", LATE)
    first = _statuses(world, WORLD)
    shutil.rmtree(world.folder / "results")
    world.snakemake("--config", f"studies={WORLD}", LATE)
    return first, _statuses(world, WORLD)


@pytest.fixture(scope="module")
def changed(world: Project, late: object) -> Seen:
    """Then with another level of the campaign."""
    _declare_campaign(world, alpha=0.1)
    world.snakemake("--config", "studies=[]", "campaigns=world")
    return _look(world)


def _declare_campaign(project: Project, alpha: float) -> None:
    tests = {"gain": {"study": WORLD, "contrast": GAIN}}
    path = project.folder / "config" / "campaign" / "world.yaml"
    path.write_text(yaml.safe_dump({"studies": [WORLD], "tests": tests, "alpha": alpha}))


def test_a_campaign_sealed_before_outcomes_keeps_the_studys_status(sealed: Seen) -> None:
    assert sealed.study[GAIN] == "primary"
    assert sealed.campaign == {f"{WORLD}: {GAIN}": "primary"}
    assert sealed.verified.startswith("OK")


def test_a_router_added_after_outcomes_is_retrospective(late: tuple[dict[str, object], ...]) -> None:
    statuses, _ = late
    assert (statuses["late"], statuses[GAIN]) == ("retrospective", "primary")


def test_it_is_still_so_after_results_are_deleted_and_run_again(late: tuple[dict[str, object], ...]) -> None:
    _, statuses = late
    assert (statuses["late"], statuses[GAIN]) == ("retrospective", "primary")


def test_a_campaign_changed_after_outcomes_is_retrospective(changed: Seen) -> None:
    assert changed.study[GAIN] == "primary"
    assert changed.campaign == {f"{WORLD}: {GAIN}": "retrospective"}


@pytest.mark.realdata
def test_real_questions_on_the_real_model_give_exact_regret_in_every_team(tmp_path: Path) -> None:
    """The executed HotpotQA study cut to three held-out tasks; the whole one takes ten minutes."""
    project = Project(tmp_path)
    project.snakemake(
        *("--config", "studies=hotpotqa4_executed", _all_data()),
        'overrides=["split.n_train=2", "split.n_heldout=3"]',
    )
    path = project.folder / "results" / "hotpotqa4_executed" / "heldout" / "outcomes.parquet"
    cells = [row for row in read_table(path, OUTCOMES).to_pylist() if row["endpoint"] == "answer_f1"]
    assert len({(row["task_id"], row["team_id"]) for row in cells}) == len(cells) == 12
    assert all(row["status"] in ("ok", "invalid") for row in cells)
    assert any(row["status"] == "ok" for row in cells)
    regrets = [row for row in _rows(project, "hotpotqa4_executed", SCORES) if row["metric"] == "regret"]
    assert regrets
    assert all(row["estimate"] is not None and row["estimate"] >= 0 for row in regrets)
    assert _verify(project).startswith("OK")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """All offline studies, complete."""
    project = Project(tmp_path_factory.mktemp("studies"))
    project.snakemake("--config", f"studies={','.join(OFFLINE)}", _all_data())
    return project


@real
def test_each_ends_with_a_report_and_every_record_holds(finished: Project) -> None:
    for study in OFFLINE:
        assert (finished.folder / "results" / study / "report.html").stat().st_size > 10_000
    assert _verify(finished).startswith("OK")


@real
def test_privileged_rows_are_positive_controls_and_public_ones_primary(finished: Project) -> None:
    assert _statuses(finished, "musique12_privileged")[GAIN] == "positive_control"
    assert _statuses(finished, "musique12")[GAIN] == "primary"
    assert _statuses(finished, "hotpotqa4")["direct_set_beats_leave_one_out"] == "primary"


@real
def test_attackers_that_read_no_word_are_never_a_policy(finished: Project) -> None:
    for study in ("musique12", "hotpotqa4", "sampled_family"):
        roles = {row["subject"]: row["role"] for row in _rows(finished, study, SCORES)}
        attackers = {name for name, role in roles.items() if role == "shortcut"}
        assert attackers == {f"shortcut_{cue}" for cue in ("ids", "order", "lengths", "card_sizes")}


@real
@pytest.mark.parametrize(("study", "chance"), [("musique12", 11 / 12), ("hotpotqa4", 3 / 4)])
def test_attackers_that_read_no_word_score_like_chance(finished: Project, study: str, chance: float) -> None:
    rows = [r for r in _rows(finished, study, SCORES) if r["endpoint"] == "evidence_complete"]
    found = [r for r in rows if r["role"] == "shortcut" and r["metric"] == "regret"]
    assert len(found) == 4
    assert all(r["lower"] <= chance <= r["upper"] for r in found)


@real
def test_three_models_answer_the_sat_as_well_as_the_oracle(finished: Project) -> None:
    """Data's own check: 173 questions, 165 coalitions, oracle .9884."""
    (oracle,) = [r for r in _rows(finished, "lifeeval_sat", SCORES) if r["metric"] == "oracle_value"]
    assert (oracle["numerator"], oracle["denominator"]) == (171.0, 173)


@real
def test_regret_of_a_family_too_large_to_cover_is_bounded(finished: Project) -> None:
    regrets = [
        row
        for row in _rows(finished, "sampled_family", SCORES)
        if row["metric"] == "regret" and row["endpoint"] == "evidence_complete"
    ]
    assert regrets
    assert all(row["estimate"] is None and row["bound_lower"] <= row["bound_upper"] for row in regrets)
