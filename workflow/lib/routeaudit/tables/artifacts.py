"""The tables of the data contract: one schema per kind of artifact."""

from __future__ import annotations

import pyarrow as pa

from routeaudit.tables.schema import schema

_STR = pa.string()
_INT = pa.int64()
_FLOAT = pa.float64()
_STRS = pa.list_(pa.string())

# The two public tables hold what a router may see and nothing else (the paper's table 7).
PUBLIC_TASKS = schema(
    "public/tasks", ("task_id",), task_id=_STR, question=_STR, worker_cost=_FLOAT, budget_cap=_FLOAT
)
PUBLIC_CARDS = schema("public/cards", ("task_id", "worker_id"), task_id=_STR, worker_id=_STR, card=_STR)

# Never public: in HotpotQA the source ids are the gold titles, a MuSiQue id spells its sources.
INDEX_TASKS = schema(
    "index/tasks",
    ("task_id",),
    task_id=_STR,
    original_id=_STR,
    source_ids=_STRS,
    cluster_id=_STR,
    split=_STR,
    tier=(_STR, "null"),
)

# A passage is one evidence unit: `unit_id` is unique within its task.
_PASSAGES = pa.list_(
    pa.struct(
        [
            pa.field("unit_id", _STR, False),
            pa.field("title", _STR, False),
            pa.field("sentences", _STRS, False),
        ]
    )
)
PRIVATE_EVIDENCE = schema(
    "private/evidence",
    ("task_id", "worker_id"),
    task_id=_STR,
    worker_id=_STR,
    slot=_INT,
    passages=_PASSAGES,
    component_id=(_STR, "null"),
)
PRIVATE_ANSWERS = schema(
    "private/answers",
    ("task_id",),
    task_id=_STR,
    answer=_STR,
    aliases=_STRS,
    required_units=_STRS,
    required_team=_STRS,
)
FAMILY = schema(
    "family",
    ("task_id", "team_id"),
    task_id=_STR,
    team_id=_STR,
    workers=_STRS,
    n_workers=_INT,
    cost=_FLOAT,
    canonical_rank=_INT,
)
ROUTES = schema(
    "routes", ("task_id",), task_id=_STR, team_id=_STR, score=(_FLOAT, "null"), fold=(_INT, "null")
)

# All policies of a study in one table: it can be handed to `routeaudit score` as it is.
FROZEN_ROUTES = schema(
    "frozen routes",
    ("policy", "task_id"),
    policy=_STR,
    task_id=_STR,
    team_id=_STR,
    score=(_FLOAT, "null"),
    fold=(_INT, "null"),
)
PLAN = schema("plan", ("task_id", "team_id"), task_id=_STR, team_id=_STR, workers=_STRS, reason=_STR)

# Times and cache counts differ between runs, so they stay in the journal and out of these tables.
MESSAGES = schema(
    "messages",
    ("task_id", "worker_id", "stack", "replicate"),
    task_id=_STR,
    worker_id=_STR,
    stack=_STR,
    replicate=_INT,
    slot=_INT,
    text=_STR,
    quote=(_STR, "null"),
    claim=(_STR, "null"),
    status=_STR,
    prompt_tokens=_INT,
    completion_tokens=_INT,
    request_key=_STR,
)
FINALS = schema(
    "finals",
    ("task_id", "team_id", "stack", "replicate"),
    task_id=_STR,
    team_id=_STR,
    stack=_STR,
    replicate=_INT,
    text=_STR,
    answer=(_STR, "null"),
    status=_STR,
    prompt_tokens=_INT,
    completion_tokens=_INT,
    request_key=_STR,
)
# A play of a task with a team's tools; cells whose plays must be equal share one, and `play` names it.
PLAYS = schema(
    "plays",
    ("task_id", "team_id", "stack", "replicate"),
    task_id=_STR,
    team_id=_STR,
    stack=_STR,
    replicate=_INT,
    play=_STR,
    milestones=(_FLOAT, "null"),
    minefields=(_FLOAT, "null"),
    similarity=(_FLOAT, "null"),
    turns=(_INT, "null"),
    actions=_STRS,
    status=_STR,
)
OUTCOMES = schema(
    "outcomes",
    ("endpoint", "stack", "replicate", "task_id", "team_id"),
    endpoint=_STR,
    stack=_STR,
    replicate=_INT,
    task_id=_STR,
    team_id=_STR,
    value=(_FLOAT, "null"),
    status=_STR,
)

STATUS_OK, STATUS_INVALID, STATUS_MISSING = "ok", "invalid_run", "missing"
SPLIT_TRAIN, SPLIT_HELDOUT, SPLIT_UNUSED = "train", "heldout", "unused"
