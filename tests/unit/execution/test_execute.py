"""Each distinct request is sent once, a finished one never again, and every one ends somehow."""

from __future__ import annotations

from pathlib import Path

import pytest
from execution_samples import IDENTITY, FakeBackend, completion, request
from hypothesis import given, settings
from hypothesis import strategies as st

from routeaudit.execution import Completion, Journal, execute, read_journals, shard_of
from routeaudit.execution.backends import InfrastructureError
from routeaudit.execution.scheduling import distinct

pytestmark = pytest.mark.concurrent


def answering(text: str = "yes") -> FakeBackend:
    return FakeBackend(lambda one: completion(text))


def test_identical_requests_are_sent_once(tmp_path: Path) -> None:
    backend = answering()
    with Journal.open(tmp_path, "one") as journal:
        execution = execute([request("a"), request("b"), request("a")], backend, journal)
    assert len(backend.sent) == 2
    counts = execution.counts
    assert (counts.naive, counts.distinct, counts.sent, counts.reused) == (3, 2, 2, 0)


def test_what_any_journal_of_the_folder_holds_is_not_sent(tmp_path: Path) -> None:
    with Journal.open(tmp_path, "other") as journal:
        execute([request("a"), request("b")], answering("first"), journal)
    backend = answering("second")
    with Journal.open(tmp_path, "one") as journal:
        execution = execute([request("a"), request("b"), request("c")], backend, journal)
    assert [one.messages[-1].content for one in backend.sent] == ["c"]
    assert sorted(answer.text for answer in execution.completions.values()) == ["first", "first", "second"]
    assert execution.counts.reused == 2


def test_a_second_run_sends_nothing_and_never_touches_the_backend(tmp_path: Path) -> None:
    def explode(one: object) -> Completion:
        raise AssertionError("sent again")

    asked = [request(str(number)) for number in range(5)]
    with Journal.open(tmp_path, "one") as journal:
        first = execute(asked, answering(), journal)
        second = execute(asked, FakeBackend(explode), journal)
    assert second.completions == first.completions
    assert second.counts.sent == 0


def test_requests_are_sent_in_an_order_in_which_prefixes_are_shared(tmp_path: Path) -> None:
    backend = answering()
    asked = [request(str(number), n_prefix=number % 2 + 1) for number in range(20)]
    with Journal.open(tmp_path, "one") as journal:
        execute(asked, backend, journal)
    words = [tuple(message.content for message in one.messages) for one in backend.sent]
    assert words == sorted(words)


def test_an_infrastructure_failure_is_tried_again_and_then_missing(tmp_path: Path) -> None:
    backend = FakeBackend(lambda one: Completion.missing("no route to host"))
    with Journal.open(tmp_path, "one") as journal:
        execution = execute([request("a")], backend, journal, retries=2)
    (answer,) = execution.completions.values()
    assert (answer.status, answer.detail) == ("missing", "no route to host")
    assert (execution.counts.attempts, execution.counts.sent, execution.counts.missing) == (3, 1, 1)


def test_what_is_missing_is_not_journalled_so_the_next_run_tries_again(tmp_path: Path) -> None:
    with Journal.open(tmp_path, "one") as journal:
        execute([request("a")], FakeBackend(lambda one: Completion.missing("down")), journal)
        assert read_journals(tmp_path).completions == {}
        assert execute([request("a")], answering(), journal).counts.ok == 1


def test_an_engine_that_dies_midway_loses_only_what_it_had_not_answered(tmp_path: Path) -> None:
    deaths = iter([True])

    def dies_once(one: object) -> Completion:
        if one.messages[-1].content == "2" and next(deaths, False):
            raise InfrastructureError("killed")
        return completion()

    backend = FakeBackend(dies_once)
    with Journal.open(tmp_path, "one") as journal:
        execution = execute([request(str(number)) for number in range(4)], backend, journal)
    assert [one.messages[-1].content for one in backend.sent] == ["0", "1", "2", "2", "3"]
    assert execution.counts.ok == 4


def test_a_backend_that_forgets_a_request_leaves_it_missing(tmp_path: Path) -> None:
    backend = answering()
    backend.generate = lambda requests: iter(())  # type: ignore[method-assign]
    with Journal.open(tmp_path, "one") as journal:
        execution = execute([request("a")], backend, journal)
    assert execution.counts.missing == 1


SCHEMA = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}'


@pytest.mark.parametrize(
    ("schema", "text", "status", "detail"),
    [
        (None, "fine", "ok", ""),
        (None, " \n", "invalid_run", "empty answer"),
        (SCHEMA, '{"n": 3}', "ok", ""),
        (SCHEMA, '{"n": 3', "invalid_run", "not valid JSON"),
        (
            SCHEMA,
            '{"n": "three"}',
            "invalid_run",
            "does not meet the schema: 'three' is not of type 'integer'",
        ),
    ],
)
def test_what_the_model_failed_is_invalid_and_final(
    tmp_path: Path, schema: str | None, text: str, status: str, detail: str
) -> None:
    backend = answering(text)
    with Journal.open(tmp_path, "one") as journal:
        for _ in range(2):
            execution = execute([request("a", schema=schema)], backend, journal)
    (answer,) = execution.completions.values()
    assert (answer.status, answer.detail, answer.text) == (status, detail, text)
    assert len(backend.sent) == 1


@settings(max_examples=15, deadline=None)
@given(n=st.integers(1, 40), before=st.integers(1, 7), after=st.integers(1, 7))
def test_another_number_of_shards_reuses_every_generation(
    tmp_path_factory: pytest.TempPathFactory, n: int, before: int, after: int
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    wanted = distinct([request(f"text {number} " * (number % 5)) for number in range(n)], IDENTITY)
    sent = []
    for run, shards in enumerate((before, after)):
        backend = answering()
        for shard in range(shards):
            with Journal.open(folder, f"run{run}-{shard}of{shards}") as journal:
                execute(shard_of(wanted, shard, shards).values(), backend, journal)
        sent.append(len(backend.sent))
    assert sent == [len(wanted), 0]
