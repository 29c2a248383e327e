"""From a policy's configuration to its router."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from routeaudit.config import routers as config
from routeaudit.config.routers import RouterConfig
from routeaudit.cover.questions import Ask
from routeaudit.cover.routers.additive import LeaveOneOutRouter
from routeaudit.cover.routers.base import Router
from routeaudit.cover.routers.direct_set import DirectSetRouter
from routeaudit.cover.routers.graph import CalibratedGraphRouter
from routeaudit.cover.routers.retrieval import Bm25Router, CardRetrieverRouter, PublicCapabilityRouter
from routeaudit.cover.routers.shortcuts import ShortcutRouter
from routeaudit.cover.routers.simple import AllWorkersRouter, BestFixedRouter, RandomRouter
from routeaudit.cover.routers.unified import PairRouter, PrivilegedPairRouter
from routeaudit.cover.routers.user import load_user_router
from routeaudit.cover.routers.value import LearnedValueRouter
from routeaudit.cover.routers.zero_shot import ZeroShotRouter


def build_router(definition: RouterConfig, ask: Ask) -> Router:
    """The router that a configuration describes; `ask` reaches the model of one that needs it.

    Raises
    ------
    InputError : a user's file that holds no such router.
    """
    if isinstance(definition, config.ZeroShotLlm):
        return ZeroShotRouter(ask, definition.instruction, definition.ranked, definition.max_tokens)
    return _BUILDERS[type(definition)](definition)


def _pairs(definition: config.UnifiedCover | config.NoPartition) -> Router:
    kind = PrivilegedPairRouter if definition.labels == "components" else PairRouter
    decoder = definition.decoder if isinstance(definition, config.UnifiedCover) else "none"
    return kind(definition.inverse_penalty, decoder, definition.features == "dense")


def _user(definition: config.UserFile) -> Router:
    return load_user_router(Path(definition.file), definition.class_name, definition.options, definition.sees)


_BUILDERS: Mapping[type, Callable[[Any], Router]] = {
    config.Random: lambda _: RandomRouter(),
    config.AllWorkers: lambda _: AllWorkersRouter(),
    config.BestFixed: lambda _: BestFixedRouter(),
    config.Bm25: lambda _: Bm25Router(),
    config.CardRetriever: lambda made: CardRetrieverRouter(made.top_k),
    config.PublicCapability: lambda _: PublicCapabilityRouter(),
    config.DirectSet: lambda made: DirectSetRouter(made.inverse_penalty, made.features == "dense"),
    config.LeaveOneOut: lambda made: LeaveOneOutRouter(made.penalty),
    config.CalibratedGraph: lambda made: CalibratedGraphRouter(made.inverse_penalty, made.damping),
    config.UnifiedCover: _pairs,
    config.NoPartition: _pairs,
    config.LearnedValue: lambda made: LearnedValueRouter(made.inverse_penalty, made.cost_weight),
    config.Shortcut: lambda made: ShortcutRouter(made.cue, made.inverse_penalty),
    config.UserFile: _user,
}
