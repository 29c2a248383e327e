"""The ledger grows at its end only, and an edit anywhere is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from routeaudit.errors import InputError
from routeaudit.provenance.ledger import FROZEN, SEALED, append_event, ledger_path, read_ledger


def _filled(folder: Path) -> Path:
    path = ledger_path(folder, "study")
    append_event(path, SEALED, {"contract": "a"})
    append_event(path, FROZEN, {"policy": "random", "routes": "1"}, {"confinement": "landlock"})
    append_event(path, FROZEN, {"policy": "bm25", "routes": "2"})
    return path


def test_events_are_read_in_order_and_chained(tmp_path: Path) -> None:
    events = read_ledger(_filled(tmp_path))
    assert [e.event for e in events] == [SEALED, FROZEN, FROZEN]
    assert [e.seq for e in events] == [0, 1, 2]
    assert events[2].previous == events[1].digest
    assert events[1].witnessed == {"confinement": "landlock"}


def test_repeating_an_event_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    before = path.read_bytes()
    first = read_ledger(path)[1]
    again = append_event(path, FROZEN, {"policy": "random", "routes": "1"}, {"confinement": "none"})
    assert again == first
    assert path.read_bytes() == before


def test_an_absent_ledger_is_empty(tmp_path: Path) -> None:
    assert read_ledger(tmp_path / "none.jsonl") == ()


@pytest.mark.parametrize("row", [0, 1])
def test_a_changed_fact_breaks_the_chain_and_names_the_line(tmp_path: Path, row: int) -> None:
    path = _filled(tmp_path)
    lines = path.read_text().splitlines()
    body = json.loads(lines[row])
    body["facts"] = {"contract": "forged"}
    lines[row] = json.dumps(body)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=f"study.jsonl:{row + 1}"):
        read_ledger(path)


def test_a_removed_line_breaks_the_chain(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[2]]) + "\n")
    with pytest.raises(InputError, match="continues the chain"):
        read_ledger(path)
