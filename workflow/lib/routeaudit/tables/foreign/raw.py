"""The bytes of a file that somebody else made: found, unpacked, decoded."""

from __future__ import annotations

import codecs
import gzip
import zlib
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from routeaudit.errors import InputError

EXPECTED = "a table: CSV, TSV, JSON lines, a JSON array or Parquet, also as .gz"

_GZIP = b"\x1f\x8b"
# How other binary formats begin, what they are called, and the one command or edit that makes a table.
_OTHERS = {
    b"PK\x03\x04": ("a zip archive or an Excel workbook", "save the sheet as CSV, or run unzip {path}"),
    b"\xd0\xcf\x11\xe0": ("an Excel workbook", "save the sheet as CSV"),
    b"BZh": ("a bzip2 file", "bunzip2 {path}"),
    b"\x28\xb5\x2f\xfd": ("a Zstandard file", "unzstd {path}"),
    b"\xfd7zXZ": ("an xz file", "unxz {path}"),
}


def check_file(path: Path, expected: str = EXPECTED) -> None:
    """Say at once that a path leads nowhere or to a folder.

    Raises
    ------
    InputError : absent, a folder, or where nobody may look
    """
    try:
        folder, there = path.is_dir(), path.exists()
    except OSError as error:
        _unreadable(path, expected, error)
    if folder:
        raise InputError(str(path), expected, "a folder", inside_hint(path))
    if not there:
        raise InputError(str(path), expected, "nothing there", absent_hint(path))


def _unreadable(path: Path, expected: str, error: OSError) -> NoReturn:
    found = error.strerror or "a file that cannot be read"
    raise InputError(str(path), expected, found, f"see who may read it: ls -l {path}") from None


def absent_hint(path: Path) -> str:
    """The name that was probably meant, else how to look."""
    folder = path.parent
    if not folder.is_dir():
        return f"check the path: no folder {folder}"
    close = get_close_matches(path.name, [child.name for child in _children(folder)], 1)
    return f"did you mean {folder / close[0]}?" if close else f"check the path: ls {folder}"


def _children(folder: Path) -> list[Path]:
    """What a folder holds, nothing where it may not be listed."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def inside_hint(folder: Path) -> str:
    """A file of the folder that was named in place of it."""
    files = [child for child in _children(folder) if child.is_file()]
    return f"name a file in it, for example {files[0]}" if files else "name a file"


def content(path: Path, expected: str = EXPECTED) -> bytes:
    """The bytes of a file, unpacked where they are gzip.

    Raises
    ------
    InputError : absent, a folder, unreadable, empty, a damaged gzip file, or another binary format
    """
    check_file(path, expected)
    try:
        raw = path.read_bytes()
    except OSError as error:
        _unreadable(path, expected, error)
    if raw.startswith(_GZIP):
        raw = _unpacked(raw, path)
    if not raw or raw.isspace():
        raise InputError(str(path), expected, f"an empty file ({len(raw)} bytes)", "write the table again")
    for start, (name, hint) in _OTHERS.items():
        if raw.startswith(start):
            raise InputError(str(path), expected, name, hint.format(path=path))
    return raw


def _unpacked(raw: bytes, path: Path) -> bytes:
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error):
        raise InputError(
            str(path), "a whole gzip file", "one that is cut off or damaged", f"copy it again; gzip -t {path}"
        ) from None


def utf8(raw: bytes, path: Path) -> bytes:
    """The text as UTF-8 bytes without a byte order mark; every line ends with a line feed.

    Raises
    ------
    InputError : binary, or bytes that no declared encoding allows
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raw = _decoded(raw, path, "utf-16", 0).encode()
    start = len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0
    if (place := raw.find(0)) >= 0:
        raise InputError(
            str(path),
            "text",
            f"a binary file (byte 0x00 at offset {place})",
            f"export the table as UTF-8 text; UTF-16: iconv -f UTF-16LE -t UTF-8 {path}",
        )
    if start:
        raw = raw[start:]
    if not raw.isascii():
        _decoded(raw, path, "utf-8", start)
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in raw else raw


def _decoded(raw: bytes, path: Path, encoding: str, start: int) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}",
            f"{encoding.upper()} text",
            f"byte 0x{raw[error.start]:02x} at offset {error.start + start}",
            f"iconv -f WINDOWS-1252 -t UTF-8 {path} > {path.with_name('utf8-' + path.name)}",
        ) from None
