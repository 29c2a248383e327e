"""Faults of a cluster: each recovers or is told, nothing finished is sent again, the tables stay the same."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from project_copy import Project
from routeaudit.execution import read_journals
from routeaudit.tables import content_digest
from slurm.cluster import Cluster
from slurm.runs import MESSAGES, Run, stage_processes, started, study, wait_until, without_messages

pytestmark = [pytest.mark.slurm, pytest.mark.timeout(900)]

JOURNAL = Path("results/journal")
SLOW = "stacks.scripted.worker.model.delay_s=3.0"
MEASURED = "stacks.scripted.worker.model.delay_s=0.5"


def finished(folder: Path, shard: str = "") -> int:
    """Requests in the journals, or in those of one shard."""
    return sum(
        path.read_text().count('"completion"')
        for path in (folder / JOURNAL).glob(f"*messages-{shard}*.jsonl")
    )


def job_of(run: Run, shard: str) -> str:
    """The Slurm id of a worker shard's latest job."""
    return re.findall(rf"SLURM jobid (\d+) \(log: \S*/rule_work/\S*_{shard}_", run.output)[-1]


def assert_same_messages(folder: Path, local: Project) -> None:
    """The messages are those of the local run, and no request was answered twice."""
    assert content_digest(folder / MESSAGES) == content_digest(local.folder / MESSAGES)
    records = read_journals(folder / JOURNAL)
    assert (records.repeated, records.torn) == (0, 0)


@dataclass(frozen=True)
class Faulty:
    """A run whose three worker jobs met one fault each: job ids by fault, what was finished before each."""

    folder: Path
    run: Run
    jobs: dict[str, str]
    states: dict[str, str]


