"""AutoGen and LangGraph message logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from routeaudit.deliberation.importers.base import Imported
from routeaudit.deliberation.importers.reading import listed, parsed, read_text
from routeaudit.deliberation.importers.transcripts import Reading, Said, import_transcripts
from routeaudit.deliberation.problems.base import Problem
from routeaudit.errors import InputError

_HUMAN = {"user", "human", "system"}


def import_autogen(paths: Sequence[Path], reading: Reading, problems: Mapping[str, Problem]) -> Imported:
    """AutoGen logs: a dumped ``TaskResult`` or its messages (``source``, ``type``, ``content``), or a chat
    history
    of version 0.2 (``name``, ``role``, ``content``). A log's file name without suffix is its problem's uid.

    ``SelectSpeakerEvent`` is the selection; tool calls and other events without text are passed over.
    """
    logs = {
        path.stem: [said for item in _items(path) for said in _autogen(item, str(path))] for path in paths
    }
    return import_transcripts(logs, reading, problems, "AutoGen")


def import_langgraph(paths: Sequence[Path], reading: Reading, problems: Mapping[str, Problem]) -> Imported:
    """LangGraph logs: a state or snapshot with ``messages`` (plain or in LangChain's ``lc`` form), or JSON
    lines of
    streamed updates (node -> ``messages``). A log's file name without suffix is its problem's uid."""
    logs = {path.stem: [said for item in _items(path) for said in _langgraph(item, "")] for path in paths}
    return import_transcripts(logs, reading, problems, "LangGraph")


def _items(path: Path) -> list[dict[str, Any]]:
    """The messages of a file: a list, an object that holds one, or one object per line."""
    text = read_text(path)
    if path.suffix == ".jsonl":
        values: Any = [
            parsed(line, f"{path}:{i}") for i, line in enumerate(text.split("\n"), 1) if line.strip()
        ]
    else:
        values = parsed(text, str(path))
    for key in ("values", "task_result", "messages", "chat_history", "message_thread"):
        if isinstance(values, dict) and key in values:
            values = values[key]
    if isinstance(values, list) and all(isinstance(value, dict) for value in values):
        return values
    raise InputError(str(path), "a list of messages", type(values).__name__, "dump the messages of the run")


def _autogen(item: Mapping[str, Any], where: str) -> Iterator[Said]:
    name = str(item.get("source") or item.get("name") or item.get("role") or "")
    if not name:
        raise InputError(
            where, "messages with source or name", str(item)[:80], "dump the messages with model_dump"
        )
    content = item.get("content")
    if item.get("type") == "SelectSpeakerEvent":
        chosen = content if isinstance(content, list) else [content]
        yield Said("selection", str(chosen[0]), "")
    elif text := _text(content):
        yield Said("task" if name in _HUMAN else "agent", name, text)


def _langgraph(item: Mapping[str, Any], node: str) -> Iterator[Said]:
    if "content" not in item and "kwargs" not in item:
        for name, update in item.items():
            for message in (
                listed(update, "messages", f"update of node {name}") if isinstance(update, dict) else ()
            ):
                yield from _langgraph(message, name)
        return
    message = item.get("kwargs") or item
    kind = (
        str(message.get("type") or item.get("id", [""])[-1])
        .lower()
        .removesuffix("chunk")
        .removesuffix("message")
    )
    text = _text(message.get("content"))
    if text and kind in ("ai", "assistant"):
        yield Said("agent", str(message.get("name") or node or "ai"), text)
    elif text and kind in _HUMAN:
        yield Said("task", kind, text)


def _text(content: Any) -> str:
    """The text of a content: a string, or the text parts of a list; nothing for tool calls."""
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    parts = [
        part if isinstance(part, str) else str(part.get("text") or "") for part in content if _is_text(part)
    ]
    return "\n".join(part for part in parts if part).strip()


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and part.get("type", "text") == "text")
