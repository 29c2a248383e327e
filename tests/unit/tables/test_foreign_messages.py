"""What the reader of foreign tables reads and refuses, example by example; docs/tables.md says the same."""

from __future__ import annotations

import json

import foreign_cases as cases
import pytest
import tables_page

from places import ROOT
from routeaudit.cli.main import main

PAGE = ROOT / "docs" / "tables.md"


def test_the_page_says_what_the_commands_say(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    messages = [
        tables_page.message(refused, tmp_path_factory.mktemp("case"), monkeypatch)
        for refused in cases.REFUSED
    ]
    made = tables_page.examples(messages)
    head, _, shown = PAGE.read_text(encoding="utf-8").partition(tables_page.START)
    if request.config.getoption("--fix"):
        PAGE.write_text(head + made, encoding="utf-8")
        shown = made.removeprefix(tables_page.START)
    assert tables_page.START + shown == made, "run this test with --fix and read what changed"


@pytest.mark.parametrize("refused", cases.REFUSED, ids=lambda c: f"{c.argv[0]}: {c.what}")
def test_a_refused_table_ends_with_its_message_on_the_page(refused, tmp_path, monkeypatch):
    told = tables_page.message(refused, tmp_path, monkeypatch)
    row = " | ".join(text.replace("|", "\\|") for text in (told.where, told.expected, told.found, told.hint))
    assert f"| {refused.what} |" in PAGE.read_text(encoding="utf-8")
    assert f"| {row} |" in PAGE.read_text(encoding="utf-8")
    assert all((told.where, told.expected, told.found, told.hint))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("read", cases.READ, ids=lambda c: c.what)
def test_every_spelling_of_a_table_is_scored_alike(read, tmp_path, capsys):
    (tmp_path / "r.csv").write_bytes(cases.ROUTES.replace(b"t1", b"1").replace(b"t2", b"2"))
    found = []
    for name, content in (("plain.csv", cases.NUMBERED), (read.name, read.content)):
        (tmp_path / name).write_bytes(content)
        assert main(["score", str(tmp_path / name), str(tmp_path / "r.csv"), "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
