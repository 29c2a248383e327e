"""The page of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def render_campaign(folders: Sequence[Path], seals: Path) -> str:
    """Not written yet."""
    raise NotImplementedError
