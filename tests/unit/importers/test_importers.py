"""Importers on small made logs: what is recorded, what is listed, what the source is said to lack."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from routeaudit.deliberation.dataset import build_dataset
from routeaudit.deliberation.gaps import find_gaps
from routeaudit.deliberation.importers.base import Imported
from routeaudit.deliberation.importers.inspect_logs import InspectReading, import_inspect
from routeaudit.deliberation.importers.kks_debates import import_kks_debates
from routeaudit.deliberation.importers.message_logs import import_autogen, import_langgraph
from routeaudit.deliberation.importers.plain import import_plain
from routeaudit.deliberation.importers.transcripts import Reading
from routeaudit.deliberation.problems.base import Problem
from routeaudit.errors import InputError

READING = Reading(scale=100)
PROBLEMS = {"capital": Problem("capital", "q", "short", "Paris", tier="02")}


def rows(made: Imported, table: str) -> list[dict[str, Any]]:
    return list(made.trace.tables()[table].to_pylist())


def refused(made: Imported) -> set[str]:
    """Stages whose metrics the audit refuses."""
    return {gap.stage for gap in find_gaps(made.trace, build_dataset(made.trace), True, True, None)}


def test_plain_csv_with_a_column_map(tmp_path: Path) -> None:
    path = tmp_path / "polls.csv"
    path.write_text("q,model,conf,ok,said\n1,x,80,1,Rome\n1,y,,0,Oslo\n2,x,70,0,A\n2,y,20,1,B\n")
    columns = {"problem_uid": "q", "agent": "model", "score": "conf", "correct": "ok", "answer": "said"}
    made = import_plain(path, 100, columns)
    assert made.counts == {"polls": 4, "blocks": 2}
    assert [(row.where, row.reason) for row in made.listed] == [("1 0.0 y", "did not parse")]
    assert set(made.trace.meta.lacks) == {"selections", "speaks", "outcomes"}
    data = build_dataset(made.trace)
    assert (data.counted.unparsed, int(data.blocks.valid.sum())) == (1, 3)
    assert {"speaks", "selections", "outcomes"} <= refused(made)


def test_plain_jsonl_with_turns_selection_and_speech(tmp_path: Path) -> None:
    path = tmp_path / "polls.jsonl"
    said = [
        {
            "trace": "t",
            "problem_uid": "p",
            "round": 0,
            "turn": 0,
            "agent": "a",
            "score": 90,
            "answer": "Rome",
        },
        {
            "trace": "t",
            "problem_uid": "p",
            "round": 0,
            "turn": 0,
            "agent": "b",
            "score": 10,
            "answer": "Oslo",
        },
    ]
    said[0] |= {
        "correct": False,
        "selected": True,
        "spoken": "Paris",
        "spoken_correct": True,
        "speech": "It is.",
    }
    said[1] |= {"correct": False}
    path.write_text("\n".join(map(json.dumps, said)))
    made = import_plain(path, 100)
    (speech,) = rows(made, "speaks")
    assert (speech["agent"], speech["divergent"], speech["spoken_correct"]) == ("a", True, True)
    assert [row["agent"] for row in rows(made, "selections")] == ["a"]
    assert set(made.trace.meta.lacks) == {"outcomes"}


@pytest.mark.parametrize(
    ("text", "columns", "told"),
    [
        ("agent,score\na,1\n", {}, "problem_uid"),
        ("problem_uid,agent,score\np,a,high\n", {}, "a number or nothing"),
        ("problem_uid,agent,score\np,a,nan\n", {"colour": "x"}, "names from"),
        ("problem_uid,agent,score,correct\np,a,1,maybe\n", {}, "recode the column"),
        ("problem_uid,agent,score\n,a,1\n", {}, "a problem_uid"),
    ],
)
def test_plain_names_what_is_wrong(tmp_path: Path, text: str, columns: dict[str, str], told: str) -> None:
    path = tmp_path / "polls.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        import_plain(path, 100, columns)


def autogen(*messages: tuple[str, str, Any]) -> str:
    kinds = {"selector": "SelectSpeakerEvent"}
    return json.dumps(
        {
            "messages": [{"source": s, "type": kinds.get(t, t), "content": c} for s, t, c in messages],
            "stop_reason": None,
        }
    )


POLL_A = ("ann", "TextMessage", '{"score": 90, "candidate_answer": "Rome"}')
POLL_B = ("bob", "TextMessage", "Answer: Paris\nConfidence: 60")
SPEECH = ("ann", "TextMessage", "After all, Answer: Paris")


def test_autogen_polls_selection_and_speech(tmp_path: Path) -> None:
    path = tmp_path / "capital.json"
    tool = ("bob", "ToolCallRequestEvent", [{"id": "1", "name": "search"}])
    path.write_text(
        autogen(
            ("user", "TextMessage", "Which?"), POLL_A, tool, POLL_B, ("selector", "selector", ["ann"]), SPEECH
        )
    )
    made = import_autogen([path], READING, PROBLEMS)
    assert [(r["agent"], r["score_raw"], r["answer"], r["correct"]) for r in rows(made, "polls")] == [
        ("ann", 90.0, "Rome", False),
        ("bob", 60.0, "Paris", True),
    ]
    (speech,) = rows(made, "speaks")
    assert (speech["agent"], speech["spoken_norm"], speech["spoken_correct"], speech["divergent"]) == (
        "ann",
        "paris",
        True,
        True,
    )
    assert [row["agent"] for row in rows(made, "selections")] == ["ann"]
    assert rows(made, "blocks")[0]["tier"] == "02"
    assert set(made.trace.meta.lacks) == {"outcomes", "incumbent"}


def test_autogen_second_poll_of_an_agent_opens_a_block_that_saw_the_first_speech(tmp_path: Path) -> None:
    path = tmp_path / "capital.json"
    path.write_text(autogen(POLL_A, POLL_B, SPEECH, POLL_A, POLL_B, SPEECH))
    made = import_autogen([path], READING, PROBLEMS)
    assert [row["public_seen"] for row in rows(made, "blocks")] == [[], ["0.0"]]
    assert [row["match_self"] for row in rows(made, "speaks")] == [False, True]


def test_a_log_of_public_messages_only_lacks_speeches_and_the_audit_refuses_commitment(
    tmp_path: Path,
) -> None:
    path = tmp_path / "capital.json"
    path.write_text(autogen(POLL_A, POLL_B, POLL_A, POLL_B))
    made = import_autogen([path], READING, {})
    assert made.trace.speaks is None
    assert {"speaks", "selections", "labels"} <= set(made.trace.meta.lacks)
    assert "speaks" in refused(made)


def test_autogen_chat_history_of_the_older_version(tmp_path: Path) -> None:
    path = tmp_path / "capital.json"
    history = [
        {"name": "ann", "role": "user", "content": POLL_A[2]},
        {"name": "bob", "role": "user", "content": POLL_B[2]},
    ]
    path.write_text(json.dumps({"chat_history": history}))
    assert import_autogen([path], READING, PROBLEMS).counts["polls"] == 2


def test_a_speech_of_somebody_unpolled_is_listed_and_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "capital.json"
    path.write_text(autogen(POLL_A, ("eve", "TextMessage", "Hello.")))
    made = import_autogen([path], READING, PROBLEMS)
    assert [row.reason for row in made.listed] == ["speaks without having been polled"]


def test_a_log_without_any_confidence_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "capital.json"
    path.write_text(autogen(SPEECH))
    with pytest.raises(InputError, match="messages that state a confidence"):
        import_autogen([path], READING, PROBLEMS)


def lc(name: str, text: str) -> dict[str, Any]:
    kwargs = {"content": [{"type": "text", "text": text}], "name": name, "type": "ai"}
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "AIMessage"],
        "kwargs": kwargs,
    }


@pytest.mark.parametrize("form", ["state", "snapshot", "lc", "updates"])
def test_langgraph_forms_give_one_trace(tmp_path: Path, form: str) -> None:
    said = [("ann", POLL_A[2]), ("bob", POLL_B[2]), ("ann", SPEECH[2])]
    plain = [
        {"type": "human", "content": "Which?"},
        *({"type": "ai", "name": n, "content": t} for n, t in said),
    ]
    texts = {
        "state": json.dumps({"messages": plain}),
        "snapshot": json.dumps({"values": {"messages": plain}, "next": []}),
        "lc": json.dumps({"messages": [lc(n, t) for n, t in said]}),
        "updates": "\n".join(json.dumps({n: {"messages": [{"type": "ai", "content": t}]}}) for n, t in said),
    }
    path = tmp_path / ("capital.jsonl" if form == "updates" else "capital.json")
    path.write_text(texts[form])
    made = import_langgraph([path], READING, PROBLEMS)
    assert [row["agent"] for row in rows(made, "polls")] == ["ann", "bob"]
    (speech,) = rows(made, "speaks")
    assert (speech["agent"], speech["divergent"], speech["spoken_correct"]) == ("ann", True, True)


def eval_log(
    path: Path, model: str, samples: list[dict[str, Any]], extra: dict[str, str] | None = None
) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "eval": {"model": model}}))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        for name, text in (extra or {}).items():
            archive.writestr(name, text)
    return path


def sample(uid: str, value: Any, said: str, **more: Any) -> dict[str, Any]:
    score = {"value": value, "answer": "x", "metadata": None}
    return {"id": uid, "epoch": 1, "scores": {"match": score}, "output": {"completion": said}, **more}


def test_inspect_logs_are_agents_and_samples_are_blocks(tmp_path: Path) -> None:
    first = eval_log(
        tmp_path / "a.eval",
        "m1",
        [
            sample("1", "C", "Confidence: 90", metadata={"tier": 3}),
            sample("2", "I", "no number", error={"message": "e"}),
        ],
    )
    second = eval_log(
        tmp_path / "b.eval", "m2", [sample("1", 0, "x", metadata={"confidence": 20, "tier": 3})]
    )
    made = import_inspect([first, second], InspectReading(scale=100))
    assert made.counts == {"logs": 2, "samples": 3, "blocks": 2}
    known = {(r["trace"], r["agent"]): (r["score_raw"], r["correct"]) for r in rows(made, "polls")}
    assert known == {("1#1", "m1"): (90.0, True), ("1#1", "m2"): (20.0, False), ("2#1", "m1"): (None, False)}
    assert {row.reason for row in made.listed} == {"did not parse", "the sample ended in an error"}
    assert set(made.trace.meta.lacks) == {"selections", "speaks", "outcomes"}


def test_two_inspect_logs_of_one_model_stay_two_agents(tmp_path: Path) -> None:
    logs = [eval_log(tmp_path / f"{n}.eval", "m", [sample("1", "C", "Confidence: 9")]) for n in ("a", "b")]
    made = import_inspect(logs, InspectReading(scale=10))
    assert [row["agent"] for row in rows(made, "polls")] == ["m", "m (b)"]


@pytest.mark.parametrize(
    "name", ["../escape.json", "/etc/x.json", "samples/../../x.json", "a\\b.json", "C:/x.json"]
)
def test_an_inspect_log_with_a_path_out_of_it_is_refused(tmp_path: Path, name: str) -> None:
    path = eval_log(tmp_path / "a.eval", "m", [sample("1", "C", "Confidence: 9")], {name: "{}"})
    with pytest.raises(InputError, match="a plain relative name"):
        import_inspect([path], InspectReading(scale=10))


def test_an_oversized_entry_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("routeaudit.deliberation.importers.inspect_logs.MAX_ENTRY_BYTES", 100)
    path = eval_log(tmp_path / "a.eval", "m", [sample("1", "C", "x" * 200)])
    with pytest.raises(InputError, match="split the log"):
        import_inspect([path], InspectReading(scale=10))


def test_what_is_no_inspect_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_text("no zip")
    with pytest.raises(InputError, match="a zip archive"):
        import_inspect([tmp_path / "a.eval"], InspectReading(scale=10))
    with zipfile.ZipFile(tmp_path / "b.eval", "w") as archive:
        archive.writestr("x.txt", "x")
    with pytest.raises(InputError, match=r"header\.json"):
        import_inspect([tmp_path / "b.eval"], InspectReading(scale=10))


def test_several_scorers_need_a_choice(tmp_path: Path) -> None:
    both = sample("1", "C", "Confidence: 9")
    both["scores"]["other"] = {"value": "I", "answer": "x"}
    path = eval_log(tmp_path / "a.eval", "m", [both])
    with pytest.raises(InputError, match="match, other"):
        import_inspect([path], InspectReading(scale=10))
    made = import_inspect([path], InspectReading(scale=10, scorer="other"))
    assert rows(made, "polls")[0]["correct"] is False


def test_a_debate_whose_stored_accuracy_differs_is_listed(tmp_path: Path) -> None:
    truth = {"Ann": "knight", "Bob": "spy"}
    said = {
        "agent_name": "m",
        "phase": "initial",
        "player_role_assignments": truth,
        "confidence": 4.0,
        "error": "",
    }
    debate = {
        "game_text": "g",
        "ground_truth_solution": truth,
        "initial_proposals": [said],
        "debate_rounds": [],
        "final_vote": {"Ann": "knight"},
        "performance_tracking": {"initial_accuracy": {"m": 0.5}},
    }
    (tmp_path / "d.json").write_text(json.dumps(debate))
    made = import_kks_debates([tmp_path / "d.json"])
    assert [row.reason for row in made.listed] == ["stored accuracy 0.5, own assignments give 1"]
    assert [row["passed"] for row in rows(made, "outcomes")] == [False]
