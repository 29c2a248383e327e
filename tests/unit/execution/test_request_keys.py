"""A request's key says what determines its answer: no more, no less."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace

import pytest
from execution_samples import IDENTITY, completion, request
from hypothesis import given
from hypothesis import strategies as st

from routeaudit.execution import (
    Completion,
    Decoding,
    Identity,
    Message,
    Request,
    TokenLogprob,
    completions_digest,
)
from routeaudit.execution.requests import schema_text

GOLDEN = "1f0c3256726bb691a413b71aa8cfccb2651d19c6e715ada97feab7b2185bd658"


def test_the_key_of_a_known_request_never_changes_or_journals_would_be_lost() -> None:
    known = request("What is it?", schema='{"type":"object"}', logprobs=2, replicate=1)
    assert known.key(IDENTITY) == GOLDEN


@given(name=st.sampled_from([field.name for field in fields(Identity)]), text=st.text(min_size=1))
def test_changing_any_field_of_the_identity_changes_the_key(name: str, text: str) -> None:
    other = {"threads": 3, "settings": (("new", text),)}.get(
        name, getattr(IDENTITY, name) if name in {"threads", "settings"} else getattr(IDENTITY, name) + text
    )
    assert request("q").key(replace(IDENTITY, **{name: other})) != request("q").key(IDENTITY)


CHANGES = {
    "messages": (Message("user", "a"), Message("assistant", "b"), Message("user", "other")),
    "decoding": Decoding(9),
    "n_prefix": 1,
    "schema": "{}",
    "logprobs": 0,
    "replicate": 1,
    "stage_version": "2",
}


@pytest.mark.parametrize("name", [field.name for field in fields(Request)])
def test_changing_any_field_of_the_request_changes_the_key(name: str) -> None:
    assert request("q", **{name: CHANGES[name]}).key(IDENTITY) != request("q").key(IDENTITY)


@pytest.mark.parametrize(
    "other", [Decoding(9), Decoding(8, temperature=0.5), Decoding(8, seed=1), Decoding(8, stop=("\n",))]
)
def test_changing_any_part_of_the_decoding_changes_the_key(other: Decoding) -> None:
    assert request("q", decoding=other).key(IDENTITY) != request("q").key(IDENTITY)


def test_a_temperature_of_0_and_of_0_point_0_is_one_request() -> None:
    assert request("q", decoding=Decoding(8, temperature=0)).key(IDENTITY) == request("q").key(IDENTITY)


def test_the_order_of_a_schemas_properties_is_part_of_the_request() -> None:
    one, other = ({"properties": {a: {}, b: {}}} for a, b in ("xy", "yx"))
    assert schema_text(one) != schema_text(other)


def test_a_prefix_must_leave_a_message_to_answer() -> None:
    with pytest.raises(ValueError, match="n_prefix"):
        request("q", n_prefix=3)


@given(
    text=st.text(),
    logprobs=st.none()
    | st.lists(st.tuples(st.text(), st.floats(-50, 0), st.lists(st.tuples(st.text(), st.floats(-50, 0))))),
)
def test_a_completion_survives_json(text: str, logprobs: list[tuple[str, float, list]] | None) -> None:
    tokens = None if logprobs is None else tuple(TokenLogprob(t, p, tuple(top)) for t, p, top in logprobs)
    before = completion(text, logprobs=tokens)
    assert Completion.from_json(json.loads(json.dumps(asdict(before)))) == before


def test_an_identity_survives_json() -> None:
    assert Identity.from_json(json.loads(json.dumps(asdict(IDENTITY)))) == IDENTITY


def test_the_digest_of_completions_sees_texts_but_neither_times_nor_order() -> None:
    one = {"a": completion("x", seconds=1.0), "b": completion("y")}
    same = {"b": completion("y", seconds=9.0), "a": completion("x")}
    assert completions_digest(one) == completions_digest(same)
    assert completions_digest(one) != completions_digest({**same, "a": completion("z")})
