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
        f"Under permutation PCCA is 0.5 in expectation and CTR {number(result.permuted_ctr)} by its closed "
        "form. CRA can rise under permutation because another set of blocks is then selected-valid; "
        "compare HRWP."
    )
    return Section("nulls", "Sanity constructions", html_table(columns, rows, caption) + paragraph(told))


def _null_row(null: NullResult) -> dict[str, object]:
    spelled = {name: f"{number(null.mean[name])} ± {number(null.sd[name])}" for name in METRICS}
    return {
        "name": f"{null.construction.capitalize()} ({count(null.repeats)} reps)",
        **spelled,
        "p": null.p_value,
    }


Check = tuple[str, bool, str]


def _routing_checks(result: AuditResult) -> list[Check]:
    c, pcca = result.counted, value(result.routing, "PCCA")
    agree = f"{count(c.selection_mismatches)} mismatches with the first-seen argmax"
    noise = f"PCCA {number(pcca)} against 0.5, permutation p {p_value(result.nulls[0].p_value)}"
    labels = f"{count(c.unlabelled)} unlabelled candidates" + (", bounds shown" if c.unlabelled else "")
    return [
        ("The logged selection is not what the routing rule says", c.selection_logged, agree),
        ("Confidence ranking is noise", pcca is not None and pcca == pcca, noise),
        ("Labels are missing in a way that matters", True, labels),
        (
            "Calibrated scores would route better",
            "calibrated_argmax" in result.rules,
            "shown as a counterfactual, not rerun",
        ),
    ]


def _calibration_checks(result: AuditResult) -> list[Check]:
    measured = bool(result.calibrators)
    return [
        ("Bin edges decide the calibration error", measured, "both conventions shown"),
        ("A small calibration error is noise", measured, "noise floor shown beside each error"),
        (
            "A recalibration saw its own labels",
            len(result.calibrators) > 1,
            "held-out predictions by problem",
        ),
    ]


def _commitment_checks(result: AuditResult) -> list[Check]:
    pairs = result.axis.judge_pairs if result.axis else ()
    found = next((e for e in result.commitment if e.metric == "incoherent_rate"), None)
    differ = "" if found is None else f"{count(int(found.numerator))} equivalent pairs differ in correctness"
    equal = all(margin.holds for pair in pairs for margin in pair.margins)
    margins = (
        "margins equal the judges' own totals" if equal else "margins DIFFER from the judges' own totals"
    )
    two = any(fit.model == "linkage_split" for fit in result.fits)
    return [
        ("The divergence judge decides the shift", found is not None, differ),
        ("One judge judges its own family", bool(pairs), "second judge on the residual pairs"),
        ("The confusion table is turned round", bool(pairs), margins),
        ("Outcome linkage hangs on one specification", two, "two specifications and three variants"),
        ("A causal effect of routing, calibration or memory", False, "needs a rerun with the rule changed"),
    ]


def checks(result: AuditResult) -> Section:
    """What this run checked, what it did not, and what could not be measured."""
    rows = [
        {
            "concern": concern,
            "done": "checked" if done else "not checked",
            "found": found if done else _why(found),
        }
        for concern, done, found in (
            *_routing_checks(result),
            *_calibration_checks(result),
            *_commitment_checks(result),
        )
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
    caption = "Means per run and ratios to single_agent, not at equal compute (the paper's table 20)."
    return Section("context", "Context", html_table(columns, rows, caption))
