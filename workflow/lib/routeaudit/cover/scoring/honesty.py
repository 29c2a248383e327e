"""What a table of outcomes and routes says before any statistic: no routing, no room, no difference."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from routeaudit.cover.scoring.cells import Cells
from routeaudit.cover.scoring.regret import best_fixed_team, observed_maximum
from routeaudit.cover.scoring.routes import Routes
from routeaudit.inference.findings import Finding, listed
from routeaudit.inference.units import FloatArray, IntArray

_ROUNDING = 1e-12


def findings(cells: Cells, routes: Routes, fixed: Collection[str] = ()) -> tuple[Finding, ...]:
    """Findings of one endpoint; none below two tasks. Teams and the oracle need a complete table.

    ``fixed`` names the policies that are a fixed team by declaration: that they are constant is no news.
    """
    if cells.n_tasks < 2:
        return ()
    return (
        *_constant_policies(cells, routes, fixed),
        *_no_headroom(cells),
        *_identical("identical_routes", "Policies that chose the same team on every task", _picks(routes)),
        *identical_policies(routes.named_outcomes(cells)),
        *_identical("identical_teams", "Teams with the same outcome on every task", _team_outcomes(cells)),
    )


def identical_policies(outcomes: Mapping[str, FloatArray]) -> Iterator[Finding]:
    """Policies with equal outcomes (T,) on every task, all of them observed."""
    known = {name: values for name, values in outcomes.items() if not np.isnan(values).any()}
    return _identical("identical_policies", "Policies with the same outcome on every task", known)


def _constant_policies(cells: Cells, routes: Routes, declared: Collection[str]) -> Iterator[Finding]:
    """Policies that send every task to one team, known by its workers."""
    chosen = cells.members[routes.picks]
    fixed = [
        f"{policy} (team {teams[0]})"
        for policy, teams in zip(routes.policies, chosen, strict=True)
        if policy not in declared and (teams == teams[0]).all()
    ]
    if fixed:
        yield Finding(
            "constant_policy",
            f"{len(fixed)} of {len(routes.policies)} policies route every task to the same team, which is no "
            f"routing: {listed(fixed)}.",
        )


def _no_headroom(cells: Cells) -> Iterator[Finding]:
    fixed = best_fixed_team(cells) if cells.complete else None
    if fixed is not None and float((observed_maximum(cells) - fixed[1]).sum()) <= _ROUNDING:
        yield Finding(
            "no_headroom",
            f"The oracle equals the best fixed team ({fixed[0]}), which is best on every task: routing "
            "cannot help here.",
        )


def _picks(routes: Routes) -> dict[str, IntArray]:
    return dict(zip(routes.policies, routes.picks, strict=True))


def _team_outcomes(cells: Cells) -> dict[str, FloatArray]:
    """Outcomes (T,) of each team that is legal in every task; none unless the table is complete."""
    names, codes = np.unique(cells.members.astype(str), return_inverse=True)
    everywhere = np.flatnonzero(np.bincount(codes) == cells.n_tasks)
    if not cells.complete or not everywhere.size:
        return {}
    order = np.argsort(codes, kind="stable")
    grouped = cells.value[order[np.isin(codes[order], everywhere)]].reshape(everywhere.size, cells.n_tasks)
    return dict(zip(names[everywhere].tolist(), grouped, strict=True))


def _identical(name: str, what: str, columns: Mapping[str, FloatArray | IntArray]) -> Iterator[Finding]:
    """One finding for all groups of two or more equal columns."""
    alike: dict[bytes, list[str]] = {}
    for column, values in columns.items():
        alike.setdefault(np.ascontiguousarray(values + 0).tobytes(), []).append(column)
    groups = [group for group in alike.values() if len(group) > 1]
    if groups:
        yield Finding(name, f"{what}: {_spelled(groups)}; nothing here can tell them apart.")


def _spelled(groups: Sequence[Sequence[str]]) -> str:
    """a = b, c = d = e: each group by its first names."""
    return listed([f"{' = '.join(group[:6])}{_more(len(group) - 6)}" for group in groups])


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
