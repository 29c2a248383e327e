"""The generated configuration files say what the typed models say; `make config` brings them up to date."""

from __future__ import annotations

import pytest

from places import ROOT
from routeaudit.config.generate import generated_files


@pytest.mark.parametrize("name", sorted(generated_files()))
def test_generated_file_equals_the_models(name: str, request: pytest.FixtureRequest) -> None:
    path = ROOT / name
    if request.config.getoption("--fix"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(generated_files()[name])
    assert path.read_text() == generated_files()[name], "run `make config`"
