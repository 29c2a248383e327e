"""Digest of the code a stage really runs: its script and every library module it imports, in meaning.

Comments, docstrings, blank lines and formatting do not count. `ast.unparse` gives the same text on
Python 3.11 to 3.13, where `ast.dump` does not.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from routeaudit.tables import write_text

_PACKAGE = "routeaudit"
_PACKAGE_ROOT = Path(__file__).resolve().parents[1]
_ASSET_SUFFIXES = {".html", ".css", ".js", ".json", ".j2"}


@dataclass(frozen=True)
class _Module:
    """One source file: the digest of its meaning and the library modules it names in imports."""

    digest: str
    imports: tuple[str, ...]


class CodeDigests:
    """Digests of scripts with their import closure; parsed sources are remembered in `cache`.

    Parameters
    ----------
    cache : a JSON file keyed by the sha256 of a source's bytes, or None for no file

    A source is read once: later changes are seen by another instance.
    """

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache
        self._known = _read_cache(cache)
        self._read: dict[Path, _Module] = {}
        self._dirty = False

    def digest(self, script: Path) -> str:
        """sha256 over the script and its transitive imports from the library, assets included."""
        closure = self._closure(script)
        parts = {script.name: self._module(script).digest}
        parts |= {name: self._module(path).digest for name, path in closure.items()}
        directories = {path.parent for path in closure.values()}
        parts |= {
            str(p.relative_to(_PACKAGE_ROOT)): _bytes_digest(p) for d in directories for p in _assets(d)
        }
        self._save()
        text = "\n".join(f"{name} {parts[name]}" for name in sorted(parts))
        return hashlib.sha256(text.encode()).hexdigest()

    def _closure(self, script: Path) -> dict[str, Path]:
        found: dict[str, Path] = {}
        queue = list(self._module(script).imports)
        while queue:
            for name in _with_parents(queue.pop()):
                path = _module_path(name)
                if path is not None and name not in found:
                    found[name] = path
                    queue.extend(self._module(path).imports)
        return found

    def _module(self, path: Path) -> _Module:
        if path in self._read:
            return self._read[path]
        source = path.read_bytes()
        key = hashlib.sha256(source).hexdigest()
        if key not in self._known:
            self._known[key] = _parse(source)
            self._dirty = True
        self._read[path] = self._known[key]
        return self._read[path]

    def _save(self) -> None:
        if self._cache is None or not self._dirty:
            return
        entries = {key: [m.digest, list(m.imports)] for key, m in sorted(self._known.items())}
        write_text(self._cache, json.dumps(entries))
        self._dirty = False


def _read_cache(cache: Path | None) -> dict[str, _Module]:
    if cache is None or not cache.exists():
        return {}
    try:
        entries = json.loads(cache.read_text())
    except json.JSONDecodeError:
        return {}
    return {key: _Module(digest, tuple(imports)) for key, (digest, imports) in entries.items()}


def _parse(source: bytes) -> _Module:
    tree = ast.parse(source)
    imports = tuple(sorted(set(_imported(tree))))
    text = ast.unparse(_without_docstrings(tree))
    return _Module(hashlib.sha256(text.encode()).hexdigest(), imports)


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == _PACKAGE)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == _PACKAGE:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [n for n in node.body if not _is_text(n)] or [ast.Pass()]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _with_parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts))]


@lru_cache(maxsize=4096)
def _module_path(name: str) -> Path | None:
    base = _PACKAGE_ROOT.joinpath(*name.split(".")[1:])
    for candidate in (base / "__init__.py", base.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


def _assets(directory: Path) -> list[Path]:
    if directory == _PACKAGE_ROOT:
        return []
    return sorted(p for p in directory.rglob("*") if p.suffix in _ASSET_SUFFIXES and p.is_file())


def _bytes_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
