"""Documentation says what is there: commands, targets, studies and links."""

from __future__ import annotations

import re

import pytest

from places import ROOT
from routeaudit.cli.main import COMMANDS, build_parser

PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "config").glob("*.md")]
    if path.is_file()
)
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme_and_explains_itself(command: str) -> None:
    assert f"routeaudit {command}" in README
    parser = next(a for a in build_parser()._actions if a.choices).choices[command]
    assert parser.description or parser.format_help().count("\n") > 3
    undescribed = [a.dest for a in parser._actions if not a.help and a.dest != "help"]
    assert undescribed == []


@pytest.mark.parametrize("target", sorted(set(re.findall(r"make ([a-z][a-z-]+)", README))))
def test_every_make_target_named_in_the_readme_exists(target: str) -> None:
    assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("target", re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE))
def test_every_documented_target_is_phony(target: str) -> None:
    declared = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert declared is not None
    assert target in declared.group(1).split()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page: pytest.FixtureRequest) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not link.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_every_study_named_in_the_readme_is_configured() -> None:
    named = {study for group in re.findall(r"studies=([a-z0-9_,]+)", README) for study in group.split(",")}
    assert named
    assert {s for s in named if not (ROOT / "config" / "study" / f"{s}.yaml").exists()} == set()
