"""A real Slurm cluster on one host, from Debian's packages, thrown away afterwards.

Several slurmd on one host stand for nodes: n1 to n3 (partition cpu), and n4 with two fake GPUs (gpu).
Everything lies in one folder except links below /etc/slurm: the executor plugin removes SLURM_CONF before its
inner srun, so the configuration must be at Slurm's own place. Daemons end by their recorded process ids.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("munged", "munge", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "scontrol")
FILES = ("slurm.conf", "gres.conf", "cgroup.conf")
ETC = Path("/etc/slurm")
NODES = ("n1", "n2", "n3", "n4")
ANSWER_S = 120


def obstacle() -> str | None:
    """Why no cluster can run here, or None."""
    if os.geteuid():
        return "Slurm's daemons need root"
    missing = [program for program in PROGRAMS if shutil.which(program, path=_PATH) is None]
    if missing:
        return (
            f"not installed: {', '.join(missing)}"
            " (apt-get install --no-install-recommends slurmctld slurmd slurm-client munge)"
        )
    if any((ETC / name).is_file() and not (ETC / name).is_symlink() for name in FILES):
        return f"{ETC} holds the configuration of a real cluster"
    return None


_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


@dataclass(frozen=True)
class Cluster:
    """A running cluster; its files are below `folder`."""

    folder: Path

    def start(self) -> None:
        """Start munged, slurmctld and all slurmd, and wait until every node is ready."""
        for name in ("etc", "log", "run", "state", "spool"):
            (self.folder / name).mkdir(parents=True)
        for gpu in ("gpu0", "gpu1"):
            # A count without device files is refused by slurmd; copies of /dev/null are devices.
            os.mknod(self.folder / "run" / gpu, 0o20666, os.makedev(1, 3))
        self._configure()
        self._munge()
        self.start_controller()
        for node in NODES:
            self.start_node(node)
        self._wait_until_ready()

    def start_controller(self) -> None:
        """Start slurmctld."""
        self._daemon("slurmctld")

    def start_node(self, node: str) -> None:
        """Start a node's slurmd."""
        (self.folder / "spool" / node).mkdir(exist_ok=True)
        self._daemon("slurmd", "-N", node)

    def kill(self, daemon: str) -> None:
        """SIGKILL one daemon: slurmctld, or slurmd.n1 and so on."""
        pid = self._pid(daemon)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        _wait_for_end(pid)
        (self.folder / "run" / f"{daemon}.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Cancel all jobs, then end all daemons, by their recorded ids."""
        with contextlib.suppress(subprocess.SubprocessError):
            for job in self.ask("squeue", "--noheader", "--format=%i").split():
                self.ask("scancel", "--signal=KILL", job)
                self.ask("scancel", job)
            time.sleep(1)
        daemons = [*(f"slurmd.{node}" for node in NODES), "slurmctld", "munged"]
        pids = [pid for pid in map(self._pid, daemons) if pid is not None]
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sign)
            for pid in pids:
                _wait_for_end(pid, 5.0)
        for name in FILES:
            if (ETC / name).is_symlink():
                (ETC / name).unlink()

    def ask(self, *command: str) -> str:
        """The answer of a Slurm command."""
        return subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=ANSWER_S, env=self._environment()
        ).stdout

    def jobs(self, states: str = "all") -> dict[str, str]:
        """Job id -> state, of all jobs that the controller remembers."""
        rows = self.ask("squeue", "--noheader", f"--states={states}", "--format=%i %T").split("\n")
        return dict(row.split(maxsplit=1) for row in rows if row.strip())

    def _configure(self) -> None:
        host = socket.gethostname().split(".")[0]
        controller, *ports = _free_ports(1 + len(NODES))
        text = _SLURM_CONF.format(dir=self.folder, host=host, port=controller)
        for node, port in zip(NODES, ports, strict=True):
            gres = " Gres=gpu:fake:2" if node == NODES[-1] else ""
            text += (
                f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 Boards=1"
                f" SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=64000{gres} State=UNKNOWN\n"
            )
        devices = self.folder / "run" / "gpu[0-1]"
        written = {
            "slurm.conf": text + _PARTITIONS,
            "gres.conf": f"AutoDetect=off\nNodeName={NODES[-1]} Name=gpu Type=fake File={devices}\n",
            "cgroup.conf": "CgroupAutomount=no\nConstrainCores=no\n",
        }
        ETC.mkdir(exist_ok=True)
        for name, content in written.items():
            (self.folder / "etc" / name).write_text(content)
            (ETC / name).unlink(missing_ok=True)
            (ETC / name).symlink_to(self.folder / "etc" / name)

    def _munge(self) -> None:
        key, run = self.folder / "etc" / "munge.key", self.folder / "run"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        files = {"key-file": key, "seed-file": run / "munge.seed", "pid-file": run / "munged.pid"}
        files["log-file"] = self.folder / "log" / "munged.log"
        options = [f"--{name}={path}" for name, path in files.items()]
        self._daemon("munged", "--force", "-S", str(run / "munge.socket"), *options)

    def _daemon(self, *command: str) -> None:
        # Each puts itself into the background; only errors come back.
        with (self.folder / "log" / "start.log").open("a") as log:
            subprocess.run(
                command, check=True, timeout=ANSWER_S, env=self._environment(),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 240
        ready: set[str] = set()
        while ready != set(NODES):
            assert time.monotonic() < deadline, f"only {ready} of {NODES} are up; see {self.folder}/log"
            time.sleep(0.3)
            with contextlib.suppress(subprocess.SubprocessError):
                ready = set(self.ask("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split())

    def _pid(self, daemon: str) -> int | None:
        path = self.folder / "run" / f"{daemon}.pid"
        return int(path.read_text()) if path.exists() and path.read_text().strip() else None

    def _environment(self) -> dict[str, str]:
        return os.environ | {"PATH": _PATH, "SLURM_CONF": str(self.folder / "etc" / "slurm.conf")}


def _free_ports(count: int) -> list[int]:
    """Different ports that nobody uses now."""
    with contextlib.ExitStack() as stack:
        bound = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in bound]


def _wait_for_end(pid: int, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """A cluster for the duration of a block."""
    cluster = Cluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


_SLURM_CONF = """\
ClusterName=routeaudit
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/run/munge.socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool/%n
SlurmctldPidFile={dir}/run/slurmctld.pid
SlurmdPidFile={dir}/run/slurmd.%n.pid
SlurmctldLogFile={dir}/log/slurmctld.log
SlurmdLogFile={dir}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,sched_min_interval=0,bf_interval=1,defer=0,batch_sched_delay=1
ReturnToService=2
MinJobAge=300
KillWait=3
SlurmctldTimeout=30
SlurmdTimeout=10
MessageTimeout=20
OverTimeLimit=0
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
GresTypes=gpu
SlurmdParameters=config_overrides
"""
_PARTITIONS = """\
PartitionName=cpu Nodes=n1,n2,n3 Default=YES MaxTime=1-00:00:00 DefaultTime=10 DefMemPerCPU=200 State=UP
PartitionName=gpu Nodes=n4 Default=NO MaxTime=1-00:00:00 DefaultTime=10 DefMemPerCPU=200 State=UP
"""
