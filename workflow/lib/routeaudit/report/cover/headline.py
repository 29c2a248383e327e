"""What was found, in words and in a few numbers."""

from __future__ import annotations

from markupsafe import Markup

from routeaudit.report.cover.spelling import Row, between, difference, ends, level, share
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import plain
from routeaudit.report.page import Headline
from routeaudit.report.tables import count, number, p_value, percent
from routeaudit.tables import results


def lead(study: Study) -> Markup:
    """Two or three sentences: the best router, what it leaves, and the declared test."""
    stack = study.stacks[0]
    ranked = ranking(study, stack)
    said = [_best(study, stack, ranked)]
    said += [_next(study, ranked)] if len(ranked) > 1 else []
    said += [_tested(study, stack)]
    said += [Markup("<small>{}</small>").format(study.description)] if study.description else []
    return Markup(" ").join(sentence for sentence in said if sentence)


def ranking(study: Study, stack: str) -> list[Row]:
    """Regret rows of the policies that may deploy, best first; unidentified ones are left out."""
    rows = [study.score(stack, policy, study.regime.regret) for policy in study.policies]
    able = [
        row
        for row in rows
        if row.get("estimate") is not None
        and row["role"] == results.ROLE_POLICY
        and row["status"] != "positive_control"
    ]
    return sorted(able, key=lambda row: (row["estimate"], row["subject"]))


def _best(study: Study, stack: str, ranked: list[Row]) -> Markup:
    if not ranked:
        return Markup("Missing cells leave every regret unidentified; the page shows sharp bounds instead.")
    best = ranked[0]
    tied = [row["subject"] for row in ranked if row["estimate"] == best["estimate"]]
    names = Markup(" and ").join(Markup("<strong>{}</strong>").format(name) for name in tied)
    value = study.score(stack, best["subject"], "value")
    return Markup("{} {} the best teams on {} held-out tasks: mean {} {}, which leaves {} {} {} {}.").format(
        names,
        "chose" if len(tied) == 1 else "tie for",
        count(best["denominator"]),
        plain(study.primary),
        level(value),
        study.regime.regret_word,
        level(best),
        ends(best),
        _against(study, stack),
    )


def _against(study: Study, stack: str) -> str:
    reached = study.score(stack, "oracle", study.regime.best)
    return f"against the {study.regime.best_word} ({level(reached)})"


def _next(study: Study, ranked: list[Row]) -> Markup:
    others = [f"{row['subject']} {level(row)}" for row in ranked[1:4]]
    return Markup("The next: {}.").format(", ".join(others))


def _tested(study: Study, stack: str) -> Markup:
    tests = [row for row in study.contrasts if row["family"] == results.FAMILY_PRIMARY]
    if not tests:
        return Markup("No comparison was declared as primary.")
    held = [row for row in tests if row["reject"]]
    return Markup("Of {} declared primary {}, {} after Holm: {}.").format(
        count(len(tests)),
        "test" if len(tests) == 1 else "tests",
        f"{len(held)} {'differs' if len(held) == 1 else 'differ'} from zero",
        Markup("; ").join(_verdict(row) for row in tests),
    )


def _verdict(row: Row) -> Markup:
    return Markup("{} over {} {} {}, adjusted p {} ({})").format(
        row["policy"],
        row["reference"],
        difference(row),
        ends(row),
        p_value(row["p_adjusted"]),
        plain(row["status"]),
    )


def figures(study: Study) -> tuple[Headline, ...]:
    """The numbers to see first."""
    stack = study.stacks[0]
    found = [*_left(study, stack), _reached(study, stack), *_room(study, stack), *_primary(study)]
    return tuple(found)


def _reached(study: Study, stack: str) -> Headline:
    row = study.score(stack, "oracle", study.regime.best)
    shown = number(row.get("estimate")) if row.get("estimate") is not None else between(row)
    return Headline(study.regime.best_word, shown, f"{plain(study.primary)}, {share(row)} tasks")


def _left(study: Study, stack: str) -> list[Headline]:
    return [
        Headline(
            f"{study.regime.regret_word}, {row['subject']}",
            level(row),
            f"{ends(row)} · {plain(row['status'])}",
        )
        for row in ranking(study, stack)[:1]
    ]


def _room(study: Study, stack: str) -> list[Headline]:
    headroom = study.score(stack, "family", "headroom")
    informative = study.score(stack, "family", "informative_tasks")
    found = []
    if headroom.get("estimate") is not None:
        found.append(Headline("headroom", level(headroom), "oracle minus best fixed team"))
    if informative:
        found.append(
            Headline("informative tasks", share(informative), f"teams differ; {_cells(study, stack)}")
        )
    return found


def _cells(study: Study, stack: str) -> str:
    cells = study.outcomes[(study.outcomes["endpoint"] == study.primary) & (study.outcomes["stack"] == stack)]
    return f"{count(len(cells))} cells"


def _primary(study: Study) -> list[Headline]:
    tests = [row for row in study.contrasts if row["family"] == results.FAMILY_PRIMARY]
    held = sum(bool(row["reject"]) for row in tests)
    alpha = percent(study.sections["stats"]["alpha"], 0)
    words = f"Holm, level {alpha}"
    return [Headline("primary tests rejected", f"{held} of {len(tests)}", words)] if tests else []
