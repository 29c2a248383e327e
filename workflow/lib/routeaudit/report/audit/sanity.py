"""Sanity constructions, the list of checks and the task-level context: tables 15, 14 and 20."""

from __future__ import annotations

from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.deliberation.nulls import METRICS, NullResult
from routeaudit.report.audit.spelling import value
from routeaudit.report.page import Section, note, paragraph
from routeaudit.report.tables import Column, count, html_table, number, numeric, p_value


def nulls(result: AuditResult) -> Section:
    """Permuted scores and a noisy oracle over the same blocks."""
    runtime = {name: number(value(result.routing, name)) for name in METRICS}
    rows: list[dict[str, object]] = [
        {"name": "Runtime", **runtime},
        *(_null_row(null) for null in result.nulls),
    ]
    columns = [Column("name", "construction"), *(numeric(name, name, str) for name in METRICS)]
    columns.append(numeric("p", "p of PCCA", p_value, "share of permutations that reach the runtime PCCA"))
    caption = "Sanity constructions, mean ± s.d. over repetitions (the paper's table 15)."
    told = (
        f"Under permutation PCCA is 0.5 in expectation and CTR {number(result.permuted_ctr)} by its closed form. "
        "CRA can rise under permutation because another set of blocks is then selected-valid; compare HRWP."
    )
    return Section("nulls", "Sanity constructions", html_table(columns, rows, caption) + paragraph(told))


def _null_row(null: NullResult) -> dict[str, object]:
    spelled = {name: f"{number(null.mean[name])} ± {number(null.sd[name])}" for name in METRICS}
    return {
        "name": f"{null.construction.capitalize()} ({count(null.repeats)} reps)",
        **spelled,
        "p": null.p_value,
    }


def _checks(result: AuditResult) -> list[tuple[str, bool, str]]:
    """(what could be wrong, was it checked, what was found)."""
    c, axis = result.counted, result.axis
    permutation = result.nulls[0]
    pcca = value(result.routing, "PCCA")
    incoherent = next((e for e in result.commitment if e.metric == "incoherent_rate"), None)
    agreed = axis is not None and bool(axis.judge_pairs)
    margins = [m.holds for pair in axis.judge_pairs for m in pair.margins] if axis else []
    return [
        ("The logged selection is not what the routing rule says", c.selection_logged,
         f"{count(c.selection_mismatches)} mismatches with the first-seen argmax in {count(result.totals.blocks)} blocks"),
        ("Confidence ranking is noise", pcca is not None and pcca == pcca,
         f"PCCA {number(pcca)} against 0.5, permutation p {p_value(permutation.p_value)}"),
        ("Labels are missing in a way that matters", True,
         f"{count(c.unlabelled)} unlabelled candidates" + (", bounds shown" if c.unlabelled else "")),
        ("Bin edges decide the calibration error", bool(result.calibrators), "both conventions shown"),
        ("A small calibration error is noise", bool(result.calibrators), "noise floor shown beside each error"),
        ("A recalibration saw its own labels", len(result.calibrators) > 1, "folds by problem; held-out predictions only"),
        ("The divergence judge decides the shift", incoherent is not None,
         "" if incoherent is None else f"{count(int(incoherent.numerator))} equivalent pairs differ in correctness"),
        ("One judge judges its own family", agreed, "second judge on the residual pairs"),
        ("The confusion table is turned round", agreed, "margins equal the judges' own totals" if all(margins) else
         "margins DIFFER from the judges' own totals"),
        ("Outcome linkage hangs on one specification", any(f.model == "linkage_split" for f in result.fits),
         "two specifications and three variants"),
        ("Calibrated scores would route better", "calibrated_argmax" in result.rules, "shown as a counterfactual, not rerun"),
        ("A causal effect of routing, calibration or memory", False, "needs a rerun with the rule changed"),
    ]  # fmt: skip


def checks(result: AuditResult) -> Section:
    """What this run checked, what it did not, and what could not be measured."""
    rows = [
        {
            "concern": concern,
            "done": "checked" if done else "not checked",
            "found": found if done else _why(found),
        }
        for concern, done, found in _checks(result)
    ]
    columns = [Column("concern", "concern"), Column("done", "this run"), Column("found", "result")]
    table = html_table(
        columns, rows, "Robustness checks that this run did and did not do (the paper's table 14)."
    )
    return Section("checks", "Checks", table + gaps(result))


def _why(found: str) -> str:
    return found if found.startswith("needs") else "the trace lacks what it needs"


def gaps(result: AuditResult) -> Markup:
    """What could not be measured, and why."""
    if not result.gaps:
        return note("Every metric of the card could be measured on this trace.")
    rows = [{"stage": g.stage, "metrics": ", ".join(g.metrics), "reason": g.reason} for g in result.gaps]
    columns = [Column("stage", "missing"), Column("metrics", "not measured"), Column("reason", "why")]
    return html_table(columns, rows, "What could not be measured, and why.")


def context(result: AuditResult) -> Section | None:
    """Pass rate and cost of the broadcast and of its baselines on the same problems."""
    if not result.modes:
        return None
    rows = [
        {
            "mode": m.mode,
            "runs": m.runs,
            "pass": m.pass_rate,
            "passed": f"{count(m.passed)} of {count(m.known)}",
            **m.means,
            **{f"{cost}_ratio": ratio for cost, ratio in m.ratios.items()},
        }
        for m in result.modes
    ]
    columns = [
        Column("mode", "mode"),
        numeric("pass", "pass rate"),
        numeric("passed", "passed", str),
        numeric("tokens", "tokens", lambda v: number(v, 0)),
        numeric("calls", "calls", lambda v: number(v, 1)),
        numeric("seconds", "seconds", lambda v: number(v, 1)),
        numeric("tokens_ratio", "tokens ×", lambda v: number(v, 1), "ratio to single_agent"),
        numeric("calls_ratio", "calls ×", lambda v: number(v, 1), "ratio to single_agent"),
        numeric("seconds_ratio", "seconds ×", lambda v: number(v, 1), "ratio to single_agent"),
    ]
    caption = "Task-level context: means per run and ratios to single_agent (the paper's table 20). Not at equal compute."
    return Section("context", "Context", html_table(columns, rows, caption))
