"""Commitment on the page: pair metrics, tables 3, 13, 16 and 17, and figure 4."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd
from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.deliberation.commitment.axis import JudgePair
from routeaudit.deliberation.commitment.classes import PRECEDENCE
from routeaudit.inference.results import Estimate
from routeaudit.report.audit.spelling import ends, estimate_table, pick, value
from routeaudit.report.charts import PALETTE, figure
from routeaudit.report.page import Section, note, paragraph
from routeaudit.report.tables import Column, count, html_table, number, numeric, percent, signed


def section(result: AuditResult) -> Section:
    """Does the selected agent publicly state the answer that won the turn?"""
    if not result.commitment:
        why = next((g.reason for g in result.gaps if g.stage in ("speaks", "pairs")), "no valid pair")
        return Section("commitment", "Commitment", note(f"Not measured: {why}.", "refused"))
    parts = [
        paragraph(_reading(result)),
        estimate_table(
            result.commitment, "Commitment metrics, conditional on divergence and over all valid pairs."
        ),
        _exclusions(result),
        _classes(result.classes, "primary", _PRIMARY),
        _classes(result.flags, "flag", _FLAGS),
    ]
    return Section("commitment", "Commitment", Markup("").join(parts))


_PRIMARY = (
    "Where divergent answers come from: the first class that holds, in this order (the paper's table 3). "
    "The shift is spoken minus polled correctness inside the class."
)
_FLAGS = "Match flags, which may overlap (the paper's table 13)."


def _reading(result: AuditResult) -> str:
    psdr, shift = pick(result.commitment, "PSDR"), pick(result.commitment, "NPCS")
    assert psdr is not None
    assert shift is not None
    return (
        f"In {percent(psdr.estimate)} of {count(int(psdr.denominator))} valid pairs the selected agent says "
        f"something else than it polled; this moves public correctness by {signed(100 * shift.estimate, 1)} "
        f"points ({ends(shift)} as a share)."
    )


def _exclusions(result: AuditResult) -> Markup:
    left = {reason: n for reason, n in result.pair_exclusions.items() if n}
    if not left:
        return Markup("")
    spelled = ", ".join(f"{reason.replace('_', ' ')} {count(n)}" for reason, n in left.items())
    return note(f"Selected blocks that gave no valid pair: {spelled}.")


def _classes(estimates: Sequence[Estimate], kind: str, caption: str) -> Markup:
    if not estimates:
        return note("The classes of divergent answers were not measured: match flags are missing.", "refused")
    rows = []
    for name in PRECEDENCE:
        share, shift = pick(estimates, f"{kind}_share:{name}"), pick(estimates, f"{kind}_shift:{name}")
        assert share is not None
        assert shift is not None
        rows.append(
            {
                "name": name,
                "n": int(share.numerator),
                "share": share.estimate,
                "share_ends": ends(share),
                "shift": shift.estimate,
                "shift_ends": ends(shift),
            }
        )
    columns = [
        Column("name", "class" if kind == "primary" else "flag"),
        numeric("n", "pairs", count),
        numeric("share", "share of divergent", percent),
        numeric("share_ends", "95 % interval", str),
        numeric("shift", "shift", signed),
        numeric("shift_ends", "95 % interval", str),
    ]
    return html_table(columns, rows, caption)


def judges(result: AuditResult) -> Section | None:
    """Two-judge agreement with a named orientation, and the metrics under each judge."""
    if result.axis is None or not result.axis.by_judge:
        return None
    pairs = result.axis.judge_pairs
    parts = [
        paragraph(f"{count(result.axis.n_residual)} pairs were left to judges; the rest a rule decided.")
    ]
    if pairs:
        parts += [_agreement(result, pairs), _confusion(pairs), _margins(pairs), _disagreement(pairs)]
    parts.append(_by_judge(result))
    return Section("judges", "Judges", Markup("").join(parts))


def _agreement(result: AuditResult, pairs: Sequence[JudgePair]) -> Markup:
    rows = []
    for pair in pairs:
        a = pair.agreement
        rows.append(
            {
                "pair": pair.name,
                "decided": pair.table.decided,
                "undecided": pair.table.undecided,
                "agreement": a and a.observed,
                "kappa": a and a.kappa,
                "ends": ends(pick(result.kappas[pair.name], "kappa")),
                "bounds": "–" if a is None else f"[{number(a.kappa_bounds[0])}, {number(a.kappa_bounds[1])}]",
                "pabak": a and a.pabak,
                "positive": a and a.positive,
                "negative": a and a.negative,
            }
        )
    columns = [
        Column("pair", "judges"),
        numeric("decided", "decided", count),
        numeric("undecided", "undecided", count),
        numeric("agreement", "agreement"),
        numeric("kappa", "Cohen's κ"),
        numeric("ends", "95 % interval", str, "resampling problems"),
        numeric("bounds", "κ bounds", str, "extremes over the undecided pairs"),
        numeric("pabak", "PABAK"),
        numeric("positive", "pos. agr.", number, "agreement on divergent"),
        numeric("negative", "neg. agr.", number, "agreement on equivalent"),
    ]
    return html_table(
        columns, rows, "Agreement on the pairs that both judges decided (the paper's table 16)."
    )


def _confusion(pairs: Sequence[JudgePair]) -> Markup:
    rows = [
        {"row": f"{p.table.row_judge}: {verdict}", "d": d, "e": e, "column": p.table.column_judge}
        for p in pairs
        for verdict, d, e in (("divergent", p.table.dd, p.table.de), ("equivalent", p.table.ed, p.table.ee))
    ]
    columns = [
        Column("row", "row judge"),
        Column("column", "column judge"),
        numeric("d", "column judge: divergent", count),
        numeric("e", "column judge: equivalent", count),
    ]
    return html_table(columns, rows, "Confusion tables; each row and column names its judge.")


def _margins(pairs: Sequence[JudgePair]) -> Markup:
    rows = [
        {
            "judge": m.judge,
            "reported": m.reported,
            "implied": m.implied,
            "holds": "equal" if m.holds else "DIFFERENT",
        }
        for pair in pairs
        for m in pair.margins
    ]
    columns = [
        Column("judge", "judge"),
        numeric("reported", "divergent pairs reported", count),
        numeric("implied", "implied by the table", count),
        Column("holds", "check"),
    ]
    caption = (
        "Each judge's own divergent total against its margin + undecided pairs counted as divergent + pairs "
        "decided by rule. A table with exchanged rows and columns fails here."
    )
    return html_table(columns, rows, caption)


def _disagreement(pairs: Sequence[JudgePair]) -> Markup:
    rows = [
        {
            "pair": f"{p.table.row_judge} / {p.table.column_judge}",
            "direction": f"{who} says divergent, {other} equivalent",
            "pairs": n,
        }
        for p in pairs
        for who, other, n in (
            (p.table.row_judge, p.table.column_judge, p.table.de),
            (p.table.column_judge, p.table.row_judge, p.table.ed),
        )
    ]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar(size=18)
        .encode(
            y=alt.Y("direction:N", title=None, sort=None, axis=alt.Axis(labelLimit=420)),
            x=alt.X("pairs:Q", title="residual pairs", axis=alt.Axis(tickMinStep=1)),
            color=alt.Color("pair:N", title=None, scale=alt.Scale(range=list(PALETTE))),
        )
        .properties(width=360, height=32 * len(rows))
    )
    caption = (
        "Direction of the judges' disagreements (the paper's figure 4). It does not say which label is right."
    )
    return figure(chart, caption)


def _by_judge(result: AuditResult) -> Markup:
    rows = [
        {
            "judge": name,
            "divergent": int(psdr.numerator),
            **{
                m: value(found, m)
                for m in ("PSDR", "PSIR", "PSDRg", "NPCS_divergent", "NPCS", "incoherent_rate")
            },
        }
        for name, found in {"as logged": result.commitment, **result.by_judge}.items()
        if (psdr := pick(found, "PSDR")) is not None
    ]
    columns = [
        Column("judge", "labels of the residual pairs"),
        numeric("divergent", "divergent", count),
        numeric("PSDR", "PSDR"),
        numeric("PSIR", "PSIR"),
        numeric("PSDRg", "PSDRg"),
        numeric("NPCS_divergent", "NPCS given divergence", signed),
        numeric("NPCS", "NPCS", signed),
        numeric("incoherent_rate", "incoherent", number, "equivalent pairs whose correctness differs"),
    ]
    caption = (
        f"Commitment under each judge over the same {count(result.totals.pairs)} valid pairs "
        "(the paper's table 17)."
    )
    return html_table(columns, rows, caption)
