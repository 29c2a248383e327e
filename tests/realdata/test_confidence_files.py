"""Importers and problem readers on real files: counts and accuracies are the sources' own."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from places import real_data
from routeaudit.config.problems import FileProblems, TierRule
from routeaudit.deliberation.calibration.auroc import auroc
from routeaudit.deliberation.dataset import build_dataset
from routeaudit.deliberation.equivalence.rules import matches_reference, rule_verdict
from routeaudit.deliberation.importers.confidence_tables import import_gi, import_kks_table, import_lifeeval
from routeaudit.deliberation.importers.kks_debates import import_kks_debates
from routeaudit.deliberation.problems.load import load_problems

pytestmark = pytest.mark.realdata

# The check table of the data folder: blocks, candidates, accuracy, AUROC.
LIFEEVAL = {"boolq_valid": (3270, 34882, 0.798, 0.630), "lsat_ar_test": (230, 2292, 0.531, 0.636)}


@pytest.mark.parametrize("question_set", sorted(LIFEEVAL))
def test_lifeeval_has_its_blocks_candidates_accuracy_and_auroc(question_set: str) -> None:
    table = real_data("lifeeval_confidence") / "llm-confidence-correct.csv"
    found = build_dataset(import_lifeeval(table, question_set).trace).candidates()
    blocks, candidates, accuracy, area = LIFEEVAL[question_set]
    assert len(found.correct) == candidates
    assert found.n_clusters == blocks
    assert round(float(found.correct.mean()), 3) == accuracy
    assert round(auroc(found.score, found.correct), 3) == area


def test_gi_reproduces_a_published_model_and_lists_missing_confidences() -> None:
    made = import_gi(real_data("gi_selfconfidence") / "merged_confidence_correctness_new.csv")
    data = build_dataset(made.trace)
    found = data.candidates()
    assert (made.counts["blocks"], len(data.agents), len(found.correct)) == (300, 48, 12474)
    assert len(made.listed) == made.counts["unparsed"] == 14400 - 12474
    polls = made.trace.polls.to_pandas()
    mine = polls[(polls["agent"] == "gpt-4o-2024-05-13") & polls["score_raw"].notna()]
    right = mine["correct"].astype(float).to_numpy()
    assert len(mine) == 277
    assert np.mean((mine["score_raw"].to_numpy() / 10 - right) ** 2) == pytest.approx(
        0.2057761732851985, abs=1e-12
    )
    assert auroc(mine["score_raw"].to_numpy(), right.astype(bool)) == pytest.approx(
        0.6040650406504064, abs=1e-12
    )


def test_kks_keeps_unparsed_rows_and_the_stray_confidence_out_of_calibration() -> None:
    made = import_kks_table(real_data("controlmad_kks") / "baseline_13x100.csv")
    reasons = Counter(row.reason for row in made.listed)
    assert reasons == {"did not parse": 66, "score -100100 outside 0 to 100": 1, "no roles assigned": 8}
    assert made.counts == {"polls": 1300, "blocks": 100, "parsed": 1234, "unparsed": 66}
    data = build_dataset(made.trace)
    found = data.candidates()
    assert (data.counted.unparsed, data.counted.out_of_range, len(found.correct)) == (66, 1, 1233)
    assert found.score.min() >= 0


def test_kks_accuracies_by_model_are_the_tables_own() -> None:
    path = real_data("controlmad_kks") / "baseline_13x100.csv"
    polls = import_kks_table(path).trace.polls.to_pandas()
    mine = polls[polls["correct"].notna()].groupby("agent")["correct"].agg(lambda x: x.astype(float).mean())
    source = pd.read_csv(path)
    pd.testing.assert_series_equal(
        mine, source[source["parsed"]].groupby("model")["all_correct"].mean(), check_names=False
    )


def test_kks_debates_agree_with_the_accuracies_stored_in_each_file() -> None:
    files = sorted((real_data("controlmad_kks") / "debates").glob("*.json"))
    made = import_kks_debates(files)
    assert made.counts == {"debates": 9, "blocks": 52, "polls": 156}
    assert Counter(row.reason for row in made.listed) == {"no confidence": 36}
    assert made.trace.speaks is None
    assert "speaks" in made.trace.meta.lacks
    outcomes = made.trace.outcomes.to_pandas().set_index("trace")["passed"]
    assert outcomes.sum() == 2
    assert outcomes["debate_1_3266ae6c"]


COUNTS = {
    ("olympiadbench", "olympiad_math", "olympiadbench_test.jsonl"): 675,
    ("olympiadbench", "olympiad_math", "aime24_test.jsonl"): 30,
    ("olympiadbench", "olympiad_math", "amc23_test.jsonl"): 40,
    ("math500", "olympiad_math", "math500_prm800k_test.csv"): 500,
    ("labbench", "labbench", "protocolqa-v1-public.jsonl"): 108,
    ("labbench", "labbench", "cloningscenarios-v1-openanswer.jsonl"): 10,
}


@pytest.mark.parametrize(("format_", "folder", "name"), sorted(COUNTS))
def test_question_banks_have_their_counts_and_match_their_own_answers(
    format_: str, folder: str, name: str
) -> None:
    config = FileProblems(kind="file", format=format_, files=(name,), data_dir=str(real_data(folder)))  # type: ignore[arg-type]
    found = load_problems(config)
    assert len(found) == COUNTS[(format_, folder, name)]
    assert all(matches_reference(problem, problem.answer) for problem in found)
    assert all(problem.answer in problem.options for problem in found if problem.kind == "choice")


def test_options_are_shuffled_so_that_the_answer_has_no_place_of_its_own() -> None:
    config = FileProblems(
        kind="file",
        format="labbench",
        files=("protocolqa-v1-public.jsonl",),
        data_dir=str(real_data("labbench")),
    )
    places = Counter(problem.options.index(problem.answer) for problem in load_problems(config))
    assert len(places) >= 4
    assert max(places.values()) < 54


def test_math500_braces_are_undoubled_and_tiers_come_from_the_subject() -> None:
    config = FileProblems(
        kind="file",
        format="math500",
        files=("math500_prm800k_test.csv",),
        data_dir=str(real_data("olympiad_math")),
    )
    first = load_problems(config)[0]
    assert first.answer == "\\left( 3, \\frac{\\pi}{2} \\right)"
    assert first.tier == "Precalculus"
    assert rule_verdict(first, first.answer, "(3,\\pi/2)") is True


def test_tiers_by_question_length_use_nothing_else() -> None:
    rule = TierRule(rule="question_length", cuts=(100, 300))
    config = FileProblems(
        kind="file",
        format="olympiadbench",
        files=("amc23_test.jsonl",),
        data_dir=str(real_data("olympiad_math")),
        tiers=rule,
        limit=10,
    )
    found = load_problems(config)
    assert len(found) == 10
    assert {problem.tier for problem in found} <= {"01", "02", "03"}
    assert all((problem.tier == "01") == (len(problem.question) < 100) for problem in found)
