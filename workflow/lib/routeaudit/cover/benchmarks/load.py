"""The adapter of a benchmark section."""

from __future__ import annotations

from routeaudit.config.benchmarks import (
    BenchmarkConfig,
    HotpotQAConfig,
    MuSiQueConfig,
    WikiMultihopConfig,
)
from routeaudit.cover.benchmarks.base import Benchmark, Inventory
from routeaudit.cover.benchmarks.hotpotqa import HotpotQA
from routeaudit.cover.benchmarks.inventory import check_counts
from routeaudit.cover.benchmarks.musique import MuSiQue
from routeaudit.cover.benchmarks.wikihop import WikiMultihop
from routeaudit.cover.benchmarks.worldhop import Worldhop


def benchmark_of(config: BenchmarkConfig) -> Benchmark:
    """The adapter that a benchmark section asks for."""
    match config:
        case HotpotQAConfig():
            return HotpotQA(config)
        case MuSiQueConfig():
            return MuSiQue(config)
        case WikiMultihopConfig():
            return WikiMultihop(config)
        case _:
            return Worldhop(config)


def load_inventory(config: BenchmarkConfig) -> Inventory:
    """Read or generate a benchmark's tasks, with its counts checked."""
    inventory = benchmark_of(config).load()
    check_counts(inventory, f"benchmark {config.kind!r}")
    return inventory
