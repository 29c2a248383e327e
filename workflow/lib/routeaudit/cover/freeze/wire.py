"""How a confined router asks the pipeline for model answers: JSON lines over an inherited socket pair."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from dataclasses import asdict

from routeaudit.cover.questions import Ask, Question
from routeaudit.errors import InputError
from routeaudit.tables import canonical_json

BROKER_VARIABLE = "ROUTEAUDIT_BROKER_FD"


def broker_handle() -> int | None:
    """The inherited descriptor of this process's broker, if it was given one."""
    value = os.environ.get(BROKER_VARIABLE)
    return None if value is None else int(value)


def ask_broker(questions: Sequence[Question]) -> list[str | None]:
    """The confined side: one line of questions out, one line of answers in."""
    handle = broker_handle()
    if handle is None:
        raise InputError("router", "a model to ask", "none", "declare the router's model in the study")
    with os.fdopen(os.dup(handle), "w") as out, os.fdopen(os.dup(handle)) as back:
        out.write(canonical_json([asdict(question) for question in questions]) + "\n")
        out.flush()
        answers: list[str | None] = json.loads(back.readline())
    return answers


def serve(connection: socket.socket, ask: Ask) -> None:
    """The pipeline's side: answer until the other end is closed everywhere."""
    with connection.makefile("r") as lines, connection.makefile("w") as back:
        for line in lines:
            questions = [Question(**fields) for fields in json.loads(line)]
            back.write(canonical_json(list(ask(questions))) + "\n")
            back.flush()
