"""What the reader of foreign tables refuses: one example each, run as it is and shown in docs/tables.md."""

from __future__ import annotations

import codecs
import gzip
import io
import json
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

OUTCOMES = b"task_id,team_id,outcome\nt1,a,1\nt1,b,0\nt2,a,0\nt2,b,1\n"
ROUTES = b"policy,task_id,team_id\np,t1,a\np,t2,b\nq,t1,b\nq,t2,b\n"
CANDIDATES = b"problem_uid,agent,score,correct\nq1,x,90,1\nq1,y,40,0\nq2,x,70,0\nq2,y,20,1\n"
SCORE = ("score", "o.csv", "r.csv")
AUDIT = ("audit", "c.csv", "--scale", "100", "--resamples", "20", "--permutations", "5", "--out", "out")
CONVERT = ("convert", "plain", "c.csv", "--scale", "100", "--out", "out")


@dataclass(frozen=True)
class Refused:
    """Input that ends with a message: ``files`` beside the good ones."""

    what: str
    argv: tuple[str, ...]
    files: dict[str, bytes]


@dataclass(frozen=True)
class Read:
    """A spelling of OUTCOMES that is read as if it were that very file."""

    what: str
    name: str
    content: bytes


def parquet(**columns: list[object]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def _columns(rows: list[dict[str, object]]) -> dict[str, list[object]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def outcomes(rows: str, header: str = "task_id,team_id,outcome") -> dict[str, bytes]:
    return {"o.csv": f"{header}\n{rows}\n".encode()}


def routes(rows: str, header: str = "policy,task_id,team_id") -> dict[str, bytes]:
    return {"r.csv": f"{header}\n{rows}\n".encode()}


def candidates(rows: str, header: str = "problem_uid,agent,score,correct") -> dict[str, bytes]:
    return {"c.csv": f"{header}\n{rows}\n".encode()}


def _rows(number: bool) -> list[dict[str, object]]:
    """OUTCOMES as objects, tasks 1 and 2 as numbers or as text."""
    return [
        {"task_id": task if number else str(task), "team_id": team, "outcome": value}
        for task, team, value in ((1, "a", 1.0), (1, "b", 0.0), (2, "a", 0.0), (2, "b", 1.0))
    ]


def _lines(number: bool) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in _rows(number)).encode()


NUMBERED = OUTCOMES.replace(b"t1", b"1").replace(b"t2", b"2")
READ = (
    Read("CSV", "o.csv", NUMBERED),
    Read("tabs", "o.tsv", NUMBERED.replace(b",", b"\t")),
    Read("semicolons", "o.csv", NUMBERED.replace(b",", b";")),
    Read("bars", "o.txt", NUMBERED.replace(b",", b"|")),
    Read("gzip of any of them", "o.csv.gz", gzip.compress(NUMBERED, mtime=0)),
    Read("Windows line ends", "o.csv", NUMBERED.replace(b"\n", b"\r\n")),
    Read("UTF-8 with a byte order mark", "o.csv", codecs.BOM_UTF8 + NUMBERED),
    Read("UTF-16 with a byte order mark", "o.csv", NUMBERED.decode().encode("utf-16")),
    Read(
        "comment lines before the header and between rows",
        "o.csv",
        b"# made by us\n" + NUMBERED[:30] + b"# a, b\n" + NUMBERED[30:],
    ),
    Read(
        "another spelling of the header",
        "o.csv",
        NUMBERED.replace(b"task_id,team_id,outcome", b"Task ID, team-id ,OUTCOME"),
    ),
    Read(
        "true and false as outcomes",
        "o.csv",
        NUMBERED.replace(b",1\n", b",True\n").replace(b",0\n", b",False\n"),
    ),
    Read(
        "columns that nobody reads, also without a name",
        "o.csv",
        NUMBERED.replace(b"\n", b",x\n").replace(b"outcome,x", b"outcome,"),
    ),
    Read("JSON lines, ids as text", "o.jsonl", _lines(False)),
    Read("JSON lines, ids as numbers", "o.ndjson", _lines(True)),
    Read("a JSON array of objects", "o.json", json.dumps(_rows(True)).encode()),
    Read("Parquet, ids as text", "o.parquet", parquet(**_columns(_rows(False)))),
    Read("Parquet, ids as whole numbers", "o.parquet", parquet(**_columns(_rows(True)))),
    Read(
        "Parquet, ids as whole floats (a column with gaps in pandas)",
        "o.parquet",
        parquet(**{**_columns(_rows(True)), "task_id": [1.0, 1.0, 2.0, 2.0]}),
    ),
)

GOOD = "t1,a,1\nt1,b,0\nt2,a,0\nt2,b,1"
SOURCED = "task_id,team_id,outcome,source_id"

REFUSED = (
    Refused("a path that leads nowhere", ("score", "outcome.csv", "r.csv"), {}),
    Refused("a folder in place of a file", ("score", ".", "r.csv"), {}),
    Refused("an empty file", SCORE, {"o.csv": b""}),
    Refused("a header and no rows", SCORE, outcomes("")),
    Refused("a workbook", SCORE, {"o.csv": b"PK\x03\x04..."}),
    Refused("a binary file", SCORE, {"o.csv": b"task_id\x00\x01"}),
    Refused("text that is not UTF-8", SCORE, {"o.csv": b"task_id,team_id,outcome\nt\xe9,a,1\n"}),
    Refused("a damaged gzip file", SCORE, {"o.csv": gzip.compress(OUTCOMES, mtime=0)[:-9]}),
    Refused("a damaged Parquet file", SCORE, {"o.csv": parquet(task_id=["t1"])[:-9]}),
    Refused("text named .parquet", ("score", "o.parquet", "r.csv"), {"o.parquet": OUTCOMES}),
    Refused("broken JSON", ("score", "o.jsonl", "r.csv"), {"o.jsonl": b'{"task_id": "t1",\n'}),
    Refused("JSON that is no object", ("score", "o.json", "r.csv"), {"o.json": b"[1, 2]"}),
    Refused("a key twice", ("score", "o.jsonl", "r.csv"), {"o.jsonl": b'{"task_id": 1, "task_id": 2}\n'}),
    Refused("a column twice", SCORE, outcomes("t1,a,1,0", "task_id,team_id,outcome,Outcome")),
    Refused("another column name", SCORE, outcomes(GOOD, "task,team_id,outcome")),
    Refused("no header", SCORE, {"o.csv": GOOD.encode()}),
    Refused("a ragged row", SCORE, outcomes("t1,a,1\nt1,b")),
    Refused("a quote that is not closed", SCORE, outcomes('t1,"a,1\nt1,b,0')),
    Refused("a comment that may be a row", SCORE, outcomes("#t1,a,1\nt1,b,0")),
    Refused("a blank id", SCORE, outcomes("t1,a,1\n  ,b,0")),
    Refused("a blank policy", SCORE, routes("p,t1,a\n,t2,b")),
    Refused("a decimal comma", SCORE, outcomes("t1;a;0,5", "task_id;team_id;outcome")),
    Refused("a decimal comma between commas", SCORE, outcomes("t1,a,0,5")),
    Refused("a percent sign", SCORE, outcomes("t1,a,95%")),
    Refused("percentages", SCORE, outcomes("t1,a,95\nt1,b,40")),
    Refused("an outcome outside [0, 1]", SCORE, outcomes("t1,a,1\nt1,b,-0.5")),
    Refused("a text as outcome", SCORE, outcomes("t1,a,1\nt1,b,yes")),
    Refused("no outcome", SCORE, outcomes("t1,a,1\nt1,b,")),
    Refused("an unknown status", SCORE, outcomes("t1,a,1,OK", "task_id,team_id,outcome,status")),
    Refused("an outcome twice", SCORE, outcomes("t1,a,1\nt1,b,0\nt1,a,0")),
    Refused("two sources of one task", SCORE, outcomes("t1,a,1,s1\nt1,b,0,s2", SOURCED)),
    Refused("routes for unknown tasks", SCORE, routes("p,t1,a\np,t2,b\np,t3,b\np,t4,b")),
    Refused(
        "ids that a spreadsheet changed",
        SCORE,
        outcomes("1,a,1\n1,b,0") | routes("p,001,a"),
    ),
    Refused("teams spelled otherwise", SCORE, routes("p,t1,A\np,t2,b")),
    Refused("a task without a route", SCORE, routes("p,t1,a")),
    Refused("two routes for one task", SCORE, routes("p,t1,a\np,t1,b\np,t2,b")),
    Refused(
        "a route outside the family",
        (*SCORE, "--family", "f.csv"),
        routes("p,t1,a\np,t2,c") | {"f.csv": b"task_id,team_id\nt1,a\nt1,b\nt2,a\nt2,b\n"},
    ),
    Refused(
        "an outcome outside the family", (*SCORE, "--family", "f.csv"), {"f.csv": b"task_id,team_id\nt1,a\n"}
    ),
    Refused(
        "floats too large to be ids",
        ("score", "o.parquet", "r.csv"),
        {"o.parquet": parquet(task_id=[1e17], team_id=["a"], outcome=[1.0])},
    ),
    Refused("streaming of something else", (*SCORE, "--stream"), {}),
    Refused(
        "a path that leads nowhere", ("audit", "candidates.csv", "--scale", "100"), {"candidate.csv": b"x"}
    ),
    Refused("a folder without traces", ("audit", ".", "--scale", "100"), {}),
    Refused("another column name", AUDIT, candidates("q1,x,90,1", "problem,agent,score,correct")),
    Refused("a text as score", AUDIT, candidates("q1,x,90,1\nq1,y,high,0")),
    Refused("a percent sign on another scale", (*AUDIT[:3], "10"), candidates("q1,x,90%,1")),
    Refused("a decimal comma", AUDIT, candidates("q1;x;0,9;1", "problem_uid;agent;score;correct")),
    Refused("a text as label", AUDIT, candidates("q1,x,90,maybe")),
    Refused("a blank agent", AUDIT, candidates("q1, ,90,1")),
    Refused("an agent twice in a block", AUDIT, candidates("q1,x,90,1\nq1,x,80,0")),
    Refused("no scale", AUDIT[:2], {}),
    Refused("another column name", CONVERT, candidates("q1,x,90,1", "problem_uid,agent,model_score,correct")),
    Refused("a blank problem", CONVERT, candidates(",x,90,1")),
    Refused("a text as score", CONVERT, candidates("q1,x,high,1")),
    Refused("a column twice", CONVERT, candidates("q1,x,90,1", "problem_uid,agent,score,Score")),
)
