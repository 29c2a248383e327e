"""Hydra at the edge: compose a configuration from the tree, then hold it against the typed model.

The library itself imports neither Hydra nor Snakemake; this file does (composed.py remembers results).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from routeaudit.config.deliberation import validated_deliberation
from routeaudit.config.load import validated_study
from routeaudit.errors import InputError


def compose_study(config_dir: Path, study: str, overrides: Sequence[str]) -> dict[str, Any]:
    """The resolved configuration of `study` as plain JSON values, complete with defaults.

    Parameters
    ----------
    overrides : Hydra overrides

    Raises
    ------
    InputError : no such study, an unknown key, a value of the wrong type.
    """
    given = [f"+study={study}", f"+name={study}", *overrides]
    return validated_study(_composed(config_dir, "config", given, f"config/study/{study}.yaml"), study)


def compose_deliberation(config_dir: Path, study: str, overrides: Sequence[str]) -> dict[str, Any]:
    """The resolved configuration of the deliberation study `study`, complete with defaults.

    A study file holds only what differs from the models' defaults, so any key may be set here; the
    models refuse unknown ones.

    Raises
    ------
    InputError : no such study, an unknown key, a value of the wrong type.
    """
    forced = [text if text.startswith(("+", "~")) else f"++{text}" for text in overrides]
    where = f"config/deliberation/{study}.yaml"
    plain = _composed(config_dir, f"deliberation/{study}", [f"+name={study}", *forced], where)
    return validated_deliberation(plain, study)


def _composed(config_dir: Path, name: str, overrides: Sequence[str], where: str) -> Any:
    try:
        with initialize_config_dir(version_base=None, config_dir=str(config_dir.resolve())):
            composed = compose(name, overrides=list(overrides))
        return OmegaConf.to_container(composed, resolve=True, throw_on_missing=True)
    except (HydraException, OmegaConfBaseException) as error:
        raise InputError(
            f"{where} with overrides {list(overrides)}",
            "a study that composes: known keys, known group options",
            " ".join(str(error).split()),
            "config/KEYS.md lists every key; an override is written section.key=value",
        ) from None
