"""The adapter of a benchmark section."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routeaudit.config.benchmarks import (
    BenchmarkConfig,
    HotpotQAConfig,
    LifeEvalConfig,
    MuSiQueConfig,
    RouteLLMConfig,
    RouterBenchConfig,
    TableConfig,
    ToolSandboxConfig,
    ToolSandboxOfflineConfig,
    WikiMultihopConfig,
)
from routeaudit.config.worldhop import WorldhopConfig
from routeaudit.cover.benchmarks.base import Benchmark, Inventory
from routeaudit.cover.benchmarks.hotpotqa import HotpotQA
from routeaudit.cover.benchmarks.inventory import check_counts
from routeaudit.cover.benchmarks.musique import MuSiQue
from routeaudit.cover.benchmarks.outcome_tables.lifeeval import LifeEval
from routeaudit.cover.benchmarks.outcome_tables.long import OutcomeTable
from routeaudit.cover.benchmarks.outcome_tables.routellm import RouteLLM
from routeaudit.cover.benchmarks.outcome_tables.routerbench import RouterBench
from routeaudit.cover.benchmarks.toolsandbox.adapter import ToolSandbox
from routeaudit.cover.benchmarks.wikihop import WikiMultihop
from routeaudit.cover.benchmarks.worldhop import Worldhop

_ADAPTERS: dict[type, Callable[[Any], Benchmark]] = {
    WorldhopConfig: Worldhop,
    HotpotQAConfig: HotpotQA,
    MuSiQueConfig: MuSiQue,
    WikiMultihopConfig: WikiMultihop,
    ToolSandboxOfflineConfig: ToolSandbox,
    ToolSandboxConfig: ToolSandbox,
    RouterBenchConfig: RouterBench,
    RouteLLMConfig: RouteLLM,
    LifeEvalConfig: LifeEval,
    TableConfig: OutcomeTable,
}


def benchmark_of(config: BenchmarkConfig) -> Benchmark:
    """The adapter that a benchmark section asks for."""
    return _ADAPTERS[type(config)](config)


def load_inventory(config: BenchmarkConfig) -> Inventory:
    """Read or generate a benchmark's tasks, with its counts checked."""
    inventory = benchmark_of(config).load()
    check_counts(inventory, f"benchmark {config.kind!r}")
    return inventory
