"""Running requests on language models: backends, journal, scheduling, estimates."""

from routeaudit.execution.journal import Journal, Records, read_journals
from routeaudit.execution.progress import progress_for
from routeaudit.execution.requests import (
    Completion,
    Decoding,
    Identity,
    Message,
    Request,
    TokenLogprob,
    Usage,
    completions_digest,
    schema_text,
)
from routeaudit.execution.run import Counts, Execution, execute
from routeaudit.execution.scheduling import distinct, shard_of

__all__ = [
    "Completion",
    "Counts",
    "Decoding",
    "Execution",
    "Identity",
    "Journal",
    "Message",
    "Records",
    "Request",
    "TokenLogprob",
    "Usage",
    "completions_digest",
    "distinct",
    "execute",
    "progress_for",
    "read_journals",
    "schema_text",
    "shard_of",
]
