"""Composed configurations, remembered on disk: composing takes a sixth of a second per study, and every
cluster job parses the workflow with all studies again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from routeaudit.tables import canonical_json, file_digest, text_digest, write_text

Values = dict[str, Any]


class Compositions:
    """The studies of a configuration tree.

    Parameters
    ----------
    config_dir : the configuration tree
    folder : where a study's last composition is kept, one file each
    code : digest of the code that composes
    """

    def __init__(self, config_dir: Path, folder: Path, code: str) -> None:
        self._config_dir = config_dir
        self._folder = folder
        files = sorted(path for path in config_dir.rglob("*") if path.is_file())
        self._basis = [code, *([str(p.relative_to(config_dir)), file_digest(p)] for p in files)]

    def study(self, name: str, overrides: Sequence[str], data_dir: str | None = None) -> Values:
        """`composition.compose_study`; a benchmark read from a file gets `data_dir`, or the folder below it
        that holds the file, unless it has a folder of its own.
        """

        def compose() -> Values:
            # Hydra is imported only where something must be composed.
            from composition import compose_study

            return compose_study(self._config_dir, name, overrides)

        values = self._remembered(f"study/{name}", overrides, compose)
        return values if data_dir is None else _with_data_dir(values, Path(data_dir))

    def deliberation(self, name: str, overrides: Sequence[str]) -> Values:
        """`composition.compose_deliberation`."""

        def compose() -> Values:
            from composition import compose_deliberation

            return compose_deliberation(self._config_dir, name, overrides)

        return self._remembered(f"deliberation/{name}", overrides, compose)

    def _remembered(self, name: str, overrides: Sequence[str], compose: Callable[[], Values]) -> Values:
        path = self._folder / f"{name}.json"
        key = text_digest(canonical_json([self._basis, name, list(overrides)]))
        found = _read(path)
        if found.get("key") != key:
            found = {"key": key, "values": compose()}
            write_text(path, json.dumps(found))
        values: Values = found["values"]
        return values


def _read(path: Path) -> Values:
    try:
        found = json.loads(path.read_text())
    except (OSError, json.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def _with_data_dir(values: Values, folder: Path) -> Values:
    """Point a benchmark that is read from a file, and has no folder of its own, at `folder`."""
    source = values["benchmark"].get("source")
    if source is None or source["data_dir"] is not None:
        return values
    places = [folder, *sorted(path for path in folder.glob("*") if path.is_dir())]
    holding = [place for place in places if any(place.glob(source["file"]))]
    return _replaced(values, str((holding or [folder])[0]))


def _replaced(values: Values, data_dir: str) -> Values:
    benchmark = values["benchmark"]
    return values | {"benchmark": benchmark | {"source": benchmark["source"] | {"data_dir": data_dir}}}
