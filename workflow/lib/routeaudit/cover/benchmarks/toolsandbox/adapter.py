"""Tasks from ToolSandbox's exported scenarios: with outcomes from the family map, or to be played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations

from routeaudit.config.benchmarks import ToolSandboxConfig, ToolSandboxOfflineConfig
from routeaudit.cover.benchmarks.base import Inventory, Passage, SourceCell, SourceTask, SourceWorker
from routeaudit.cover.benchmarks.multihop import check_question
from routeaudit.cover.benchmarks.sources import check_unique, locate, read_records
from routeaudit.cover.benchmarks.toolsandbox.families import (
    COMMON_TOOLS,
    FAMILY_TOOLS,
    NETWORK_TOOLS,
    family_of_tool,
)
from routeaudit.cover.benchmarks.toolsandbox.scenarios import (
    Scenario,
    base_and_augmentation,
    forbidden_families,
    named_tools,
    needed_families,
)
from routeaudit.tables import canonical_json, text_digest

NO_TOOL = "names_no_tool_and_no_database"
NETWORK = "needs_a_network_service"


@dataclass(frozen=True)
class ToolSandbox:
    """Scenarios as tasks; a worker is a tool family with its tools, a task's tier is its augmentation.

    Scenarios that need no family and forbid none are counted out. Source ids are the base scenario and
    digests of its milestones and of the user's request: rephrasings of one base have equal milestones, and
    scenarios that differ in the device's state alone have equal requests.

    Played, a task has no outcome yet, and scenarios whose milestones name a tool that asks a hosted service
    are counted out. Offline, a team's outcome (safe-evidence completion, 0 or 1): it holds every family that
    a milestone needs, and no family whose tool a minefield punishes (a team that cannot call a tool cannot
    trip its mine; that one which can does so is the cautious reading).
    """

    config: ToolSandboxOfflineConfig | ToolSandboxConfig

    def load(self) -> Inventory:
        """Read the file. Raises InputError for a scenario that is broken rather than unsuitable."""
        records = read_records(locate(self.config.source), Scenario)
        check_unique([(where, scenario.name) for where, scenario in records])
        tasks = [self._task(scenario, where) for where, scenario in records]
        kept = tuple(task for task in tasks if isinstance(task, SourceTask))
        dropped = Counter(reason for reason in tasks if isinstance(reason, str))
        return Inventory(kept, len(records), dict(dropped))

    def _task(self, scenario: Scenario, where: str) -> SourceTask | str:
        """The task, or the reason why there is none."""
        question = "\n".join(scenario.user_request)
        check_question(question, where)
        needed, forbidden = needed_families(scenario, where), forbidden_families(scenario, where)
        if not needed and not forbidden:
            return NO_TOOL
        played = isinstance(self.config, ToolSandboxConfig)
        if played and NETWORK_TOOLS & set(named_tools(scenario.milestones)):
            return NETWORK
        base, augmentation = base_and_augmentation(scenario.name)
        return SourceTask(
            original_id=scenario.name,
            question=question,
            answer="",
            aliases=(),
            source_ids=(
                f"base:{base}",
                f"milestones:{_milestones_digest(scenario)}",
                f"request:{_digest(scenario.user_request)}",
            ),
            required_units=tuple(sorted(needed)),
            workers=tuple(_worker(family, self._tools(family, scenario, where)) for family in FAMILY_TOOLS),
            tier=augmentation or "plain",
            cells=() if played else tuple(_cells(needed, forbidden)),
        )

    def _tools(self, family: str, scenario: Scenario, where: str) -> list[str]:
        if self.config.card == "family":
            return list(FAMILY_TOOLS[family])
        allowed = set(scenario.tool_allow_list) - COMMON_TOOLS
        return sorted(tool for tool in allowed if family_of_tool(tool, where) == family)


def safe_completion(team: Collection[str], needed: Collection[str], forbidden: Collection[str]) -> float:
    """1 where the team holds every needed and no forbidden family, else 0."""
    held = set(team)
    return float(held >= set(needed) and not held & set(forbidden))


def _cells(needed: Collection[str], forbidden: Collection[str]) -> list[SourceCell]:
    teams = [
        team for size in range(1, len(FAMILY_TOOLS) + 1) for team in combinations(sorted(FAMILY_TOOLS), size)
    ]
    return [SourceCell(team, safe_completion(team, needed, forbidden)) for team in teams]


def _worker(family: str, tools: list[str]) -> SourceWorker:
    card = f"{family.replace('_', ' ')}: {', '.join(tools) or 'no tools'}"
    return SourceWorker(card, (Passage(family, family, (card,)),), slot=0, name=family)


def _milestones_digest(scenario: Scenario) -> str:
    demands = [
        [[snapshot.model_dump() for snapshot in group] for group in groups]
        for groups in (scenario.milestones, scenario.minefields)
    ]
    return _digest(demands)


def _digest(value: object) -> str:
    return text_digest(canonical_json(value))[:16]
