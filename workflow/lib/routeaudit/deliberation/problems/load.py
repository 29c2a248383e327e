"""From the configuration of a problem set to its problems."""

from __future__ import annotations

from routeaudit.config.problems import FileProblems, WorldProblems
from routeaudit.deliberation.problems.base import Problem, unique_problems
from routeaudit.deliberation.problems.files import file_problems
from routeaudit.deliberation.problems.world import world_problems


def load_problems(config: WorldProblems | FileProblems) -> tuple[Problem, ...]:
    """The problems of a benchmark.

    Raises
    ------
    InputError : a file that is absent, another one than declared, or off its format
    """
    if isinstance(config, WorldProblems):
        return unique_problems(world_problems(config), "world")
    return unique_problems(file_problems(config), ", ".join(config.files))
