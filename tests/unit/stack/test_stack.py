"""Requests of the downstream stack and the tables made from their answers."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.config.stack import FinalizerConfig, StackConfig, WorkerConfig
from routeaudit.cover.stack import (
    CellKey,
    MessageKey,
    finalizer_requests,
    finals_table,
    messages_table,
    worker_requests,
)
from routeaudit.errors import InputError
from routeaudit.execution import Completion, Identity, Request, Usage
from routeaudit.tables.artifacts import MESSAGES
from unit.stack.tables import PASSAGES, QUESTIONS, evidence, plan, tasks

STACK = StackConfig()
SPANS = StackConfig(finalizer=FinalizerConfig(answer="span"))
IDENTITY = Identity("scripted", "m", "1", "", "e", "p")
TEAMS = {"g01": ["w1", "w2"], "g02": ["w2", "w3"]}


def text_of(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


def answered(
    requests: dict[MessageKey, Request], texts: dict[str, str] | None = None
) -> dict[str, Completion]:
    """The first sentence as quote for every request, or `texts` by worker."""
    return {
        request.key(IDENTITY): Completion(
            (texts or {}).get(key.worker_id, first_choice(request)), usage=Usage(7, 3, 5)
        )
        for key, request in requests.items()
    }


def first_choice(request: Request) -> str:
    properties = json.loads(str(request.schema))["properties"]
    return json.dumps({name: rule.get("enum", ["a claim"])[0] for name, rule in properties.items()})


def messages(statuses: dict[str, str] | None = None, texts: dict[str, str] | None = None):
    requests = worker_requests(plan(TEAMS), tasks(), evidence(), STACK)
    table = messages_table(requests, answered(requests), IDENTITY, evidence(), "s")
    rows = table.to_pylist()
    for row in rows:
        row["status"] = (statuses or {}).get(row["worker_id"], "ok")
        row["text"] = (texts or {}).get(row["worker_id"], row["text"])
    return MESSAGES.from_rows(rows)


def test_each_worker_of_a_task_is_asked_once_whatever_the_number_of_its_teams() -> None:
    requests = worker_requests(plan(TEAMS), tasks(), evidence(), STACK)
    assert set(requests) == {MessageKey(task, worker, 0) for task in QUESTIONS for worker in PASSAGES}


def test_a_worker_reads_the_question_and_its_own_passages_and_nothing_of_others() -> None:
    for key, request in worker_requests(plan(TEAMS), tasks(), evidence(), STACK).items():
        shown = request.messages[-1].content
        assert QUESTIONS[key.task_id] in shown
        for worker, (_, sentences) in PASSAGES.items():
            for sentence in sentences:
                assert (sentence in shown) == (worker == key.worker_id)
        assert not any(word in text_of(request) for word in ("u-w", "w1", "w2", "gold", "t1", "g01"))


def test_a_quote_can_only_be_one_of_the_passages_own_sentences() -> None:
    request = worker_requests(plan(TEAMS), tasks(), evidence(), STACK)[MessageKey("t1", "w1", 0)]
    schema = json.loads(str(request.schema))
    assert schema["properties"]["quote"]["enum"] == list(PASSAGES["w1"][1])
    assert schema["properties"]["claim"] == {"type": "string", "enum": ["Night Ferry", "Jon Hale"]}
    assert list(schema["properties"]) == schema["required"] == ["quote", "claim"]


def test_a_worker_with_several_passages_quotes_from_each_in_their_order() -> None:
    requests = worker_requests(plan(TEAMS), tasks(), evidence(extra=("w2",)), STACK)
    request = requests[MessageKey("t1", "w2", 0)]
    properties = json.loads(str(request.schema))["properties"]
    assert [properties[name]["enum"] for name in ("quote", "quote2")] == [
        list(PASSAGES["w2"][1]),
        list(PASSAGES["w1"][1]),
    ]
    table = messages_table(requests, answered(requests), IDENTITY, evidence(extra=("w2",)), "s")
    row = next(row for row in table.to_pylist() if (row["task_id"], row["worker_id"]) == ("t1", "w2"))
    assert row["quote"].splitlines() == ["Jon Hale was born in Castelby.", "Night Ferry is a novel."]


@pytest.mark.parametrize(
    ("claim", "expected"), [("none", None), ("span", {"enum"}), ("free", set())], ids=["none", "span", "free"]
)
def test_a_claim_is_asked_for_as_configured(claim: str, expected: set[str] | None) -> None:
    stack = StackConfig(worker=WorkerConfig.model_validate({"claim": claim}))
    for request in worker_requests(plan(TEAMS), tasks(), evidence(), stack).values():
        rule = json.loads(str(request.schema))["properties"].get("claim")
        assert (None if rule is None else set(rule) - {"type"}) == expected
        assert ('"claim"' in text_of(request)) == (claim != "none")


def test_the_worked_examples_show_what_the_schema_asks_for() -> None:
    for extra in ((), ("w1", "w2", "w3")):
        for request in worker_requests(plan(TEAMS), tasks(), evidence(extra), STACK).values():
            asked = list(json.loads(str(request.schema))["properties"])
            shown = [json.loads(m.content) for m in request.messages if m.role == "assistant"]
            assert len(shown) == 2
            assert all(list(answer) == asked for answer in shown)


def test_all_requests_of_a_role_share_their_prefix_and_differ_after_it() -> None:
    workers = worker_requests(plan(TEAMS), tasks(), evidence(), STACK).values()
    finalizers = finalizer_requests(plan(TEAMS), tasks(), messages(), STACK).values()
    for requests in (workers, finalizers):
        assert len({request.prefix for request in requests}) == 1
        assert all(len(request.messages) == request.n_prefix + 1 for request in requests)


def test_a_message_is_what_was_quoted_under_its_title_where_the_quote_does_not_name_it() -> None:
    requests = worker_requests(plan(TEAMS), tasks(), evidence(), STACK)
    said = {"w1": json.dumps({"quote": "Its author is Jon Hale.", "claim": "Jon Hale"})}
    table = messages_table(requests, answered(requests, said), IDENTITY, evidence(), "s")
    rows = {(row["task_id"], row["worker_id"]): row for row in table.to_pylist()}
    assert rows["t1", "w1"]["text"] == "Night Ferry: Its author is Jon Hale."
    assert rows["t1", "w2"]["text"] == "Jon Hale was born in Castelby."
    assert (rows["t1", "w1"]["quote"], rows["t1", "w1"]["claim"]) == ("Its author is Jon Hale.", "Jon Hale")
    assert (rows["t1", "w1"]["prompt_tokens"], rows["t1", "w1"]["completion_tokens"]) == (7, 3)


@pytest.mark.parametrize("status", ["invalid_run", "missing"])
def test_a_failed_message_has_no_quote_and_keeps_its_text(status: str) -> None:
    requests = worker_requests(plan(TEAMS), tasks(), evidence(), STACK)
    said = {key: Completion('{"quote": "Night', status=status) for key in answered(requests)}
    rows = messages_table(requests, said, IDENTITY, evidence(), "s").to_pylist()
    assert {(row["status"], row["quote"], row["claim"], row["text"]) for row in rows} == {
        (status, None, None, '{"quote": "Night')
    }


def test_a_shards_table_holds_exactly_the_answered_requests() -> None:
    requests = worker_requests(plan(TEAMS), tasks(), evidence(), STACK)
    completions = answered(requests)
    part = dict(list(completions.items())[:2])
    table = messages_table(requests, part, IDENTITY, evidence(), "s")
    assert set(table.column("request_key").to_pylist()) == set(part)


def test_a_planned_worker_without_passages_is_refused() -> None:
    with pytest.raises(InputError, match="'w9'"):
        worker_requests(plan({"g01": ["w1", "w9"]}), tasks(), evidence(), STACK)


def test_the_finalizer_reads_the_selected_messages_only_and_no_ids() -> None:
    requests = finalizer_requests(plan(TEAMS), tasks(), messages(), STACK)
    for (task, team, _), request in requests.items():
        shown = request.messages[-1].content
        assert QUESTIONS[task] in shown
        for worker, (_, sentences) in PASSAGES.items():
            assert (sentences[0] in shown) == (worker in TEAMS[team])
        assert not any(word in text_of(request) for word in ("w1", "w2", "w3", "g01", "g02", "t1", "claim"))


@given(st.permutations(["w1", "w2", "w3"]), st.permutations(["g01", "g02"]))
def test_the_finalizers_request_depends_on_the_set_of_workers_alone(
    workers: list[str], names: list[str]
) -> None:
    said = messages()
    plain = finalizer_requests(plan({"g01": ["w1", "w2", "w3"]}), tasks(), said, STACK)
    other = finalizer_requests(plan({names[0]: workers}), tasks(), said, STACK)
    assert list(plain.values()) == list(other.values())


def test_messages_stand_in_the_order_of_the_hops() -> None:
    for request in finalizer_requests(plan(TEAMS), tasks(), messages(), STACK).values():
        shown = request.messages[-1].content
        assert shown.index("Night") < shown.index("Jon Hale was born")


def test_teams_whose_messages_say_the_same_share_one_request() -> None:
    said = messages(texts={"w1": "The same.", "w3": "The same."})
    requests = finalizer_requests(plan(TEAMS, ("t1",)), tasks(), said, STACK)
    keys = {request.key(IDENTITY) for request in requests.values()}
    assert (len(requests), len(keys)) == (2, 1)


def test_an_invalid_message_is_left_out_and_a_missing_one_leaves_its_cells_without_request() -> None:
    said = messages(statuses={"w1": "invalid_run", "w3": "missing"})
    requests = finalizer_requests(plan(TEAMS, ("t1",)), tasks(), said, STACK)
    assert set(requests) == {CellKey("t1", "g01", 0)}
    shown = requests[CellKey("t1", "g01", 0)].messages[-1].content
    assert "Night Ferry is a novel." not in shown
    assert "Jon Hale was born in Castelby." in shown


def test_a_free_answer_is_its_first_line() -> None:
    requests = finalizer_requests(plan(TEAMS, ("t1",)), tasks(), messages(), STACK)
    said = {request.key(IDENTITY): Completion("\n Castelby \nbecause") for request in requests.values()}
    rows = finals_table(requests, said, IDENTITY, "s").to_pylist()
    assert [row["answer"] for row in rows] == ["Castelby", "Castelby"]
    assert {row["stack"] for row in rows} == {"s"}


def test_a_span_answer_is_chosen_among_the_names_of_the_messages() -> None:
    requests = finalizer_requests(plan(TEAMS, ("t1",)), tasks(), messages(), SPANS)
    request = requests[CellKey("t1", "g01", 0)]
    assert json.loads(str(request.schema))["properties"]["answer"]["enum"] == ["Jon Hale", "Castelby"]
    said = {r.key(IDENTITY): Completion('{"answer": "Castelby"}') for r in requests.values()}
    assert finals_table(requests, said, IDENTITY, "s").column("answer").to_pylist() == ["Castelby"] * 2


def test_messages_without_any_name_leave_a_span_finalizer_free() -> None:
    said = messages(texts=dict.fromkeys(PASSAGES, "nothing known."))
    requests = finalizer_requests(plan(TEAMS, ("t1",)), tasks(), said, SPANS)
    assert {request.schema for request in requests.values()} == {None}
    free = {request.key(IDENTITY): Completion("nobody") for request in requests.values()}
    assert finals_table(requests, free, IDENTITY, "s").column("answer").to_pylist() == ["nobody"] * 2


def test_a_failed_final_answer_has_none() -> None:
    requests = finalizer_requests(plan(TEAMS, ("t1",)), tasks(), messages(), SPANS)
    said = {r.key(IDENTITY): Completion('{"ans', status="invalid_run") for r in requests.values()}
    rows = finals_table(requests, said, IDENTITY, "s").to_pylist()
    assert {(row["answer"], row["status"]) for row in rows} == {(None, "invalid_run")}


def test_replicates_are_requests_of_their_own() -> None:
    stack = StackConfig(replicates=3)
    requests = worker_requests(plan(TEAMS, ("t1",)), tasks(), evidence(), stack)
    assert len(requests) == 9 == len({request.key(IDENTITY) for request in requests.values()})
    assert len({tuple(map(str, map(asdict, r.messages))) for r in requests.values()}) == 3


def test_an_example_that_quotes_what_its_passage_does_not_say_is_refused() -> None:
    fields = WorkerConfig().examples[0].model_dump()
    fields["passages"][0]["quote"] = "Something else."
    with pytest.raises(ValueError, match="one of the sentences"):
        type(WorkerConfig().examples[0]).model_validate(fields)
