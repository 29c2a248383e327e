"""Provenance: the contract, the ledger, the records, and how to check them; what the statuses mean."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from markupsafe import Markup

from routeaudit.report.cover.spelling import moment, status
from routeaudit.report.cover.study import Study
from routeaudit.report.cover.words import REMARKS, STATUSES, plain
from routeaudit.report.page import Section, folded, note, paragraph
from routeaudit.report.tables import Column, count, definitions, digest, duration, html_table, numeric


def section(study: Study) -> Section:
    """From the contract to the command that checks everything."""
    parts = [_commands(study), _summary(study), _ledger(study), _contract(study), _records(study)]
    return Section("provenance", "Provenance", Markup("").join(parts))


def _commands(study: Study) -> Markup:
    folder = study.path("").rstrip("/")
    lines = [
        f"routeaudit verify {folder}                 # every digest, record and ledger line",
        f"routeaudit why {study.path('scores.parquet')}     # the chain back to the sources",
    ]
    return paragraph("Every table above names its file. To check them:") + Markup(
        "<pre><code>{}</code></pre>"
    ).format("\n".join(lines))


def _summary(study: Study) -> Markup:
    records = study.records.values()
    environments = [record["environment"] for record in records if record.get("environment")]
    facts: dict[str, Any] = {
        "contract": digest(study.contract["digest"]),
        "artifacts with a record": count(len(study.records)),
        "model": _models(study),
        "code digests": count(len({record["code"] for record in records})),
        "commit": _commits(study),
    }
    locks = sorted({each["lock"] for each in environments if each["lock"]})
    if environments:
        facts |= {
            "python": ", ".join(sorted({e["python"] for e in environments})),
            "lock file": Markup(", ").join(map(digest, locks)) if locks else "none",
            "packages": ", ".join(f"{n} {v}" for n, v in environments[-1]["packages"].items()),
        }
    return definitions(facts)


def _models(study: Study) -> str:
    told = [record["model"] for record in study.records.values() if record.get("model")]
    names = {", ".join(f"{key} {value}" for key, value in sorted(model.items())) for model in told}
    return "; ".join(sorted(names)) if names else "none"


def _commits(study: Study) -> str:
    states = [record["git"] for record in study.records.values() if record.get("git", {}).get("commit")]
    shown = {f"{s['commit'][:12]}{' with uncommitted changes' if s['dirty'] else ''}" for s in states}
    return ", ".join(sorted(shown)) or "not under git"


def _ledger(study: Study) -> Markup:
    if not study.ledger:
        return note("No ledger of this study was found: nothing shows what came first.", "caution")
    rows = [
        {
            "seq": event.seq,
            "time": moment(event.time),
            "event": plain(event.event),
            "facts": _facts(event.facts),
            "witnessed": _facts(event.witnessed),
            "digest": digest(event.digest),
        }
        for event in study.ledger
    ]
    columns = [
        numeric("seq", "no.", str),
        Column("time", "time (UTC)"),
        Column("event", "event"),
        Column("facts", "facts"),
        Column("witnessed", "witnessed"),
        Column("digest", "digest"),
    ]
    caption = "Ledger: append-only and hash-chained; deleting results does not start it anew."
    table = html_table(columns, rows, caption)
    if len(rows) > 12:
        return folded(f"Ledger, {count(len(rows))} events", table)
    return table


def _facts(facts: Mapping[str, Any]) -> Markup:
    words = [
        Markup("{} {}").format(plain(name), _fact(value))
        for name, value in facts.items()
        if value is not None
    ]
    return Markup(" · ").join(words)


def _fact(value: Any) -> str | Markup:
    if isinstance(value, str) and len(value) == 64:
        return digest(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and len(value) > 4:
        return f"{count(len(value))} listed"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _contract(study: Study) -> Markup:
    digests = study.contract["section_digests"]
    columns = [Column("section", "section"), Column("digest", "digest", digest)]
    rows = [{"section": name, "digest": value} for name, value in digests.items()]
    return folded(
        "Contract: sections fixed before outcomes existed",
        html_table(columns, rows, "Sections of the sealed contract.", study.source("contract.json")),
    )


def _records(study: Study) -> Markup:
    rows = [
        {
            "path": path,
            "stage": record["stage"],
            "content": record["output"]["content"],
            "code": record["code"],
            "bytes": record["output"]["bytes"],
            "seconds": _seconds(record["run"]),
        }
        for path, record in study.records.items()
    ]
    columns = [
        Column("path", "artifact", lambda path: Markup("<code>{}</code>").format(path)),
        Column("stage", "stage"),
        Column("content", "content", digest),
        Column("code", "code", digest),
        numeric("bytes", "bytes", count),
        numeric("seconds", "stage took", duration),
    ]
    return folded(
        f"Records of {count(len(rows))} artifacts", html_table(columns, rows, "Artifacts and their records.")
    )


def _seconds(run: Mapping[str, Any]) -> float | None:
    try:
        return (datetime.fromisoformat(run["end"]) - datetime.fromisoformat(run["start"])).total_seconds()
    except (KeyError, ValueError):
        return None


def statuses(study: Study) -> Section:
    """What each status word means, and which remarks occur on this page."""
    here = {row["status"] for row in (*study.scores, *study.contrasts, *study.criteria)}
    rows = [
        {"status": status(word), "meaning": meaning.text, "here": "yes" if word in here else "no"}
        for word, meaning in STATUSES.items()
    ]
    said = paragraph(
        "A status is computed from the ledger and from what a router could open. It is never typed by hand "
        "and can only go down; a comparison has the lower status of its two routers."
    )
    columns = [Column("status", "status"), Column("meaning", "meaning"), Column("here", "on this page")]
    table = html_table(columns, rows, "Evidential statuses.", study.source("scores.parquet"))
    told = {word for row in (*study.scores, *study.contrasts) for word in row["flags"]}
    remarks = {plain(word): REMARKS[word] for word in sorted(told) if word in REMARKS}
    return Section(
        "statuses", "What the statuses mean", said + table + (definitions(remarks) if remarks else Markup(""))
    )
