"""Regressions on the page: tables 4, 18, 11 and 12."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from routeaudit.deliberation.audit import AuditResult
from routeaudit.deliberation.linkage.logit import LogitFit
from routeaudit.report.audit.words import term
from routeaudit.report.page import Section, folded, note, paragraph
from routeaudit.report.tables import Column, count, html_table, interval, number, numeric, p_value, signed

TITLES = {
    "linkage": "Outcome linkage: trace passed, collapsed specification (the paper's table 4). "
    "z-scored predictors.",
    "linkage_split": "Outcome linkage, selected-correct rate and routing slack apart (the paper's table 18). "
    "z-scored predictors.",
    "correctness": "Candidate correctness with agent effects (the paper's table 11, upper part).",
    "divergence": "Poll-speak divergence with agent effects (the paper's table 11, lower part).",
    "adoption": "Adoption of a visible public answer by a divergent speech (the paper's table 12). "
    "Source confidence was not visible to the speaker.",
}
_FLAGS = {
    "near_separation:beta_per_sd": "a coefficient above 4 per standard deviation",
    "near_separation:mcfadden": "a McFadden R² above 0.7",
    "near_separation:hessian": "an ill-conditioned Hessian",
    "near_separation:saturated": "fitted probabilities at 0 or 1",
}


def section(result: AuditResult) -> Section:
    """Same-trace associations, flagged where they must not be read."""
    if not result.fits:
        return Section(
            "linkage", "Associations", note("No regression could be fitted on this trace.", "refused")
        )
    fits = {fit.model: fit for fit in result.fits}
    parts = [
        paragraph(
            "Logistic regressions with problem-clustered errors over the same traces. They describe "
            "associations; no row is an effect of an intervention."
        )
    ]
    parts += [_fit(fits[name], title) for name, title in TITLES.items() if name in fits]
    variants = [fit for name, fit in fits.items() if name not in TITLES]
    if variants:
        parts.append(_sensitivity(fits, variants))
    return Section("linkage", "Associations", Markup("").join(parts))


def _fit(fit: LogitFit, title: str) -> Markup:
    if fit.reason:
        named = ", ".join(flag.split(":", 1)[1] for flag in fit.flags if flag.startswith("collinear:"))
        detail = f" ({named})" if named else ""
        return note(f"{title} Not fitted: {fit.reason.replace('_', ' ')}{detail}.", "refused")
    rows = [
        {
            "name": term(t.name),
            "beta": t.beta,
            "ends": interval(t.lower, t.upper),
            "or": t.odds_ratio,
            "p": t.p,
        }
        for t in fit.terms
        if t.name != "const"
    ]
    columns = [
        Column("name", "term"),
        numeric("beta", "β", signed),
        numeric("ends", "95 % interval", str),
        numeric("or", "odds ratio", number),
        numeric("p", "p", p_value),
    ]
    told = (
        f" n = {count(fit.n)}, {count(fit.clusters)} problems, McFadden R² {number(fit.mcfadden)}, "
        f"{fit.reference} reference."
    )
    return html_table(columns, rows, title + told) + _guards(fit)


def _guards(fit: LogitFit) -> Markup:
    separated = [_FLAGS[flag] for flag in fit.flags if flag in _FLAGS]
    dropped = [term(flag.split(":", 1)[1]) for flag in fit.flags if flag.startswith("constant:")]
    out = Markup("")
    if separated:
        out += note(
            f"Nearly separated: {', '.join(separated)}. Sizes of coefficients mean little here.", "caution"
        )
    if dropped:
        out += note(f"Left out because they do not vary: {', '.join(dropped)}.")
    return out


def _sensitivity(fits: dict[str, LogitFit], variants: Sequence[LogitFit]) -> Markup:
    names = list(dict.fromkeys(t.name for fit in variants for t in fit.terms if t.name != "const"))
    shown = [fit for name, fit in fits.items() if name.startswith("linkage")]
    rows = []
    for name in names:
        odds = {fit.model: t.odds_ratio for fit in shown for t in fit.terms if t.name == name}
        signs = {value > 1 for value in odds.values()}
        rows.append({"name": term(name), **odds, "stable": "yes" if len(signs) == 1 else "NO"})
    columns = [Column("name", "odds ratio per s.d.")]
    columns += [numeric(fit.model, fit.model.replace("_", " ").replace("+", " + ")) for fit in shown]
    columns.append(Column("stable", "same sign"))
    table = html_table(
        columns, rows, "The linkage model refitted; a term whose sign moves is not to be read."
    )
    return folded("Sensitivity of the outcome linkage", table)
