"""The stack files of config/ are stacks."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from routeaudit.config.stack import StackConfig


@pytest.mark.parametrize("name", ["prompted", "prose"])
def test_a_stack_file_is_a_valid_stack_with_two_examples_per_role(root: Path, name: str) -> None:
    text = (root / "config" / "stack" / f"{name}.yaml").read_text(encoding="utf-8")
    stack = StackConfig.model_validate(yaml.safe_load(text))
    assert (len(stack.worker.examples), len(stack.finalizer.examples)) == (2, 2)


def test_every_example_answer_and_claim_stands_in_what_the_example_shows(root: Path) -> None:
    text = (root / "config" / "stack" / "prose.yaml").read_text(encoding="utf-8")
    stacks = [StackConfig(), StackConfig.model_validate(yaml.safe_load(text))]
    for stack in stacks:
        assert all(example.claim in example.passages[0].quote for example in stack.worker.examples)
        assert all(example.answer in " ".join(example.messages) for example in stack.finalizer.examples)
