"""Reading the originals' files: formats, digests, downloads, and what bad input gets."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from multihop_files import hotpot_config, hotpot_record, musique_config, musique_record, write_lines
from pydantic import ValidationError

from routeaudit.config.benchmarks import SourceFile
from routeaudit.cover.benchmarks.hotpotqa import HotpotQA
from routeaudit.cover.benchmarks.musique import MuSiQue
from routeaudit.cover.benchmarks.sources import locate
from routeaudit.errors import InputError


def test_json_array_and_json_lines_give_the_same_tasks(tmp_path: Path) -> None:
    records = [hotpot_record("a"), hotpot_record("b", type="comparison")]
    lines = write_lines(tmp_path / "lines.json", records)
    array = tmp_path / "array.json"
    array.write_text(json.dumps(records, indent=1))
    assert HotpotQA(hotpot_config(lines)).load() == HotpotQA(hotpot_config(array)).load()


def test_malformed_line_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "bad.json", [hotpot_record("a")])
    path.write_text(path.read_text() + '{"_id": "b", "question": }\n')
    with pytest.raises(InputError) as error:
        HotpotQA(hotpot_config(path)).load()
    assert error.value.where == f"{path}:2"
    assert "column" in error.value.found


def test_malformed_array_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('[\n {"_id": "a"},\n {"_id": }\n]\n')
    with pytest.raises(InputError) as error:
        HotpotQA(hotpot_config(path)).load()
    assert error.value.where == f"{path}:3"


def test_file_that_is_no_text_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        HotpotQA(hotpot_config(path)).load()


def test_duplicate_id_names_both_places(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "twice.json", [hotpot_record("a"), hotpot_record("b"), hotpot_record("a")])
    with pytest.raises(InputError) as error:
        HotpotQA(hotpot_config(path)).load()
    assert error.value.where.startswith(f"{path}:3")
    assert f"{path}:1" in error.value.found


@pytest.mark.parametrize("kind", ["bridge", "comparison"])
def test_empty_question_is_refused_even_in_a_record_that_would_be_dropped(tmp_path: Path, kind: str) -> None:
    path = write_lines(tmp_path / "empty.json", [hotpot_record(question="  ", type=kind)])
    with pytest.raises(InputError, match="question"):
        HotpotQA(hotpot_config(path)).load()


def test_missing_field_names_the_key(tmp_path: Path) -> None:
    record = musique_record()
    del record["question_decomposition"]
    path = write_lines(tmp_path / "short.json", [record])
    with pytest.raises(InputError) as error:
        MuSiQue(musique_config(path)).load()
    assert error.value.where == f"{path}:1, key 'question_decomposition'"


def test_missing_gold_paragraph_is_refused_in_both_formats(tmp_path: Path) -> None:
    hotpot = hotpot_record()
    hotpot["context"] = hotpot["context"][1:]
    with pytest.raises(InputError, match="no paragraph 'Denys Arbour'"):
        HotpotQA(hotpot_config(write_lines(tmp_path / "h.json", [hotpot]))).load()
    musique = musique_record()
    musique["paragraphs"] = musique["paragraphs"][1:]
    with pytest.raises(InputError, match="paragraph with idx 0"):
        MuSiQue(musique_config(write_lines(tmp_path / "m.json", [musique]))).load()


def test_gold_paragraph_without_text_is_refused(tmp_path: Path) -> None:
    record = musique_record()
    record["paragraphs"][0]["paragraph_text"] = " "
    with pytest.raises(InputError, match="empty"):
        MuSiQue(musique_config(write_lines(tmp_path / "m.json", [record]))).load()


def test_wrong_digest_shows_the_declared_and_the_found_one(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "file.json", [hotpot_record()])
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    source = SourceFile(file=path.name, data_dir=str(tmp_path), sha256="0" * 64)
    with pytest.raises(InputError) as error:
        locate(source)
    assert "0" * 64 in error.value.expected
    assert found in error.value.found
    assert locate(source.model_copy(update={"sha256": found})) == path


def test_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        locate(SourceFile(file="nowhere.json", data_dir=str(tmp_path)))


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SourceFile:
    """A source whose URL works, with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    origin = write_lines(tmp_path / "origin.json", [hotpot_record()])
    digest = hashlib.sha256(origin.read_bytes()).hexdigest()
    return SourceFile(file="copy.json", url=origin.as_uri(), sha256=digest)


def test_nothing_is_downloaded_unless_asked_for(remote: SourceFile, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="download=true"):
        locate(remote)
    assert not (tmp_path / "cache").exists()


def test_download_is_kept_and_found_again_without_the_network(remote: SourceFile, tmp_path: Path) -> None:
    path = locate(remote.model_copy(update={"download": True}))
    assert path.is_relative_to(tmp_path / "cache")
    (tmp_path / "origin.json").unlink()
    assert locate(remote) == path


def test_download_with_another_digest_leaves_nothing_behind(remote: SourceFile, tmp_path: Path) -> None:
    asked = remote.model_copy(update={"download": True, "sha256": "1" * 64})
    with pytest.raises(InputError, match="sha256"):
        locate(asked)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_failed_download_is_an_input_error(remote: SourceFile, tmp_path: Path) -> None:
    (tmp_path / "origin.json").unlink()
    with pytest.raises(InputError, match="network"):
        locate(remote.model_copy(update={"download": True}))


def test_url_without_digest_is_refused() -> None:
    with pytest.raises(ValidationError, match="sha256"):
        SourceFile(file="x.json", url="https://example.org/x.json")
