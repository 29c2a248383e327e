"""The code digest changes with meaning and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from routeaudit.provenance import code as code_module
from routeaudit.provenance.code import CodeDigests


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in library of three modules, of which a script imports one that imports the second."""
    library = tmp_path / "routeaudit"
    (library / "deep").mkdir(parents=True)
    for name in ("__init__.py", "deep/__init__.py"):
        (library / name).write_text("")
    (library / "near.py").write_text("from routeaudit.deep.far import limit\n\ndef f():\n    return limit\n")
    (library / "deep" / "far.py").write_text("limit = 1\n")
    (library / "other.py").write_text("unused = 1\n")
    (tmp_path / "script.py").write_text("import routeaudit.near\n")
    monkeypatch.setattr(code_module, "_PACKAGE_ROOT", library)
    code_module._module_path.cache_clear()
    yield tmp_path
    code_module._module_path.cache_clear()


def _digest(package: Path) -> str:
    return CodeDigests().digest(package / "script.py")


@pytest.mark.parametrize(
    "text",
    [
        "# a comment\nlimit = 1\n",
        '"""A docstring."""\n\nlimit    =    1\n',
    ],
)
def test_comments_docstrings_and_formatting_do_not_count(package: Path, text: str) -> None:
    before = _digest(package)
    (package / "routeaudit/deep/far.py").write_text(text)
    assert _digest(package) == before


def test_an_edit_in_a_transitive_import_counts(package: Path) -> None:
    before = _digest(package)
    (package / "routeaudit/deep/far.py").write_text("limit = 2\n")
    assert _digest(package) != before


def test_an_edit_in_a_module_that_is_not_imported_does_not_count(package: Path) -> None:
    before = _digest(package)
    (package / "routeaudit/other.py").write_text("unused = 2\n")
    assert _digest(package) == before


def test_an_edit_in_the_script_counts(package: Path) -> None:
    before = _digest(package)
    (package / "script.py").write_text("import routeaudit.near\nx = 1\n")
    assert _digest(package) != before


def test_a_page_asset_beside_an_imported_module_counts(package: Path) -> None:
    before = _digest(package)
    (package / "routeaudit/deep/page.css").write_text("body {}")
    assert _digest(package) != before


def test_the_cache_file_changes_no_digest_and_survives_damage(package: Path) -> None:
    cache = package / "cache.json"
    plain = _digest(package)
    assert CodeDigests(cache).digest(package / "script.py") == plain
    assert CodeDigests(cache).digest(package / "script.py") == plain
    cache.write_text("{")
    assert CodeDigests(cache).digest(package / "script.py") == plain
