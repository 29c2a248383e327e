"""Cost of the statistics engine beside its peers: CPU seconds and peak memory, one process per measurement.

    python benchmarks/inference.py [--peers PYTHON] [--only SUBSTRING] [--output benchmarks/RESULTS.md]

``--peers`` is the interpreter of an environment that has envs/bench.in beside the lock (default:
.venv-bench/bin/python). CPU seconds are user + system of the whole process during the measured call, minimum
over the repeats; memory is what the call adds to the peak resident size. A peer too slow to run whole runs
fewer resamples or fewer tasks and is scaled linearly: its factor is printed. Nothing here is needed by the
library or its tests.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from inference_cases import OURS, Case, cases
from statistics_commands import whole_commands
from targets import targets

ROOT = Path(__file__).resolve().parents[1]


def resident(field: str) -> float:
    """VmRSS or VmHWM of this process in MiB (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def measure(case: Case) -> dict[str, float]:
    """CPU seconds (minimum) and added peak memory of a case in this process."""
    run = case.prepare()
    Path("/proc/self/clear_refs").write_text("5")
    before, seconds = resident("VmRSS"), []
    for _ in range(case.repeats):
        started = time.process_time()
        run()
        seconds.append(time.process_time() - started)
    return {"cpu": min(seconds) * case.scale, "memory": resident("VmHWM") - before}


def child(index: int) -> None:
    """Measure one case and print it as JSON."""
    print(json.dumps(measure(cases()[index])))


def measure_all(peers: Path, only: str) -> list[tuple[Case, dict[str, float] | None]]:
    """Every case in its own process; None where its library is not installed."""
    results = []
    for index, case in enumerate(cases()):
        if only and only not in f"{case.group} {case.size} {case.method}":
            continue
        python = str(peers) if case.method.split()[0] in ("arch", "polars", "duckdb") else sys.executable
        command = [python, str(Path(__file__).resolve()), "--child", str(index)]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "workflow" / "lib"), "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        found = json.loads(done.stdout) if done.returncode == 0 else None
        results.append((case, found))
        print(case.group, case.size, case.method, found or done.stderr[-300:], flush=True)
    return results


def tables(results: list[tuple[Case, dict[str, float] | None]]) -> Iterator[str]:
    """One Markdown table per group, with the ratio of each peer to ours."""
    for group in dict.fromkeys(case.group for case, _ in results):
        yield f"\n## {group}\n"
        yield "| size | method | CPU seconds | ratio to ours | added peak memory, MiB | measured share |"
        yield "|---|---|---|---|---|---|"
        rows = [(case, found) for case, found in results if case.group == group]
        for size in dict.fromkeys(case.size for case, _ in rows):
            here = [(case, found) for case, found in rows if case.size == size]
            ours = next(
                (found["cpu"] for case, found in here if case.method.startswith(OURS) and found), None
            )
            yield from (_line(case, found, ours) for case, found in here)


def _line(case: Case, found: dict[str, float] | None, ours: float | None) -> str:
    if found is None:
        return f"| {case.size} | {case.method} | not installed | | | |"
    ratio = "" if ours is None else f"{found['cpu'] / ours:.2f}"
    share = "whole" if case.scale == 1 else f"1/{case.scale:g}, scaled"
    return f"| {case.size} | {case.method} | {found['cpu']:.4g} | {ratio} | {found['memory']:.0f} | {share} |"


def document(
    results: list[tuple[Case, dict[str, float] | None]],
    commands: list[tuple[str, dict[str, float]]],
    load: str,
    peers: Path,
) -> str:
    """The whole page."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "statsmodels"))
    measured = {(case.size, case.method): found for case, found in results if found}
    lines = [
        "# Benchmarks of the statistics engine",
        "",
        "Written by `make bench` (`benchmarks/inference.py`). One machine, one run, one process per row:",
        "CPU seconds (user + system, all threads, minimum of the repeats) and the memory that the measured",
        "call adds. Rows marked scaled ran a share of the job. Other load inflates CPU seconds; read ratios.",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {libraries}.",
        f"In the peers' environment: {peer_versions(peers)}. Load average before and after: {load}.",
        "",
        "## Targets",
        "",
        *targets(measured, dict(commands)),
        *tables(results),
    ]
    if commands:
        lines += [
            "",
            "## Whole processes",
            "",
            "| command | wall s | CPU s | peak memory, MiB |",
            "|---|---|---|---|",
        ]
        lines += [
            f"| {name} | {m['wall']:.2f} | {m['cpu']:.2f} | {m['memory']:.0f} |" for name, m in commands
        ]
    return "\n".join(lines) + "\n"


def peer_versions(python: Path) -> str:
    """Libraries that only the peers' interpreter has, with their versions."""
    script = (
        "from importlib.metadata import version\n"
        "print(', '.join(f'{name} {version(name)}' for name in ('arch', 'polars', 'duckdb')))"
    )
    if not python.exists():
        return "nothing, it is not installed"
    done = subprocess.run([str(python), "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main() -> None:
    """Measure everything and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", type=Path, default=ROOT / ".venv-bench/bin/python")
    parser.add_argument(
        "--only", default="", help="measure only cases whose name contains this; writes nothing"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/RESULTS.md")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        return child(arguments.child)
    before = os.getloadavg()[0]
    results = measure_all(arguments.peers, arguments.only)
    if arguments.only:
        return None
    commands = whole_commands()
    page = document(results, commands, f"{before:.1f}, {os.getloadavg()[0]:.1f}", arguments.peers)
    arguments.output.write_text(page, encoding="utf-8")
    print(page)
    return None


if __name__ == "__main__":
    main()
