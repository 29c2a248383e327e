"""Nothing finished is lost, nothing torn is believed, and one journal has one writer."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from execution_samples import IDENTITY, completion

from routeaudit.errors import InputError
from routeaudit.execution import Journal, read_journals
from routeaudit.execution.lines import scan_journal
from routeaudit.execution.lock import STALE_S, JournalLock

pytestmark = pytest.mark.concurrent


def filled(folder: Path, *keys: str, name: str = "one") -> Path:
    with Journal.open(folder, name) as journal:
        for key in keys:
            journal.append(IDENTITY, key, completion(f"answer {key}"))
    return journal.path


def test_what_one_writer_finished_every_reader_of_the_folder_finds(tmp_path: Path) -> None:
    filled(tmp_path, "a", "b", name="one")
    filled(tmp_path, "c", name="two")
    with Journal.open(tmp_path, "three") as journal:
        found = journal.find({"a", "c", "d"})
    assert {key: answer.text for key, answer in found.items()} == {"a": "answer a", "c": "answer c"}


def test_who_answered_is_recorded_once_per_session(tmp_path: Path) -> None:
    path = filled(tmp_path, "a", "b")
    filled(tmp_path, "c")
    kinds = [line["kind"] for line in scan_journal(path).lines]
    assert kinds == ["session", "completion", "completion", "session", "completion"]
    assert read_journals(tmp_path).identities == {IDENTITY.digest: IDENTITY}


def test_a_tail_cut_at_any_byte_loses_that_line_only_and_is_mended(tmp_path: Path) -> None:
    whole = filled(tmp_path / "whole", "a", "b").read_bytes()
    sound = whole[: whole.rstrip(b"\n").rindex(b"\n") + 1]
    for cut in range(len(sound) + 1, len(whole)):
        folder = tmp_path / str(cut)
        folder.mkdir()
        (folder / "one.jsonl").write_bytes(whole[:cut])
        assert set(read_journals(folder).completions) == {"a"}
        with Journal.open(folder, "one") as journal:
            assert journal.torn == 1
            journal.append(IDENTITY, "b", completion("again"))
        records = read_journals(folder)
        assert set(records.completions) == {"a", "b"}
        assert records.torn == 0


def test_a_tail_of_zeros_after_a_power_cut_is_dropped(tmp_path: Path) -> None:
    path = filled(tmp_path, "a")
    with path.open("ab") as handle:
        handle.write(b"\0" * 500 + b"\n" + b"\0" * 20)
    with Journal.open(tmp_path, "one") as journal:
        assert journal.torn == 2
    assert set(read_journals(tmp_path).completions) == {"a"}


def test_an_altered_line_with_sound_ones_behind_it_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path, "a", "b", "c")
    path.write_text(path.read_text().replace("answer b", "answer B"))
    with pytest.raises(InputError, match=r"one\.jsonl:3") as caught:
        read_journals(tmp_path)
    assert "sent again" in caught.value.hint


def test_reading_leaves_a_file_alone_that_somebody_is_writing(tmp_path: Path) -> None:
    path = filled(tmp_path, "a", "b")
    with path.open("ab") as handle:
        handle.write(b'{"half a line')
    before = path.read_bytes()
    assert read_journals(tmp_path).torn == 1
    assert path.read_bytes() == before


def test_of_two_answers_to_one_request_the_same_counts_whoever_wrote_first(tmp_path: Path) -> None:
    for folder, names in (("x", ("one", "two")), ("y", ("two", "one"))):
        for name, text in zip(names, ("red", "blue"), strict=True):
            with Journal.open(tmp_path / folder, name) as journal:
                journal.append(IDENTITY, "a", completion(text))
    x, y = (read_journals(tmp_path / folder) for folder in "xy")
    assert x.completions["a"].text == y.completions["a"].text
    assert (x.repeated, x.differing) == (1, 1)


def test_a_second_writer_is_refused_and_told_who_writes(tmp_path: Path) -> None:
    with Journal.open(tmp_path, "one"), pytest.raises(InputError) as caught:
        Journal.open(tmp_path, "one")
    assert f"process {os.getpid()} on host {socket.gethostname()}" in caught.value.found


def test_a_second_writer_may_wait_for_the_first_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from routeaudit.execution import Journal
        with Journal.open(Path({str(tmp_path)!r}), "one"):
            print("open", flush=True)
            sys.stdin.read()
    """)
    command, pipe = [sys.executable, "-c", script], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=_environment()) as first:
        assert first.stdout.readline() == b"open\n"
        with pytest.raises(InputError):
            Journal.open(tmp_path, "one")
        pause = time.sleep

        def end_the_first(seconds: float) -> None:
            first.stdin.close()
            pause(seconds)

        monkeypatch.setattr("routeaudit.execution.lock.time.sleep", end_the_first)
        with Journal.open(tmp_path, "one", wait_s=120):
            assert first.stdin.closed
            assert first.wait(120) == 0


