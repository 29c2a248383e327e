"""Calibration on the page: table 2, the reliability diagram and what the error's noise floor is."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd
from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.deliberation.calibration.axis import Calibrator
from routeaudit.report.audit.spelling import ends, pick
from routeaudit.report.audit.words import CALIBRATORS
from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.page import Section, folded, note, paragraph
from routeaudit.report.tables import Column, count, html_table, number, numeric


def section(result: AuditResult) -> Section:
    """Does a stated confidence behave like a probability?"""
    if not result.calibrators:
        body = note(
            "No valid candidate has a score on the declared scale, so calibration was not measured.",
            "refused",
        )
        return Section("calibration", "Calibration", body)
    parts = [
        paragraph(_reading(result)),
        _table(result),
        _diagram(result),
        _intervals(result),
        _parts(result),
    ]
    return Section("calibration", "Calibration", Markup("").join(parts))


def _reading(result: AuditResult) -> str:
    raw = {e.metric: e for e in result.calibration["raw"]}
    confidence, accuracy = raw["mean_confidence"].estimate, raw["accuracy"].estimate
    side = "overconfident" if confidence > accuracy else "underconfident"
    told = (
        f"Candidates state {number(100 * confidence, 1)} % on average and are right in "
        f"{number(100 * accuracy, 1)} %: {side} by {number(100 * abs(confidence - accuracy), 1)} points. "
    )
    isotonic = pick(result.calibration.get("isotonic", ()), "ECE")
    if isotonic is not None and isotonic.estimate == isotonic.estimate:
        told += (
            f"A cross-fitted isotonic map takes the calibration error from {number(raw['ECE'].estimate)} to "
            f"{number(isotonic.estimate)}; it repairs the scale and adds no discrimination."
        )
    return told


def _table(result: AuditResult) -> Markup:
    rows = []
    for calibrator in result.calibrators:
        found = {e.metric: e.estimate for e in result.calibration[calibrator.name]}
        rows.append(
            {
                "name": CALIBRATORS[calibrator.name],
                **found,
                "floor": calibrator.noise_floor,
                "within": calibrator.within_fold_auroc,
                "n": next((e.denominator for e in result.calibration[calibrator.name]), None),
            }
        )
    columns = [
        Column("name", "calibrator"),
        numeric("ECE", "ECE", number, "right-closed bins"),
        numeric("ECE_left_closed", "left-closed", number, "the other convention for scores on a bin edge"),
        numeric(
            "floor", "noise floor", number, "expected ECE of these forecasts were they perfectly calibrated"
        ),
        numeric("Brier", "Brier"),
        numeric("AUROC", "AUROC"),
        numeric("within", "within folds", number, "mean AUROC inside the folds"),
        numeric("mean_confidence", "mean conf."),
        numeric("n", "candidates", count),
    ]
    caption = (
        f"Recalibration, cross-fitted by problem with K = {result.settings.calibration_folds} folds "
        f"stratified by tier and {result.settings.bins} equal-width bins (the paper's table 2). Held-out "
        "candidates; the router was not rerun on calibrated values."
    )
    return html_table(columns, rows, caption)


def _parameters(calibrator: Calibrator) -> str:
    if calibrator.reason:
        return calibrator.reason.replace("_", " ")
    spelled = [
        ", ".join(f"{name} {number(v, 2)}" for name, v in fold.items()) for fold in calibrator.parameters
    ]
    return "; ".join(spelled)


def _diagram_rows(calibrator: Calibrator) -> list[dict[str, object]]:
    d = calibrator.diagram
    if d is None:
        return []
    return [
        {"calibrator": CALIBRATORS[calibrator.name], "confidence": c, "accuracy": a, "candidates": n}
        for c, a, n in zip(d.confidence.tolist(), d.accuracy.tolist(), d.count.tolist(), strict=True)
        if n
    ]


def _diagram(result: AuditResult) -> Markup:
    rows = [r for c in result.calibrators if c.name in ("raw", "isotonic") for r in _diagram_rows(c)]
    unit = alt.Scale(domain=[0, 1])
    line = alt.Chart(pd.DataFrame({"x": [0, 1], "y": [0, 1]})).mark_line(strokeDash=[4, 4], color=PALETTE[5])
    names = [CALIBRATORS["raw"], CALIBRATORS["isotonic"]]
    dots = (
        alt.Chart(pd.DataFrame(rows))
        .mark_circle(opacity=0.85)
        .encode(
            x=alt.X("confidence:Q", scale=unit, title="mean confidence in bin"),
            y=alt.Y("accuracy:Q", scale=unit, title="accuracy in bin"),
            size=alt.Size("candidates:Q", scale=alt.Scale(range=[30, 700]), title="candidates"),
            color=alt.Color(
                "calibrator:N", scale=alt.Scale(domain=names, range=[PALETTE[1], PALETTE[0]]), title=None
            ),
        )
    )
    chart = (line.encode(x="x:Q", y="y:Q") + dots).properties(width=340, height=340)
    return figure(chart, "Reliability diagram. On the dashed line, confidence and accuracy agree.")


def _intervals(result: AuditResult) -> Markup:
    rows = [
        {
            "name": CALIBRATORS[c.name],
            "maps": _parameters(c),
            **{e.metric: f"{number(e.estimate)} {ends(e)}" for e in result.calibration[c.name]},
        }
        for c in result.calibrators
    ]
    metrics = ("ECE", "Brier", "AUROC", "mean_confidence")
    columns = [Column("name", "calibrator"), *(numeric(m, m.replace("_", " "), str) for m in metrics)]
    columns.append(Column("maps", "fold maps"))
    table = html_table(columns, rows, "Problem-cluster intervals, conditional on the fitted maps.")
    return folded("Intervals and the maps of each fold", table)


def _parts(result: AuditResult) -> Markup:
    rows = [
        {
            "name": CALIBRATORS[c.name],
            "reliability": c.murphy.reliability,
            "resolution": c.murphy.resolution,
            "uncertainty": c.murphy.uncertainty,
            "brier": c.murphy.brier,
        }
        for c in result.calibrators
        if c.murphy is not None and np.isfinite(c.murphy.brier)
    ]
    columns = [
        Column("name", "calibrator"),
        numeric("reliability", "reliability", number, "squared distance from calibration; 0 is calibrated"),
        numeric("resolution", "resolution", number, "what the forecasts tell apart; more is better"),
        numeric("uncertainty", "uncertainty", number, "variance of the label itself"),
        numeric("brier", "Brier", number, "reliability - resolution + uncertainty"),
    ]
    return folded(
        "Murphy decomposition of the Brier score",
        html_table(columns, rows, "Over distinct forecasts, exact."),
    )
