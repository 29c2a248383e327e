"""The OpenAI-protocol client: bounded, patient as told, thrifty, and clear about what a server refuses."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from execution_samples import request

from routeaudit.config.models import OpenAIModel
from routeaudit.errors import InputError
from routeaudit.execution import Decoding, Journal, execute
from routeaudit.execution.backends import BudgetSpent
from routeaudit.execution.backends.openai_server import OpenAIBackend

pytestmark = pytest.mark.concurrent

Reply = tuple[int, dict[str, str], dict[str, Any]]
Rule = Callable[[int, str], Reply]
# Longer than any machine takes; who waits for it in vain has found a fault.
WAIT_S = 120.0
ANSWER: Reply = (
    200,
    {},
    {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes"}}
        ],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
    },
)


class Stub:
    """A server that answers by a rule; keeps what it was sent.

    The rule sees how many requests came before and what is asked: of requests under way together, either may
    come first.
    """

    def __init__(self, reply: Rule) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.times: list[float] = []
        self.most_at_once = self._at_once = 0
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, headers, answer = stub.take(body, self.headers.get("Authorization", ""), reply)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                data = json.dumps(answer).encode()
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def take(self, body: dict[str, Any], key: str, reply: Rule) -> Reply:
        with self._lock:
            number = len(self.bodies)
            self.bodies.append(body)
            self.keys.append(key)
            self.times.append(time.monotonic())
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return reply(number, body["messages"][-1]["content"])
        finally:
            with self._lock:
                self._at_once -= 1

    def model(self, **changes: object) -> OpenAIModel:
        address = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        given = {"backend": "openai", "model": "m", "base_url": address, "engine": "stub 1", "retries": 1}
        return OpenAIModel(**{**given, **changes})


@pytest.fixture
def serve() -> Iterator[Callable[[Rule], Stub]]:
    stubs: list[Stub] = []

    def start(reply: Rule) -> Stub:
        stubs.append(Stub(reply))
        return stubs[-1]

    yield start
    for stub in stubs:
        stub.server.shutdown()
        stub.server.server_close()
        stub.thread.join()


def refusing(status: int, message: str = "no", **headers: str) -> Reply:
    return status, headers, {"error": {"message": message}}


Serve = Callable[[Rule], Stub]


def test_no_more_requests_than_allowed_are_under_way(serve: Serve) -> None:
    three = threading.Barrier(3)

    def slow(number: int, asked: str) -> Reply:
        three.wait(WAIT_S)
        time.sleep(0.05)  # a fourth, if it was sent, arrives while these three are under way
        return ANSWER

    stub = serve(slow)
    answers = list(OpenAIBackend(stub.model(concurrency=3)).generate([request(str(n)) for n in range(9)]))
    assert len(answers) == 9
    assert stub.most_at_once == 3


def test_each_answer_is_handed_over_as_it_ends(serve: Serve) -> None:
    gate = threading.Event()

    def first_waits(number: int, asked: str) -> Reply:
        if asked == "0":
            gate.wait(WAIT_S)
        return ANSWER

    answers = OpenAIBackend(serve(first_waits).model(concurrency=2)).generate(
        [request(str(n)) for n in range(3)]
    )
    early = [next(answers)[0], next(answers)[0]]
    gate.set()
    assert [one.messages[-1].content for one in (*early, *(one for one, _ in answers))] == ["1", "2", "0"]


def test_a_busy_server_is_asked_again_after_the_time_it_names(serve: Serve) -> None:
    stub = serve(lambda number, asked: refusing(429, **{"Retry-After": "1"}) if number == 0 else ANSWER)
    ((_, answer),) = OpenAIBackend(stub.model()).generate([request("a")])
    assert answer.text == "yes"
    assert stub.times[1] - stub.times[0] >= 1.0


def test_a_server_that_keeps_failing_leaves_the_request_missing(serve: Serve) -> None:
    stub = serve(lambda number, asked: refusing(503, "overloaded"))
    ((_, answer),) = OpenAIBackend(stub.model(retries=1)).generate([request("a")])
    assert answer.status == "missing"
    assert len(stub.bodies) == 2


def test_a_server_that_is_not_there_leaves_the_request_missing() -> None:
    # Bound, so that nobody else takes the port, and refusing, as nobody listens.
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{silent.getsockname()[1]}"
        model = OpenAIModel(
            backend="openai", model="m", base_url=f"http://{place}/v1", engine="none", retries=0
        )
        ((_, answer),) = OpenAIBackend(model).generate([request("a")])
    assert answer.status == "missing"
    assert place in answer.detail


def test_a_server_that_hangs_is_given_up_after_the_timeout(serve: Serve) -> None:
    gate = threading.Event()

    def hang(number: int, asked: str) -> Reply:
        gate.wait(WAIT_S)
        return ANSWER

    ((_, answer),) = OpenAIBackend(serve(hang).model(retries=0, timeout_s=0.2)).generate([request("a")])
    gate.set()
    assert answer.status == "missing"


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refused_key_model_or_form_stops_the_run_and_is_told(serve: Serve, status: int) -> None:
    stub = serve(lambda number, asked: refusing(status, "unknown model"))
    with pytest.raises(InputError, match=f"status {status}"):
        list(OpenAIBackend(stub.model()).generate([request("a")]))


def test_a_prompt_too_long_for_the_model_is_its_failure(serve: Serve) -> None:
    stub = serve(lambda number, asked: refusing(400, "This model's maximum context length is 10 tokens"))
    ((_, answer),) = OpenAIBackend(stub.model()).generate([request("a")])
    assert answer.status == "invalid_run"


def test_a_spent_budget_stops_cleanly_and_a_larger_one_goes_on(serve: Serve, tmp_path: Path) -> None:
    stub = serve(lambda number, asked: ANSWER)
    asked = [request(str(number)) for number in range(10)]
    with Journal.open(tmp_path, "one") as journal:
        with pytest.raises(BudgetSpent, match="tokens spent"):
            execute(asked, OpenAIBackend(stub.model(token_budget=120, concurrency=2)), journal)
        sent = len(stub.bodies)
        assert 1 <= sent < 10
        assert 25 * sent <= 120
        assert execute(asked, OpenAIBackend(stub.model()), journal).counts.reused == sent
    assert len(stub.bodies) == 10


def test_the_key_comes_from_the_environment_alone(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sesame")
    stub = serve(lambda number, asked: ANSWER)
    list(OpenAIBackend(stub.model(key_env="MY_KEY")).generate([request("a")]))
    assert stub.keys == ["Bearer sesame"]


def test_the_request_is_put_into_the_protocols_words(serve: Serve) -> None:
    stub = serve(lambda number, asked: ANSWER)
    asked = request(
        "a", decoding=Decoding(8, 0.5, 3, ("\n",)), schema='{"type":"object"}', logprobs=2, replicate=4
    )
    list(OpenAIBackend(stub.model()).generate([asked]))
    (body,) = stub.bodies
    assert body.pop("messages")[-1] == {"role": "user", "content": "a"}
    assert body == {
        "model": "m",
        "max_tokens": 8,
        "temperature": 0.5,
        "seed": 7,
        "stop": ["\n"],
        "logprobs": True,
        "top_logprobs": 2,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": True},
        },
    }


def test_a_server_that_moved_keeps_its_request_keys() -> None:
    here, there = (
        OpenAIModel(backend="openai", model="m", base_url=url, engine="vllm 1")
        for url in ("http://a/v1", "http://b/v1")
    )
    assert OpenAIBackend(here).identity == OpenAIBackend(there).identity
