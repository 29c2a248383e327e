"""A worker has the devices that it asked for, and a folder's weights have one digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from routeaudit.config.models import VllmModel
from routeaudit.errors import InputError
from routeaudit.execution.backends.vllm_engine import vllm_identity
from routeaudit.execution.devices import assert_devices, visible_devices
from routeaudit.execution.weights import manifest_digest
from routeaudit.tables import file_digest


@pytest.mark.parametrize(
    ("declared", "seen"),
    [("0", ("0",)), ("2, 3", ("2", "3")), ("", ()), ("GPU-a,GPU-b", ("GPU-a", "GPU-b")), ("1,-1,2", ("1",))],
)
def test_visible_devices_are_those_that_cuda_would_see(declared: str, seen: tuple[str, ...]) -> None:
    assert visible_devices({"CUDA_VISIBLE_DEVICES": declared}) == seen


@pytest.mark.parametrize(("requested", "declared"), [(1, "0"), (2, "4,5"), (0, "")])
def test_the_requested_number_of_devices_is_accepted(requested: int, declared: str) -> None:
    assert len(assert_devices(requested, {"CUDA_VISIBLE_DEVICES": declared})) == requested


@pytest.mark.parametrize(("requested", "declared"), [(1, "0,1"), (2, "0"), (1, ""), (0, "0")])
def test_more_or_fewer_devices_are_refused(requested: int, declared: str) -> None:
    with pytest.raises(InputError, match=f"{requested} visible"):
        assert_devices(requested, {"CUDA_VISIBLE_DEVICES": declared})


def weights(folder: Path, content: bytes = b"weights") -> Path:
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(content)
    (folder / "config.json").write_text("{}")
    return folder


def test_the_digest_sees_weights_and_settings_but_not_the_folders_name(tmp_path: Path) -> None:
    one, same, other = weights(tmp_path / "a"), weights(tmp_path / "b"), weights(tmp_path / "c", b"others")
    assert manifest_digest(one) == manifest_digest(same)
    assert manifest_digest(one) != manifest_digest(other)
    (same / "config.json").write_text('{"a":1}')
    assert manifest_digest(one) != manifest_digest(same)


def test_a_link_into_a_hub_cache_has_the_digest_of_the_file_itself(tmp_path: Path) -> None:
    plain = weights(tmp_path / "plain")
    blob = tmp_path / file_digest(plain / "model.safetensors")
    blob.write_bytes(b"never read")
    linked = weights(tmp_path / "linked")
    (linked / "model.safetensors").unlink()
    (linked / "model.safetensors").symlink_to(blob)
    assert manifest_digest(linked) == manifest_digest(plain)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="model weights"):
        manifest_digest(tmp_path)


def test_weights_other_than_the_declared_ones_are_refused(tmp_path: Path) -> None:
    folder = weights(tmp_path / "a")
    declared = VllmModel(backend="vllm", model=str(folder), weights_sha256="0" * 64, engine_version="1.0")
    with pytest.raises(InputError, match="declare these weights"):
        vllm_identity(declared)


def test_a_plan_needs_no_vllm_where_its_version_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("routeaudit.execution.backends.vllm_engine._DISTRIBUTIONS", ("no-such-engine",))
    assert vllm_identity(VllmModel(backend="vllm", model="hub/id", engine_version="1.0")).engine == "vllm 1.0"
    with pytest.raises(InputError, match="declare the version"):
        vllm_identity(VllmModel(backend="vllm", model="hub/id"))


def test_an_engine_other_than_the_declared_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("routeaudit.execution.backends.vllm_engine._DISTRIBUTIONS", ("pytest",))
    with pytest.raises(InputError, match=r"vLLM 0\.0\.1"):
        vllm_identity(VllmModel(backend="vllm", model="hub/id", engine_version="0.0.1"))
