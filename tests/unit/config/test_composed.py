"""Remembered compositions are those that composing anew would give."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import composition
from composed import Compositions
from places import ROOT


@pytest.fixture
def config_dir(tmp_path: Path) -> Path:
    """A configuration tree that may be changed."""
    return Path(shutil.copytree(ROOT / "config", tmp_path / "config"))


@pytest.fixture
def composed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the studies that were really composed."""
    names: list[str] = []
    compose: Callable[..., dict[str, object]] = composition.compose_study

    def counting(config_dir: Path, name: str, overrides: list[str]) -> dict[str, object]:
        names.append(name)
        return compose(config_dir, name, overrides)

    monkeypatch.setattr(composition, "compose_study", counting)
    return names


def test_a_remembered_study_is_the_composed_one(
    tmp_path: Path, config_dir: Path, composed: list[str]
) -> None:
    first = Compositions(config_dir, tmp_path / "kept", "code").study("simulated", ["benchmark.seed=3"])
    again = Compositions(config_dir, tmp_path / "kept", "code").study("simulated", ["benchmark.seed=3"])
    assert again == first == composition.compose_study(config_dir, "simulated", ["benchmark.seed=3"])
    assert list(again) == list(first)
    assert composed == ["simulated", "simulated"], "once to remember, once by the test"


def test_changed_overrides_files_or_code_compose_anew(
    tmp_path: Path, config_dir: Path, composed: list[str]
) -> None:
    def seed(code: str, *overrides: str) -> object:
        return Compositions(config_dir, tmp_path / "kept", code).study("simulated", overrides)["benchmark"][
            "seed"
        ]

    assert seed("one") == 11
    assert seed("one", "benchmark.seed=3") == 3
    study = config_dir / "study" / "simulated.yaml"
    study.write_text(study.read_text().replace("seed: 11", "seed: 12"))
    assert seed("one") == 12
    assert len(composed) == 3
    seed("two")
    assert len(composed) == 4


def test_a_damaged_file_is_composed_anew(tmp_path: Path, config_dir: Path, composed: list[str]) -> None:
    compositions = Compositions(config_dir, tmp_path / "kept", "code")
    first = compositions.study("simulated", [])
    (tmp_path / "kept" / "study" / "simulated.json").write_text('{"key": ')
    assert compositions.study("simulated", []) == first
    assert len(composed) == 2
