"""Tokens per second of the execution stage against the bare engine, on the same prompts in one run.

    python benchmarks/llm.py [--backend llamacpp] [--requests 16] [--threads 1] [--repeats 3] [--json FILE]
    python benchmarks/llm.py --backend vllm --model FOLDER [--devices 1] ...

bare     the engine's own chat call over the requests in prefix order, its prompt cache on
stage    `execute`: same order, repeatable (primed prefixes, kept as files, on llama.cpp), checked, journalled
random   the bare call with the requests in random order: what prefix order is worth to the engine alone

Ratios are of wall time and, steadier on a shared machine, of CPU seconds (llama.cpp only: vLLM computes
in other processes). On llama.cpp the three take turns after every few requests and the least time of each
such slice over the repeats counts, because a shared machine's speed changes within seconds; vLLM gets
all requests at once.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from routeaudit.config.models import LlamaCppModel, VllmModel
from routeaudit.execution import Decoding, Journal, Message, Request, execute
from routeaudit.execution.backends.chat import chat_body, chat_completion, chat_messages
from routeaudit.execution.backends.llamacpp import LlamaCppBackend, locate_weights, start_server
from routeaudit.execution.backends.vllm_engine import VllmBackend, sampling_params
from routeaudit.execution.scheduling import prefix_runs

TARGET = 0.95
SLICE = 4
NAMES = (
    "Arlen",
    "Bedo",
    "Carmi",
    "Dovin",
    "Esta",
    "Fenwick",
    "Gorlan",
    "Hesta",
    "Ivor",
    "Jorn",
    "Kesta",
    "Lomar",
)
RELATIONS = ("was born in", "works in")


def passage(seed: int) -> str:
    """Three invented sentences of about 60 tokens together."""
    pick = random.Random(seed)
    one, two, three, town = pick.sample(NAMES, 4)
    return (
        f"{one} {two} was born in {town}ville in {pick.randint(1800, 1990)} and works in {three}ton. "
        f"The {three} Library was founded by {two} {town} beside the old river bridge. "
        f"{three} {one} wrote the novel {town} of {two} in {pick.randint(1800, 1990)}."
    )


def question(relation: str, seed: int) -> str:
    """A passage and what is asked of it."""
    return f"Passage: {passage(seed)}\nQuestion: name the place. Who {relation} where?"


def prompts(count: int) -> list[Request]:
    """`count` requests over two shared two-shot prefixes, 32 tokens each."""
    made = []
    for number in range(count):
        relation = RELATIONS[number % len(RELATIONS)]
        shots = [
            message
            for seed in (-1, -2)
            for message in (Message("user", question(relation, seed)), Message("assistant", passage(seed)))
        ]
        asked = Message("user", question(relation, number))
        made.append(Request((*shots, asked), Decoding(32), n_prefix=len(shots)))
    return made


def timed(work: Callable[[], int]) -> dict[str, float]:
    """Wall and CPU seconds of `work`, and the generated tokens that it returns."""
    wall, cpu = time.perf_counter(), time.process_time()
    tokens = work()
    return {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu, "tokens": tokens}


def stage(backend: Any, requests: list[Request]) -> int:
    """The execution stage over a fresh journal."""
    with tempfile.TemporaryDirectory() as folder, Journal.open(Path(folder), "bench") as journal:
        answers = execute(requests, backend, journal).completions.values()
    return sum(answer.usage.completion_tokens for answer in answers)


def bare_llamacpp(server: Any, requests: list[Request]) -> int:
    """llama.cpp's chat call, one request after the other."""
    answers = (chat_completion(server.handle_chat_completions(chat_body(one)), 0.0) for one in requests)
    return sum(answer.usage.completion_tokens for answer in answers)


def bare_vllm(engine: Any, requests: list[Request]) -> int:
    """vLLM's chat call over all requests at once."""
    conversations = [chat_messages(one.messages) for one in requests]
    outputs = engine.chat(conversations, [sampling_params(one) for one in requests], use_tqdm=False)
    return sum(len(output.outputs[0].token_ids) for output in outputs)


Work = Callable[[list[Request]], int]


