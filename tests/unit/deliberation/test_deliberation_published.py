"""Values that other authors published, from their own files (skipped where the files are absent)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from places import real_data
from routeaudit.deliberation.assemble import blocks_from_table
from routeaudit.deliberation.blocks import Blocks
from routeaudit.deliberation.calibration.auroc import auroc
from routeaudit.deliberation.calibration.reliability import (
    bin_at_edges,
    bin_index,
    brier_measure,
    ece_measure,
)
from routeaudit.deliberation.routing.counterfactuals import fixed_rules, success_measures
from routeaudit.deliberation.routing.metrics import routing_measures, routing_sums

pytestmark = pytest.mark.realdata

QUESTION_SETS = {
    "boolq_valid": "BoolQ",
    "lsat_ar_test": "LSAT",
    "sat_en": "SAT",
    "sciq_test": "SciQ",
    "halu_eval_qa": "HaluEval",
}
MODELS = {
    "Meta-Llama-3.1-70B-Instruct": "Llama-70B",
    "Meta-Llama-3.1-8B-Instruct": "Llama-8B",
    "claude-3-7-sonnet-20250219": "Claude-Sonnet-3.7",
    "claude-3-haiku-20240307": "Claude-Haiku-3",
    "claude-sonnet-4-20250514": "Claude-Sonnet-4",
    "deepseek-r1": "DeepSeek-R1",
    "deepseek-v3": "DeepSeek-V3",
    "gpt-4o": "GPT-4o",
    "o3-2025-04-16": "GPT-o3",
    "gemini-2.5-flash": "Gemini-2.5-Flash",
    "gemini-2.5-pro": "Gemini-2.5-Pro",
}
# The authors left these two questions out without saying so.
LEFT_OUT = [("lsat_ar_test", "60"), ("sciq_test", "705")]


def lifeeval() -> pd.DataFrame:
    rows = pd.read_csv(
        real_data("lifeeval_confidence") / "llm-confidence-correct.csv", dtype={"question_id": str}
    )
    return rows[~rows["question_id"].isna()]


def lifeeval_cells():
    """(cell, stated confidence, correct, published row) of the questions answered by all 11 models."""
    rows = lifeeval()
    rows = rows[~pd.MultiIndex.from_frame(rows[["qset", "question_id"]]).isin(LEFT_OUT)]
    answered = rows.groupby(["qset", "question_id"])["llm"].transform("nunique")
    published = pd.read_csv(real_data("lifeeval_confidence") / "table1-info.csv").set_index(["qset", "llm"])
    for (qset, llm), cell in rows[answered == 11].groupby(["qset", "llm"]):
        row = published.loc[(QUESTION_SETS[qset], MODELS[llm])]
        yield f"{qset} {llm}", cell["stated_confidence"].to_numpy(), cell["correct"].to_numpy(bool), row


def ece(score: np.ndarray, correct: np.ndarray, bins: np.ndarray) -> float:
    return ece_measure(score, correct, bins, 10, np.zeros(len(score), dtype=np.int64), 1).estimate


def test_all_55_lifeeval_calibration_errors_with_the_authors_edges():
    # R's seq(0, 1, by = .1) makes the edges k * 0.1, and compares them as floats.
    edges = np.arange(1, 10) * 0.1
    checked = 0
    for name, score, correct, row in lifeeval_cells():
        assert len(score) == row["num_tot"], name
        assert ece(score, correct, bin_at_edges(score, edges, "right")) == pytest.approx(
            row["ece"], abs=1e-12
        ), name
        checked += 1
    assert checked == 55


def test_our_binning_differs_in_the_two_cells_whose_scores_carry_float_noise():
    cells = lifeeval_cells()
    different = [
        name
        for name, score, correct, row in cells
        if abs(ece(score, correct, bin_index(score, 1.0, 10, "right")) - row["ece"]) > 1e-12
    ]
    assert different == ["lsat_ar_test claude-sonnet-4-20250514", "sciq_test claude-3-7-sonnet-20250219"]


def gi() -> tuple[pd.DataFrame, pd.DataFrame]:
    folder = real_data("gi_selfconfidence")
    answers = pd.read_csv(folder / "merged_confidence_correctness_new.csv")
    published = pd.read_csv(folder / "model_performance_results_new.csv").set_index("Model")
    return answers, published


def gi_model(answers: pd.DataFrame, model: str) -> tuple[np.ndarray, np.ndarray]:
    score = pd.to_numeric(answers[f"{model}_confidence"], errors="coerce")
    label = answers[f"{model}_correctness"]
    known = score.notna() & label.notna()
    return score[known].to_numpy(), label[known].to_numpy(bool)


def test_gi_auroc_and_brier_columns():
    answers, published = gi()
    aurocs = 0
    for model, row in published.iterrows():
        score, correct = gi_model(answers, model)
        brier = brier_measure(score / 10, correct, np.zeros(len(score), dtype=np.int64), 1).estimate
        assert brier == pytest.approx(row["Brier Score"], abs=1e-12), model
        if not np.isnan(row["ROC_AUC"]):
            assert auroc(score, correct) == pytest.approx(row["ROC_AUC"], abs=1e-12), model
            aurocs += 1
    # For Qwen-Qwq-32b the authors' own script gave no AUROC.
    assert (len(published), aurocs) == (45, 44)


def one_block_per_question(rows: pd.DataFrame) -> Blocks:
    """Blocks from columns question, score, valid, correct in the order the file lists the models."""
    ordered = rows.sort_values("question", kind="stable", ignore_index=True)
    table = pa.table(
        {
            "block": pa.array(pd.factorize(ordered["question"])[0]),
            "problem_uid": pa.array(ordered["question"].astype(str)),
            "score": pa.array(ordered["score"].to_numpy(float)),
            "valid": pa.array(ordered["valid"].to_numpy(bool)),
            "correct": pa.array(ordered["correct"].to_numpy(bool)),
        }
    )
    return blocks_from_table(table)[0]


def printed_row(blocks: Blocks) -> list[float]:
    """blocks, candidates, accuracy, AUROC, argmax, random, oracle, HRWP, MCR, PCCA, CTR to three decimals."""
    routing = {m.name: m.estimate for m in routing_measures(routing_sums(blocks))}
    rules = {
        m.name: m.estimate for m in success_measures(fixed_rules(blocks), blocks.cluster, blocks.n_clusters)
    }
    keep = blocks.valid
    values = [
        blocks.correct[keep].mean(),
        auroc(blocks.score[keep], blocks.correct[keep]),
        *(rules[name] for name in ("runtime_argmax", "random_valid", "oracle")),
        *(routing[name] for name in ("HRWP", "MCR", "PCCA", "CTR")),
    ]
    return [blocks.n_blocks, int(keep.sum()), *(round(float(value), 3) for value in values)]


@pytest.mark.parametrize(
    ("qset", "expected"),
    [
        ("boolq_valid", [3270, 34882, 0.798, 0.630, 0.830, 0.795, 0.950, 0.873, 0.120, 0.632, 0.141]),
        ("lsat_ar_test", [230, 2292, 0.531, 0.636, 0.396, 0.525, 0.983, 0.403, 0.587, 0.620, 0.193]),
    ],
)
def test_lifeeval_rows_of_the_independent_checks(qset, expected):
    rows = lifeeval()
    rows = rows[rows["qset"] == qset]
    frame = rows.assign(question=rows["question_id"], score=rows["stated_confidence"], valid=True)
    assert printed_row(one_block_per_question(frame)) == expected


def test_gi_row_of_the_independent_checks():
    answers, _ = gi()
    models = [name.removesuffix("_confidence") for name in answers if name.endswith("_confidence")]
    parts = []
    for model in models:
        score = pd.to_numeric(answers[f"{model}_confidence"], errors="coerce")
        label = answers[f"{model}_correctness"]
        part = pd.DataFrame({"question": answers.index, "score": score, "correct": label.fillna(0)})
        parts.append(part[score.notna() & label.notna()].assign(valid=True))
    expected = [300, 12474, 0.516, 0.528, 0.457, 0.514, 0.977, 0.468, 0.520, 0.501, 0.422]
    assert printed_row(one_block_per_question(pd.concat(parts))) == expected


def kks() -> pd.DataFrame:
    rows = pd.read_csv(real_data("controlmad_kks") / "baseline_13x100.csv")
    return pd.DataFrame(
        {
            "question": rows["game_id"],
            "score": rows["confidence"],
            "parsed": rows["parsed"],
            "correct": rows["all_correct"].fillna(0) == 1,
        }
    )


def test_kks_row_with_its_validity_checks_switched_off():
    rows = kks()
    expected = [100, 1234, 0.545, 0.666, 0.890, 0.541, 1.0, 0.890, 0.110, 0.648, 0.378]
    assert printed_row(one_block_per_question(rows.assign(valid=rows["parsed"]))) == expected


def test_kks_row_with_the_impossible_score_kept_out():
    rows = kks()
    honest = rows["parsed"] & rows["score"].between(0, 100)
    expected = [100, 1233, 0.546, 0.666, 0.890, 0.542, 1.0, 0.890, 0.110, 0.648, 0.379]
    assert printed_row(one_block_per_question(rows.assign(valid=honest))) == expected
