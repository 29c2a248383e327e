"""Two-level inference, tasks x replicates: what task sampling and generation noise add to the error."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from routeaudit.inference.units import FloatArray


@dataclass(frozen=True)
class VarianceSplit:
    """Components of a per-task quantity with R replicates: ``task`` between tasks, ``noise`` within a task.

    The variance of the mean over T tasks and R replicates is task / T + noise / (T R).
    """

    task: float
    noise: float
    tasks: int
    replicates: int
    reason: str = ""

    @property
    def error(self) -> float:
        """Standard error of the mean for the population of tasks."""
        return math.sqrt(self.task / self.tasks + self.noise / (self.tasks * self.replicates))

    @property
    def benchmark_error(self) -> float:
        """Standard error for the expected outcome on exactly these tasks: generation noise alone."""
        return math.sqrt(self.noise / (self.tasks * self.replicates))

    @property
    def noise_share(self) -> float:
        """Share of the variance of the mean that more replicates could remove; NaN without variance."""
        total = self.error**2
        return self.benchmark_error**2 / total if total > 0 else math.nan

    def error_with(self, tasks: int, replicates: int) -> float:
        """Standard error that another design would have."""
        return math.sqrt(self.task / tasks + self.noise / (tasks * replicates))

    def replicates_to_buy(self, task_cost: float, run_cost: float) -> float:
        """Replicates per task that minimise the error of a fixed budget, before rounding.

        sqrt(noise / task * task_cost / run_cost) for a fixed cost per task and a cost per run; never below 1,
        and infinite where tasks do not differ.
        """
        if self.noise == 0:
            return 1.0
        if self.task == 0:
            return math.inf
        return max(1.0, math.sqrt(self.noise / self.task * task_cost / run_cost))


def split_variance(values: FloatArray) -> VarianceSplit:
    """One-way random-effects split of ``values`` (T, R); the task component is floored at 0.

    R = 1 or T = 1 leaves a component unidentified: NaN with a reason.
    """
    tasks, replicates = values.shape
    if replicates < 2 or tasks < 2:
        reason = "one_replicate" if replicates < 2 else "one_task"
        return VarianceSplit(math.nan, math.nan, tasks, replicates, reason)
    means = values.mean(axis=1)
    noise = float(values.var(axis=1, ddof=1).mean())
    task = max(0.0, float(np.var(means, ddof=1)) - noise / replicates)
    return VarianceSplit(task, noise, tasks, replicates)