@pytest.fixture(scope="module")
def faulty(cluster: Cluster, local: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    """Shard 1 is cancelled, shard 2's process killed, shard 3 runs over its time; a minute per attempt."""
    folder = without_messages(local, tmp_path_factory.mktemp("faulty"))
    words = (*study("execution.shards=3", SLOW), "--set-resources", "work:runtime=attempt")
    with started(folder, str(MESSAGES), *words) as run:
        wait_until(lambda: all(finished(folder, shard) > 1 for shard in "123"), "three working jobs")
        jobs = {"scancel": job_of(run, "1"), "kill": job_of(run, "2"), "time": job_of(run, "3")}
        cluster.ask("scancel", jobs["scancel"])
        (worker,) = stage_processes(folder, "shard=2", "work")
        os.kill(worker, signal.SIGKILL)
        assert run.end() == 0, run.output[-6000:]
        yield Faulty(folder, run, jobs, cluster.jobs())


@pytest.mark.parametrize(
    ("fault", "state"), [("scancel", "CANCELLED"), ("kill", "FAILED"), ("time", "TIMEOUT")]
)
def test_a_fault_of_one_job_is_told_and_the_job_is_submitted_again(
    faulty: Faulty, fault: str, state: str
) -> None:
    job = faulty.jobs[fault]
    assert faulty.states[job] == state
    assert f"SLURM-job '{job}' failed, SLURM status is: '{state}'" in faulty.run.output
    assert list((faulty.folder / "results" / "slurm-logs").rglob(f"{job}.log")), "logs of failures are kept"


def test_after_faults_the_messages_are_the_clean_runs_and_nothing_was_answered_twice(
    faulty: Faulty, local: Project
) -> None:
    assert_same_messages(faulty.folder, local)


def test_a_rerun_cancels_the_jobs_of_a_killed_controller(
    cluster: Cluster, local: Project, tmp_path: Path
) -> None:
    folder = without_messages(local, tmp_path)
    with started(folder, str(MESSAGES), *study(MEASURED)) as first:
        wait_until(lambda: finished(folder) > 2, "the worker's first answers")
        orphan = job_of(first, "1")
        with started(folder, str(MESSAGES), *study(MEASURED)) as second:
            assert second.end() != 0
        assert (
            f"Another run of the workflow lives in this folder: process {first.process.pid}" in second.output
        )
        first.process.kill()
        first.process.wait()
    assert cluster.jobs()[orphan] == "RUNNING"
    with started(folder, str(MESSAGES), *study(MEASURED)) as third:
        assert third.end() == 0, third.output[-4000:]
    assert f"Job {orphan} of an earlier run in this folder" in third.output
    assert cluster.jobs()[orphan] == "CANCELLED"
    assert_same_messages(folder, local)


@pytest.mark.slow
def test_a_second_run_is_refused_even_after_unlock(cluster: Cluster, local: Project, tmp_path: Path) -> None:
    folder = without_messages(local, tmp_path)
    with started(folder, str(MESSAGES), *study(MEASURED)) as first:
        wait_until(lambda: finished(folder) > 2, "the worker's first answers")
        for lock in (folder / ".snakemake" / "locks").glob("*.lock"):
            lock.unlink()
        with started(folder, str(MESSAGES), *study(MEASURED)) as second:
            assert second.end() != 0
        assert "one run of the workflow at a time in this folder" in second.output
        assert f"another one lives: process {first.process.pid} on host" in second.output
        assert cluster.jobs()[job_of(first, "1")] == "RUNNING"
        assert first.end() == 0, first.output[-4000:]
    assert_same_messages(folder, local)


@pytest.mark.parametrize(("refusals", "status"), [(2, 0), (99, 1)])
def test_failing_submissions_are_tried_again_and_told(
    cluster: Cluster, local: Project, tmp_path: Path, refusals: int, status: int
) -> None:
    folder = without_messages(local, tmp_path / "project")
    fakes = tmp_path / "bin"
    fakes.mkdir()
    (fakes / "sbatch").write_text(_REFUSING.format(count=fakes / "count", refusals=refusals))
    (fakes / "sbatch").chmod(0o755)
    (fakes / "count").touch()
    shard = MESSAGES.with_name("messages-1-of-1.parquet")
    path = {"PATH": f"{fakes}:{os.environ['PATH']}"}
    with started(folder, str(shard), *study(), variables=path) as run:
        assert run.end() == status, run.output[-4000:]
    assert run.output.count("the cluster refuses this job") >= min(refusals, 3)
    assert (folder / shard).exists() == (status == 0)


_REFUSING = """#!/bin/sh
echo x >> {count}
[ "$(wc -l < {count})" -gt {refusals} ] && exec /usr/bin/sbatch "$@"
echo "sbatch: error: the cluster refuses this job" >&2
exit 1
"""


@pytest.mark.parametrize(("gpus", "told"), [(1, "stub engine on 1 device"), (2, "2 visible")])
def test_a_worker_refuses_other_devices_than_it_asked_for(
    cluster: Cluster, local: Project, tmp_path: Path, gpus: int, told: str
) -> None:
    folder = without_messages(local, tmp_path / "project")
    stub = tmp_path / "stub"
    (stub / "vllm").mkdir(parents=True)
    (stub / "vllm" / "__init__.py").write_text(_STUB)
    configuration = folder / "config" / "study" / "simulated.yaml"
    configuration.write_text(_worker_on_vllm(configuration.read_text()))
    words = (*study(), "--retries", "0")
    more = ("--set-resources", "work:gpu=2") if gpus == 2 else ()
    shard = MESSAGES.with_name("messages-1-of-1.parquet")
    with started(folder, str(shard), *words, *more, variables={"PYTHONPATH": str(stub)}) as run:
        assert run.end() == 1
    assert "Auto-selected partition 'gpu' for job work" in run.output, run.output
    log = (folder / "results/simulated/logs/work-train-scripted-1-of-1.log").read_text()
    assert told in log


def _worker_on_vllm(configuration: str) -> str:
    other = configuration.replace("worker.model: scripted", "worker.model: vllm")
    return re.sub(r"worker: \{model: .*", 'worker: {model: {model: hub/id, engine_version: "1.0"}}', other)


_STUB = """import os
def LLM(**settings):
    raise RuntimeError(f"stub engine on {len(os.environ['CUDA_VISIBLE_DEVICES'].split(','))} device")
"""


@pytest.mark.slow
def test_a_job_whose_node_dies_runs_again_elsewhere(cluster: Cluster, local: Project, tmp_path: Path) -> None:
    folder = without_messages(local, tmp_path)
    with started(folder, str(MESSAGES), *study(MEASURED)) as run:
        wait_until(lambda: finished(folder) > 2, "the worker's first answers")
        job = job_of(run, "1")
        node = cluster.ask("squeue", "--noheader", f"--job={job}", "--format=%N").strip()
        cluster.kill(f"slurmd.{node}")
        try:
            assert run.end() == 0, run.output[-4000:]
        finally:
            cluster.start_node(node)
            time.sleep(5)
    assert f"SLURM-job '{job}' failed due to a node failure" in run.output
    assert_same_messages(folder, local)
