"""What a confined process can and cannot do, tried in real processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from routeaudit.cover.confinement import (
    bubblewrap_available,
    bubblewrap_command,
    landlock_abi,
    python_installation,
)

pytestmark = pytest.mark.concurrent
needs_landlock = pytest.mark.skipif(landlock_abi() < 1, reason="this kernel has no Landlock")
needs_bubblewrap = pytest.mark.skipif(not bubblewrap_available(), reason="bubblewrap is not installed here")

ATTEMPTS = """
import json, os, socket, sys
from pathlib import Path
import encodings.idna
import pyarrow
from routeaudit.cover.confinement import confine, python_installation
mechanism, declared, private, folder, port, unix, uid = sys.argv[1:]
python_installation()
if int(uid):
    os.setgroups([]); os.setgid(int(uid)); os.setuid(int(uid))
if mechanism != "inside":
    held = confine(mechanism, (*python_installation(), Path(declared)), (Path(folder),), (Path(private),))
else:
    held = confine("bubblewrap", (), (), (Path(private),))
def works(attempt):
    try:
        attempt()
    except (OSError, ImportError):
        return False
    return True
def datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(b"x", ("127.0.0.1", int(port)))
print(json.dumps({
    "mechanism": held.mechanism,
    "layers": held.layers,
    "declared": works(lambda: open(declared).read()),
    "private": works(lambda: open(private).read()),
    "private_native": works(lambda: pyarrow.OSFile(private).read()),
    "listing": works(lambda: os.listdir(os.path.dirname(private))),
    "parent": works(lambda: open(f"/proc/{os.getppid()}/environ").read()),
    "tcp": works(lambda: socket.create_connection(("127.0.0.1", int(port)), 2)),
    "udp": works(datagram),
    "unix": works(lambda: socket.socket(socket.AF_UNIX).connect(unix)),
    "own_folder": works(lambda: Path(folder, "own").write_text("x")),
    "elsewhere": works(lambda: Path(os.path.dirname(private), "new").write_text("x")),
    "overwrite": works(lambda: Path(declared).write_text("x")),
    "import": works(lambda: __import__("xml.dom.minidom")),
}))
"""
FORBIDDEN = ("private", "private_native", "listing", "parent", "tcp", "udp", "unix", "elsewhere", "overwrite")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder that any user may use, so that only confinement can refuse."""
    for parent in (tmp_path, *tmp_path.parents[:3]):
        if parent.owner() == Path(tmp_path).owner() and parent != Path("/tmp"):
            parent.chmod(0o777)
    for name in ("public", "private", "folder"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o777)
    for name in ("public/declared", "private/secret"):
        (tmp_path / name).write_text("text")
        (tmp_path / name).chmod(0o666)
    return tmp_path


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[tuple[int, str]]:
    """A TCP port and a UNIX socket on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        path = str(tmp_path / "s")
        unix.bind(path)
        os.chmod(path, 0o777)
        unix.listen()
        yield tcp.getsockname()[1], path


def attempts(mechanism: str, place: Path, listeners: tuple[int, str], uid: int = 0) -> dict[str, object]:
    declared, private, folder = (str(place / n) for n in ("public/declared", "private/secret", "folder"))
    argv = [sys.executable, "-c", ATTEMPTS, mechanism, declared, private, folder]
    argv += [str(listeners[0]), listeners[1], str(uid)]
    if mechanism == "inside":
        argv = bubblewrap_command(argv, (*python_installation(), Path(declared)), (Path(folder),))
    library = str(Path(__file__).resolve().parents[3] / "workflow" / "lib")
    environment = {"PATH": os.defpath, "PYTHONPATH": library}
    done = subprocess.run(argv, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@needs_landlock
@pytest.mark.parametrize("uid", [0, 65534], ids=["this_user", "unprivileged"])
def test_a_confined_process_opens_declared_files_only_and_no_socket(
    uid: int, place: Path, listeners: tuple[int, str]
) -> None:
    if uid and os.geteuid():
        pytest.skip("only root can become another user")
    found = attempts("landlock", place, listeners, uid)
    assert {name: found[name] for name in FORBIDDEN} == dict.fromkeys(FORBIDDEN, False)
    assert found["declared"]
    assert found["own_folder"]
    assert found["import"] or uid
    assert found["mechanism"] == "landlock"
    assert "network-namespace" in found["layers"] or "seccomp-sockets" in found["layers"]


def test_without_confinement_every_attempt_works_and_the_record_says_none(
    place: Path, listeners: tuple[int, str]
) -> None:
    found = attempts("none", place, listeners)
    assert all(found[name] for name in FORBIDDEN)
    assert found["mechanism"] == "none"


@needs_bubblewrap
def test_bubblewrap_holds_back_what_landlock_does(place: Path, listeners: tuple[int, str]) -> None:
    found = attempts("inside", place, listeners)
    kept = [name for name in FORBIDDEN if name != "listing"]
    assert {name: found[name] for name in kept} == dict.fromkeys(kept, False)
    assert found["declared"]
    assert found["own_folder"]
    assert found["mechanism"] == "bubblewrap"


@needs_landlock
def test_a_declared_input_that_is_private_after_all_turns_the_mechanism_into_none(
    place: Path, listeners: tuple[int, str]
) -> None:
    (place / "private" / "secret").unlink()
    (place / "private" / "secret").symlink_to(place / "public" / "declared")
    found = attempts("landlock", place, listeners)
    assert found["mechanism"] == "none"
