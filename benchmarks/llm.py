"""Tokens per second of the execution stage against the bare engine, on the same prompts in one run.

    python benchmarks/llm.py [--backend llamacpp] [--requests 24] [--threads 1] [--repeats 2] [--json FILE]
    python benchmarks/llm.py --backend vllm --model FOLDER [--devices 1] ...

bare     the engine's own chat call over the requests in prefix order, its prompt cache on
stage    `execute`: same order, repeatable (primed prefixes on llama.cpp), checked, journalled with fsync
random   `execute`'s backend with the requests in random order: what prefix order is worth

Ratios are of wall time and, steadier on a shared machine, of CPU seconds (llama.cpp only: vLLM computes
in other processes). The least of the repeats counts.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from routeaudit.config.models import LlamaCppModel, VllmModel
from routeaudit.execution import Decoding, Journal, Message, Request, execute
from routeaudit.execution.backends.chat import chat_body, chat_completion, chat_messages
from routeaudit.execution.backends.llamacpp import LlamaCppBackend, locate_weights, start_server
from routeaudit.execution.backends.vllm_engine import VllmBackend, sampling_params
from routeaudit.execution.scheduling import prefix_runs

TARGET = 0.95
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


def in_order(backend: Any, requests: list[Request]) -> int:
    """The backend alone, in the order given."""
    return sum(answer.usage.completion_tokens for _, answer in backend.generate(requests))


def bare_llamacpp(server: Any, requests: list[Request]) -> int:
    """llama.cpp's chat call, one request after the other."""
    answers = (chat_completion(server.handle_chat_completions(chat_body(one)), 0.0) for one in requests)
    return sum(answer.usage.completion_tokens for answer in answers)


def bare_vllm(engine: Any, requests: list[Request]) -> int:
    """vLLM's chat call over all requests at once."""
    conversations = [chat_messages(one.messages) for one in requests]
    outputs = engine.chat(conversations, [sampling_params(one) for one in requests], use_tqdm=False)
    return sum(len(output.outputs[0].token_ids) for output in outputs)


def contenders(arguments: argparse.Namespace, requests: list[Request]) -> dict[str, Callable[[], int]]:
    """The three runs, on started engines."""
    shuffled = random.Random(1).sample(requests, len(requests))
    if arguments.backend == "llamacpp":
        model = LlamaCppModel(threads=arguments.threads, context_tokens=1024)
        backend, server = LlamaCppBackend(model), start_server(model, locate_weights(model))
        list(backend.generate(requests[:1]))
        return {
            "bare": lambda: bare_llamacpp(server, requests),
            "stage": lambda: stage(backend, requests),
            "random": lambda: in_order(backend, shuffled),
        }
    served = VllmModel(
        backend="vllm",
        model=arguments.model,
        devices=arguments.devices,
        context_tokens=1024,
        enforce_eager=arguments.devices == 0,
    )
    vllm = VllmBackend(served)

    def cold(work: Callable[[], int]) -> Callable[[], int]:
        def run() -> int:
            vllm.engine.reset_prefix_cache()
            return work()

        return run

    bare_vllm(vllm.engine, requests[:1])
    return {
        "bare": cold(lambda: bare_vllm(vllm.engine, requests)),
        "stage": cold(lambda: stage(vllm, requests)),
        "random": cold(lambda: in_order(vllm, shuffled)),
    }


def best(runs: list[dict[str, float]]) -> dict[str, float]:
    """Tokens per wall second and per CPU second of the fastest run."""
    return {
        "tokens": runs[0]["tokens"],
        "tokens_per_s": max(run["tokens"] / run["wall_s"] for run in runs),
        "tokens_per_cpu_s": max(run["tokens"] / run["cpu_s"] for run in runs),
    }


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
        for one, other in (("stage", "bare"), ("stage", "random"))
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
    parser.add_argument("--requests", type=int, default=24)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> None:
    """Run the three in turn, print a table, and write JSON where asked to."""
    arguments = parsed()
    made = prompts(arguments.requests)
    requests = sorted(made, key=lambda one: [message.content for message in one.messages])
    rivals = contenders(arguments, requests)
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in rivals}
    for _ in range(arguments.repeats):
        for name, work in rivals.items():
            runs[name].append(timed(work))
    report(arguments, requests, made, {name: best(each) for name, each in runs.items()})


if __name__ == "__main__":
    main()
