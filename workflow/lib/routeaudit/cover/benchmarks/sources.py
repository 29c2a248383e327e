"""A benchmark's own file: found or downloaded, checked by digest, read record by record."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import urlopen

from pydantic import BaseModel, ValidationError

from routeaudit.config.benchmarks import SourceFile
from routeaudit.errors import InputError
from routeaudit.tables import file_digest, text_digest, write_atomic

Record = TypeVar("Record", bound=BaseModel)

_TIMEOUT_S = 60
_SHOWN = 80


def locate(source: SourceFile) -> Path:
    """The path of a source file whose digest was checked.

    It is looked for in `data_dir`, then in the download cache; it is downloaded only where `download`
    says so.

    Raises
    ------
    InputError : no such file, a failed download, or another digest than declared.
    """
    path = _declared_path(source)
    if not path.is_file() and source.data_dir is None:
        path = _cached(source)
    if not path.is_file():
        raise InputError(
            str(path), "the benchmark's file", "no such file", "set the source's data_dir or download=true"
        )
    check_digest(path, source.sha256)
    return path


def locate_all(source: SourceFile) -> list[Path]:
    """The paths of a source whose `file` is a pattern, sorted by name, with their common digest checked.

    Raises
    ------
    InputError : no such file, or another digest than declared.
    """
    if "*" not in source.file:
        return [locate(source)]
    folder = Path(source.data_dir or ".").expanduser()
    paths = sorted(folder.glob(source.file))
    if not paths:
        raise InputError(
            str(folder / source.file), "the benchmark's files", "no such file", "set the source's data_dir"
        )
    found = text_digest("".join(f"{file_digest(path)}\n" for path in paths))
    if source.sha256 not in (None, found):
        raise InputError(
            str(folder / source.file),
            f"sha256 {source.sha256} over the digests of {len(paths)} files",
            f"sha256 {found}",
            "fetch the declared version, or declare this one's sha256",
        )
    return paths


def check_digest(path: Path, sha256: str | None) -> None:
    """Hold the file against its declared digest; None accepts any."""
    if sha256 is not None and (found := file_digest(path)) != sha256:
        raise InputError(
            str(path),
            f"sha256 {sha256}",
            f"sha256 {found}",
            "fetch the declared version, or declare this one's sha256",
        )


def read_records(path: Path, model: type[Record]) -> list[tuple[str, Record]]:
    """Every record of a JSON array or a JSON-lines file with its place, held against `model`.

    Raises
    ------
    InputError : malformed JSON, or a record that lacks a field or has it with another type.
    """
    return [(where, _validated(value, model, where)) for where, value in _raw_records(path)]


def read_rows(path: Path, columns: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Every row of a CSV file with its place; the file must have `columns`.

    Raises
    ------
    InputError : a missing column, or a row with another number of fields.
    """
    reader = csv.DictReader(io.StringIO(_text(path), newline=""), strict=True)
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        raise InputError(
            f"{path}:1",
            f"a CSV file with the columns {', '.join(columns)}",
            f"no column {missing[0]!r}",
            "use the benchmark's original file format",
        )
    return [(f"{path}:{reader.line_num}", _full_row(row, path, reader.line_num)) for row in reader]


def _full_row(row: dict[str | None, str | None], path: Path, line: int) -> dict[str, str]:
    full = {name: value for name, value in row.items() if name is not None and value is not None}
    if len(full) != len(row):
        raise InputError(
            f"{path}:{line}",
            "as many fields as the header has",
            "fewer or more",
            "repair the line or fetch the file again",
        )
    return full


def check_unique(ids: list[tuple[str, str]]) -> None:
    """Hold (place, id) pairs against the rule that ids are unique."""
    first: dict[str, str] = {}
    for where, identity in ids:
        if identity in first:
            raise InputError(
                f"{where}, key 'id'",
                "each id once",
                f"{identity!r} already at {first[identity]}",
                "remove one of the two records",
            )
        first[identity] = where


def _declared_path(source: SourceFile) -> Path:
    return Path(source.data_dir or ".").expanduser() / source.file


def _cached(source: SourceFile) -> Path:
    if source.url is None or source.sha256 is None:
        return _declared_path(source)
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = base / "routeaudit" / source.sha256 / Path(source.file).name
    if source.download and not path.is_file():
        _download(source.url, source.sha256, path)
    return path


def _download(url: str, sha256: str, path: Path) -> None:
    try:
        with urlopen(url, timeout=_TIMEOUT_S) as response:
            content: bytes = response.read()
    except OSError as error:
        raise InputError(url, "a file to download", str(error), "check the address and the network") from None

    def write(partial: Path) -> None:
        partial.write_bytes(content)
        check_digest(partial, sha256)

    write_atomic(path, write)


def _raw_records(path: Path) -> Iterator[tuple[str, Any]]:
    text = _text(path)
    if text.lstrip().startswith("["):
        for number, value in enumerate(_parsed(text, path, 1), start=1):
            yield f"{path}, record {number}", value
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", _parsed(line, path, number)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            str(path), "a readable UTF-8 text file", str(error), "fetch the file again"
        ) from None


def _parsed(text: str, path: Path, first_line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}:{first_line + error.lineno - 1}",
            "valid JSON",
            f"{error.msg} at column {error.colno}: {text[max(0, error.pos - 20) :][:_SHOWN]!r}",
            "repair the line or fetch the file again",
        ) from None


def _validated(value: Any, model: type[Record], where: str) -> Record:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "record"
        raise InputError(
            f"{where}, key {key!r}",
            f"a record of {model.__doc__}",
            f"{first['msg']}: {first.get('input')!r}"[: 3 * _SHOWN],
            "use the benchmark's original file format",
        ) from None
