"""Hydra at the edge: compose a configuration from the tree, then hold it against the typed model.

The library itself imports neither Hydra nor Snakemake; this file is what the Snakefile and the tests use.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from routeaudit.config.load import validated_study
from routeaudit.errors import InputError


def compose_study(
    config_dir: Path, study: str, overrides: Sequence[str], data_dir: str | None = None
) -> dict[str, Any]:
    """The resolved configuration of `study` as plain JSON values, complete with defaults.

    Parameters
    ----------
    overrides : Hydra overrides
    data_dir : folder in which benchmark files lie, directly or one folder down

    Raises
    ------
    InputError : no such study, an unknown key, a value of the wrong type.
    """
    try:
        with initialize_config_dir(version_base=None, config_dir=str(config_dir.resolve())):
            composed = compose("config", overrides=[f"+study={study}", f"+name={study}", *overrides])
        plain = OmegaConf.to_container(composed, resolve=True, throw_on_missing=True)
    except (HydraException, OmegaConfBaseException) as error:
        raise InputError(
            f"config/study/{study}.yaml with overrides {list(overrides)}",
            "a study that composes: known keys, known group options",
            " ".join(str(error).split()),
            "compare with config/README.md; an override is written section.key=value",
        ) from None
    values = validated_study(plain, study)
    return values if data_dir is None else _with_data_dir(values, Path(data_dir))


def _with_data_dir(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Point a benchmark that is read from a file, and has no folder of its own, at `folder`."""
    source = values["benchmark"].get("source")
    if source is None or source["data_dir"] is not None:
        return values
    places = [folder, *sorted(path for path in folder.glob("*") if path.is_dir())]
    holding = [place for place in places if any(place.glob(source["file"]))]
    return _replaced(values, str((holding or [folder])[0]))


def _replaced(values: dict[str, Any], data_dir: str) -> dict[str, Any]:
    benchmark = values["benchmark"]
    return values | {"benchmark": benchmark | {"source": benchmark["source"] | {"data_dir": data_dir}}}
