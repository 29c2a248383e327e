"""Backends: five ways to have a request answered, behind one protocol.

`open_backend` is cheap: engines start with the first request, and their libraries are imported then.
"""

from __future__ import annotations

from pathlib import Path

from routeaudit.config.models import LlamaCppModel, ModelConfig, OpenAIModel, ReplayModel, ScriptedModel
from routeaudit.execution.backends.base import Backend, BudgetSpent, InfrastructureError
from routeaudit.execution.backends.llamacpp import LlamaCppBackend
from routeaudit.execution.backends.openai_server import OpenAIBackend
from routeaudit.execution.backends.replay import ReplayBackend
from routeaudit.execution.backends.scripted import ScriptedBackend
from routeaudit.execution.backends.vllm_engine import VllmBackend

__all__ = ["Backend", "BudgetSpent", "InfrastructureError", "open_backend"]


def open_backend(model: ModelConfig, journal_folder: Path) -> Backend:
    """The backend that `model` declares. Only `replay` reads `journal_folder`.

    Raises
    ------
    InputError : the model's file, rule or record is not there or not the declared one
    """
    if isinstance(model, LlamaCppModel):
        return LlamaCppBackend(model)
    if isinstance(model, ScriptedModel):
        return ScriptedBackend(model)
    if isinstance(model, ReplayModel):
        return ReplayBackend(model, journal_folder)
    if isinstance(model, OpenAIModel):
        return OpenAIBackend(model)
    return VllmBackend(model)