def on_llamacpp(arguments: argparse.Namespace, first: list[Request]) -> dict[str, Work]:
    """The three runs, each on an engine of its own: what one leaves in the cache serves no other."""
    model = LlamaCppModel(threads=arguments.threads, context_tokens=1024)
    bare, mixed = (start_server(model, locate_weights(model)) for _ in range(2))
    staged = LlamaCppBackend(model)
    works: dict[str, Work] = {
        "bare": lambda requests: bare_llamacpp(bare, requests),
        "stage": lambda requests: stage(staged, requests),
        "random": lambda requests: bare_llamacpp(mixed, requests),
    }
    for work in works.values():
        work(first)
    return works


def on_vllm(arguments: argparse.Namespace, first: list[Request]) -> dict[str, Work]:
    """The three runs on one engine, its cache emptied before each."""
    served = VllmModel(
        backend="vllm",
        model=arguments.model,
        devices=arguments.devices,
        context_tokens=1024,
        enforce_eager=arguments.devices == 0,
    )
    vllm = VllmBackend(served)

    def cold(work: Work) -> Work:
        def run(requests: list[Request]) -> int:
            vllm.engine.reset_prefix_cache()
            return work(requests)

        return run

    bare_vllm(vllm.engine, first)
    return {
        "bare": cold(lambda requests: bare_vllm(vllm.engine, requests)),
        "stage": cold(lambda requests: stage(vllm, requests)),
        "random": cold(lambda requests: bare_vllm(vllm.engine, requests)),
    }


def sliced(requests: list[Request], size: int) -> list[list[Request]]:
    """The requests in runs of `size`."""
    return [requests[start : start + size] for start in range(0, len(requests), size)]


def best(slices: list[list[dict[str, float]]]) -> dict[str, float]:
    """Tokens per wall second and per CPU second, each slice at its fastest; one list of repeats per slice."""
    tokens = sum(runs[0]["tokens"] for runs in slices)
    wall, cpu = (sum(min(run[key] for run in runs) for runs in slices) for key in ("wall_s", "cpu_s"))
    return {"tokens": tokens, "tokens_per_s": tokens / wall, "tokens_per_cpu_s": tokens / cpu}


def report(
    arguments: argparse.Namespace,
    requests: list[Request],
    made: list[Request],
    result: dict[str, dict[str, float]],
) -> None:
    """Print the table and the ratios; write them as JSON where asked to."""
    changes = f"{prefix_runs(requests)} changes of prefix ({prefix_runs(made)} as made)"
    print(f"{arguments.backend}: {len(requests)} requests, {changes}")
    for name, row in result.items():
        speed = f"{row['tokens_per_s']:8.1f} per s  {row['tokens_per_cpu_s']:8.1f} per CPU s"
        print(f"{name:8} {row['tokens']:6.0f} tokens  {speed}")
    ratios = {
        f"{one}/{other} {unit}": result[one][unit] / result[other][unit]
        for one, other in (("stage", "bare"), ("bare", "random"))
        for unit in ("tokens_per_s", "tokens_per_cpu_s")
    }
    for name, ratio in ratios.items():
        target = (
            f"  target {TARGET}: {'met' if ratio >= TARGET else 'MISSED'}"
            if name.startswith("stage/bare")
            else ""
        )
        print(f"{name:30} {ratio:6.3f}{target}")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"runs": result, "ratios": ratios}, indent=1) + "\n")


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--backend", choices=("llamacpp", "vllm"), default="llamacpp")
    parser.add_argument("--model", help="folder with the weights (vllm)")
    parser.add_argument("--devices", type=int, default=1, help="CUDA devices (vllm)")
    parser.add_argument("--requests", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> None:
    """Run the three by turns, print a table, and write JSON where asked to."""
    arguments = parsed()
    made = prompts(arguments.requests)
    requests = sorted(made, key=lambda one: [message.content for message in one.messages])
    shuffled = random.Random(1).sample(requests, len(requests))
    here = arguments.backend == "llamacpp"
    works = (on_llamacpp if here else on_vllm)(arguments, requests[:1])
    size = SLICE if here else len(requests)
    turns = list(zip(sliced(requests, size), sliced(shuffled, size), strict=True))
    runs: dict[str, list[list[dict[str, float]]]] = {name: [[] for _ in turns] for name in works}
    for _ in range(arguments.repeats):
        for place, (ordered, mixed) in enumerate(turns):
            for name, work in works.items():
                runs[name][place].append(timed(partial(work, mixed if name == "random" else ordered)))
    report(arguments, requests, made, {name: best(slices) for name, slices in runs.items()})


if __name__ == "__main__":
    main()
