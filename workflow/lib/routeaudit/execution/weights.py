"""The digest of a model's weights that lie in a folder."""

from __future__ import annotations

import re
from pathlib import Path

from routeaudit.errors import InputError
from routeaudit.tables import canonical_json, file_digest, text_digest

_PATTERNS = ("*.safetensors", "*.bin", "*.gguf", "*.json", "*.jinja", "*.model", "*.txt")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def manifest_digest(folder: Path) -> str:
    """sha256 over names and sha256 of the weights, tokenizer and settings in `folder`.

    In a hub cache large files are links to blobs that bear their own sha256 as name; it is taken from
    there, so that hundreds of gigabytes need not be read.

    Raises
    ------
    InputError : no such folder, or no weights in it
    """
    files = sorted({path for pattern in _PATTERNS for path in folder.glob(pattern)})
    if not any(path.suffix in {".safetensors", ".bin", ".gguf"} for path in files):
        raise InputError(
            str(folder),
            "a folder with model weights",
            "none",
            "give a local folder, or a hub id and revision",
        )
    return text_digest(canonical_json([[path.name, _digest(path)] for path in files]))


def _digest(path: Path) -> str:
    name = path.resolve().name
    return name if path.is_symlink() and _SHA256.fullmatch(name) else file_digest(path)