def test_the_lock_of_a_killed_writer_is_taken_over(tmp_path: Path) -> None:
    script = textwrap.dedent(f"""
        import os, signal
        from pathlib import Path
        from routeaudit.execution import Journal
        Journal.open(Path({str(tmp_path)!r}), "one")
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    killed = subprocess.run([sys.executable, "-c", script], env=_environment(), check=False)
    assert killed.returncode == -9
    assert json.loads((tmp_path / "one.lock").read_text())["host"] == socket.gethostname()
    lock = JournalLock.acquire(tmp_path / "one.lock")
    assert lock.took_over is not None
    assert lock.took_over.pid != os.getpid()
    lock.release()


def _foreign_lock(path: Path, seconds_ago: float) -> None:
    path.write_text(json.dumps({"host": "elsewhere", "pid": 1, "job": "77", "token": "t"}))
    os.utime(path, (time.time() - seconds_ago,) * 2)


def test_another_hosts_lock_holds_while_it_is_touched_and_names_the_job(tmp_path: Path) -> None:
    _foreign_lock(tmp_path / "one.lock", STALE_S / 2)
    with pytest.raises(InputError, match="process 1 on host elsewhere, job 77"):
        Journal.open(tmp_path, "one")


def test_another_hosts_lock_that_nobody_touches_any_more_is_taken_over(tmp_path: Path) -> None:
    _foreign_lock(tmp_path / "one.lock", STALE_S * 2)
    Journal.open(tmp_path, "one").close()


def test_a_holder_who_was_taken_for_dead_writes_no_more(tmp_path: Path) -> None:
    with Journal.open(tmp_path, "one") as journal:
        journal.append(IDENTITY, "a", completion())
        _foreign_lock(tmp_path / "one.lock", 0)
        with pytest.raises(InputError, match="taken for dead"):
            journal.append(IDENTITY, "b", completion())
    assert set(read_journals(tmp_path).completions) == {"a"}


def test_a_full_disk_is_told_and_leaves_whole_lines_only(tmp_path: Path) -> None:
    script = textwrap.dedent(f"""
        import resource, sys
        from pathlib import Path
        from execution_samples import IDENTITY, completion
        from routeaudit.errors import InputError
        from routeaudit.execution import Journal
        with Journal.open(Path({str(tmp_path)!r}), "one") as journal:
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
            written = 0
            try:
                for written in range(1000):
                    journal.append(IDENTITY, str(written), completion("x" * 50))
            except InputError as error:
                print(written, error.hint)
    """)
    run = subprocess.run(
        [sys.executable, "-c", script], env=_environment(), capture_output=True, text=True, check=True
    )
    written, hint = run.stdout.split(maxsplit=1)
    assert "every finished request is kept" in hint
    records = read_journals(tmp_path)
    assert set(records.completions) == {str(number) for number in range(int(written))}
    assert records.torn == 0
    assert int(written) > 2


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="permission to write"):
        Journal.open(tmp_path / "file" / "journal", "one")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
