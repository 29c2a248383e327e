"""The measured calls: ours and every peer's, each a function that prepares its data and returns the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

POLICIES = 20


def graded(tasks: int, columns: int) -> Any:
    """Zero-inflated graded per-task regrets, (tasks, columns)."""
    import numpy as np

    rng = np.random.default_rng(0)
    values = rng.beta(1, 2, (tasks, columns))
    values[rng.random((tasks, columns)) < 0.6] = 0
    return values


def ours_mc(tasks: int, resamples: int) -> Callable[[], Callable[[], Any]]:
    """Joint Monte Carlo: sorted replicates of all policies and all pairs of their means."""

    def prepare() -> Callable[[], Any]:
        import numpy as np

        from routeaudit.inference.streams import Stream
        from routeaudit.inference.weights import resampled_sums

        values, pairs = graded(tasks, POLICIES), np.triu_indices(POLICIES, 1)

        def run() -> Any:
            means = resampled_sums(values, resamples, Stream(0, "bench")) / tasks
            ends = [int(0.025 * resamples), int(0.975 * resamples)]
            return [np.partition(means[:, p] - means[:, q], ends)[ends] for p, q in zip(*pairs, strict=True)]

        return run

    return prepare


def ours_analytic(tasks: int) -> Callable[[], Callable[[], Any]]:
    """Deterministic B = infinity quantiles of all 190 pairs."""

    def prepare() -> Callable[[], Any]:
        import numpy as np

        from routeaudit.inference.cornish_fisher import bootstrap_quantile, contrast_moments

        values = graded(tasks, POLICIES)
        plus, minus = np.triu_indices(POLICIES, 1)
        contrasts = np.zeros((plus.size, POLICIES))
        contrasts[np.arange(plus.size), plus], contrasts[np.arange(plus.size), minus] = 1, -1

        def run() -> Any:
            moments = contrast_moments(values, contrasts)
            return bootstrap_quantile(moments, 0.025), bootstrap_quantile(moments, 0.975)

        return run

    return prepare


def scipy_bootstrap(tasks: int, resamples: int) -> Callable[[], Callable[[], Any]]:
    """scipy.stats.bootstrap, percentile, the 20 policies jointly."""

    def prepare() -> Callable[[], Any]:
        import numpy as np
        from scipy import stats

        values = graded(tasks, POLICIES).T
        batch = max(1, 50_000_000 // (tasks * POLICIES))
        rng = np.random.default_rng(0)
        return lambda: stats.bootstrap(
            (values,), np.mean, axis=-1, n_resamples=resamples, batch=batch, method="percentile", rng=rng
        )

    return prepare


def arch_bootstrap(tasks: int, resamples: int) -> Callable[[], Callable[[], Any]]:
    """arch IIDBootstrap, percentile, the 20 policies jointly."""

    def prepare() -> Callable[[], Any]:
        from arch.bootstrap import IIDBootstrap

        values = graded(tasks, POLICIES)
        return lambda: IIDBootstrap(values, seed=0).conf_int(
            lambda sample: sample.mean(0), reps=resamples, method="percentile"
        )

    return prepare


def numpy_bootstrap(tasks: int, resamples: int) -> Callable[[], Callable[[], Any]]:
    """The best hand-written numpy: counts by bincount, one single-precision product per batch."""

    def prepare() -> Callable[[], Any]:
        import numpy as np

        values = graded(tasks, POLICIES).astype(np.float32)
        rng = np.random.default_rng(0)
        batch = max(1, min(resamples, 4_000_000 // tasks))

        def run() -> Any:
            means = np.empty((resamples, POLICIES), dtype=np.float32)
            for start in range(0, resamples, batch):
                rows = min(batch, resamples - start)
                drawn = rng.integers(0, tasks, (rows, tasks), dtype=np.int32)
                drawn += (np.arange(rows, dtype=np.int32) * tasks)[:, None]
                counts = np.bincount(drawn.ravel(), minlength=rows * tasks).reshape(rows, tasks)
                means[start : start + rows] = counts.astype(np.float32) @ values / tasks
            return np.quantile(means, [0.025, 0.975], axis=0)

        return run

    return prepare


def numpy_gather(tasks: int, resamples: int) -> Callable[[], Callable[[], Any]]:
    """The plain numpy loop: one fancy-indexed mean per resample."""

    def prepare() -> Callable[[], Any]:
        import numpy as np

        values, rng = graded(tasks, POLICIES), np.random.default_rng(0)

        def run() -> Any:
            means = [values[rng.integers(0, tasks, tasks)].mean(axis=0) for _ in range(resamples)]
            return np.quantile(means, [0.025, 0.975], axis=0)

        return run

    return prepare


def table(tasks: int, teams: int) -> tuple[Any, Any]:
    """Outcomes (tasks, teams) in single precision, sorted by task, and one chosen team per task."""
    import numpy as np

    rng = np.random.default_rng(0)
    return rng.random((tasks, teams), dtype=np.float32), rng.integers(0, teams, tasks)


def ours_regret(tasks: int, teams: int) -> Callable[[], Callable[[], Any]]:
    """Per-task regret of one policy from the sorted values."""

    def prepare() -> Callable[[], Any]:
        import numpy as np

        from routeaudit.cover.scoring.maxima import task_maximum

        values, picks = table(tasks, teams)
        flat, offsets = values.ravel(), np.arange(tasks + 1) * teams
        chosen = offsets[:-1] + picks

        def run() -> Any:
            regret = task_maximum(flat, offsets)
            np.subtract(regret, flat[chosen], out=regret)
            return float(regret.sum(dtype=np.float64))

        return run

    return prepare


def numpy_regret(tasks: int, teams: int) -> Callable[[], Callable[[], Any]]:
    """Hand-written numpy: maximum along the rows of the matrix."""

    def prepare() -> Callable[[], Any]:
        import numpy as np

        values, picks = table(tasks, teams)
        rows = np.arange(tasks)
        return lambda: float((values.max(axis=1) - values[rows, picks]).sum(dtype=np.float64))

    return prepare


def long_table(tasks: int, teams: int) -> tuple[Any, Any]:
    """The same outcomes as columns task, team, y and the routes as task, team."""
    import numpy as np

    values, picks = table(tasks, teams)
    task = np.repeat(np.arange(tasks, dtype=np.int32), teams)
    team = np.tile(np.arange(teams, dtype=np.int32), tasks)
    routes = {"task": np.arange(tasks, dtype=np.int32), "team": picks.astype(np.int32)}
    return {"task": task, "team": team, "y": values.ravel()}, routes


def pandas_regret(tasks: int, teams: int) -> Callable[[], Callable[[], Any]]:
    """pandas: group maximum and a merge with the routes."""

    def prepare() -> Callable[[], Any]:
        import pandas as pd

        cells, routes = (pd.DataFrame(part) for part in long_table(tasks, teams))

        def run() -> Any:
            best = cells.groupby("task", sort=False)["y"].max()
            chosen = routes.merge(cells, on=["task", "team"])
            return float((best.loc[chosen["task"]].to_numpy() - chosen["y"].to_numpy()).sum(dtype="f8"))

        return run

    return prepare


def polars_regret(tasks: int, teams: int) -> Callable[[], Callable[[], Any]]:
    """polars: lazy group maximum and join."""

    def prepare() -> Callable[[], Any]:
        import polars as pl

        cells, routes = (pl.DataFrame(part).lazy() for part in long_table(tasks, teams))
        best = cells.group_by("task").agg(pl.col("y").max().alias("best"))
        chosen = routes.join(cells, on=["task", "team"]).join(best, on="task")
        total = chosen.select((pl.col("best").cast(pl.Float64) - pl.col("y")).sum())
        return lambda: total.collect().item()

    return prepare


def duckdb_regret(tasks: int, teams: int) -> Callable[[], Callable[[], Any]]:
    """duckdb: the same in SQL over a native table."""

    def prepare() -> Callable[[], Any]:
        import duckdb
        import pyarrow as pa

        cells, routes = (pa.table(part) for part in long_table(tasks, teams))
        connection = duckdb.connect()
        connection.register("arrow_cells", cells)
        connection.register("arrow_routes", routes)
        connection.execute("create table cells as select * from arrow_cells")
        connection.execute("create table routes as select * from arrow_routes")
        query = (
            "with best as (select task, max(y)::double as best from cells group by task) "
            "select sum(best - y) from routes join cells using (task, team) join best using (task)"
        )
        return lambda: connection.execute(query).fetchone()

    return prepare


def logit_data(rows: int, clusters: int) -> tuple[Any, Any, Any]:
    """Outcome, ten covariates and cluster of each row."""
    import numpy as np

    rng = np.random.default_rng(0)
    design = rng.standard_normal((rows, 10))
    shift = design @ rng.normal(0, 0.3, 10)
    return (
        (rng.random(rows) < 1 / (1 + np.exp(-shift))).astype(float),
        design,
        rng.integers(0, clusters, rows),
    )


def ours_logit(rows: int, clusters: int) -> Callable[[], Callable[[], Any]]:
    """The cluster-robust logit of the trace audit."""

    def prepare() -> Callable[[], Any]:
        import pandas as pd

        from routeaudit.deliberation.linkage.logit import fit_logit

        outcome, design, codes = logit_data(rows, clusters)
        frame = pd.DataFrame(design, columns=[f"x{j}" for j in range(10)])
        return lambda: fit_logit("bench", outcome, frame, codes)

    return prepare


def statsmodels_logit(rows: int, clusters: int) -> Callable[[], Callable[[], Any]]:
    """statsmodels Logit with clustered covariance."""

    def prepare() -> Callable[[], Any]:
        import statsmodels.api as sm

        outcome, design, codes = logit_data(rows, clusters)
        design = sm.add_constant(design)
        return lambda: sm.Logit(outcome, design).fit(disp=0, cov_type="cluster", cov_kwds={"groups": codes})

    return prepare
