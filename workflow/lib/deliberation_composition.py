"""Hydra at the edge: compose a deliberation study from config/deliberation and hold it against its model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from routeaudit.config.deliberation import validated_deliberation
from routeaudit.errors import InputError


def compose_deliberation(config_dir: Path, study: str, overrides: Sequence[str]) -> dict[str, Any]:
    """The resolved configuration of the deliberation study `study` as plain JSON values, complete with
    defaults.

    Raises
    ------
    InputError : no such study, an unknown key, a value of the wrong type.
    """
    # A study file holds only what differs from the models' defaults: any key may be set, the models refuse
    # unknown ones.
    forced = [text if text.startswith(("+", "~")) else f"++{text}" for text in overrides]
    try:
        with initialize_config_dir(version_base=None, config_dir=str(config_dir.resolve())):
            composed = compose(f"deliberation/{study}", overrides=[f"+name={study}", *forced])
        plain = OmegaConf.to_container(composed, resolve=True, throw_on_missing=True)
    except (HydraException, OmegaConfBaseException) as error:
        raise InputError(
            f"config/deliberation/{study}.yaml with overrides {list(overrides)}",
            "a study that composes: known keys, known group options",
            " ".join(str(error).split()),
            "compare with config/deliberation; an override is written section.key=value",
        ) from None
    return validated_deliberation(plain, study)
