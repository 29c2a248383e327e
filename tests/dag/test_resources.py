"""Jobs that run a model ask for its GPUs and threads; the same jobs without a model ask for none."""

from __future__ import annotations

import json
import re

import pytest

from project_copy import Project

pytestmark = pytest.mark.dag

VLLM = "{backend: vllm, model: m, tensor_parallel: 4}"
LLAMA = "{backend: llamacpp, threads: 6}"
ROUTER = "+routers.asked={{kind: zero_shot_llm, model: {}}}"
SANDBOX = "++stacks.scripted.role={{kind: model, model: {}}}"


def _asked(project: Project, rule: str, study: str, *overrides: str) -> tuple[int, int]:
    """Threads and GPUs of a rule's job, as a dry run on eight cores shows them."""
    done = project.snakemake(
        "--dry-run", "--cores", "8", "--config", f"studies={study}", f"overrides={json.dumps(overrides)}"
    )
    (job, *_) = re.findall(rf"^rule {rule}:\n(.*?)\n\n", done.stdout, re.MULTILINE | re.DOTALL)
    threads, gpus = re.search(r"threads: (\d+)", job), re.search(r"gpu=(\d+)", job)
    return int(threads[1]) if threads else 1, int(gpus[1]) if gpus else 0


@pytest.mark.parametrize(
    ("overrides", "asked"),
    [((), (1, 0)), ((ROUTER.format(VLLM),), (2, 4)), ((ROUTER.format(LLAMA),), (6, 0))],
)
def test_freezing_asks_for_what_its_routers_model_needs(
    project: Project, overrides: tuple[str, ...], asked: tuple[int, int]
) -> None:
    assert _asked(project, "freeze", "offline_world", *overrides) == asked


@pytest.mark.parametrize(("overrides", "asked"), [((), (1, 0)), ((SANDBOX.format(VLLM),), (2, 4))])
def test_playing_asks_for_what_its_role_needs(
    project: Project, overrides: tuple[str, ...], asked: tuple[int, int]
) -> None:
    assert _asked(project, "play", "toolsandbox16", *overrides) == asked
