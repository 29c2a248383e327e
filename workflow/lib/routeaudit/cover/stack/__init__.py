"""The fixed downstream stack: workers' messages from private passages, final answers from messages."""

from routeaudit.cover.stack.finalizer import finalizer_requests, finals_table
from routeaudit.cover.stack.keys import CellKey, MessageKey
from routeaudit.cover.stack.workers import messages_table, worker_requests

__all__ = [
    "CellKey",
    "MessageKey",
    "finalizer_requests",
    "finals_table",
    "messages_table",
    "worker_requests",
]
