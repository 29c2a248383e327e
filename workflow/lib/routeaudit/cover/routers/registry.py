"""From a policy's configuration to its router."""

from __future__ import annotations

from pathlib import Path

from routeaudit.config import routers as config
from routeaudit.config.routers import RouterConfig
from routeaudit.cover.routers.base import Router
from routeaudit.cover.routers.direct_set import DirectSetRouter
from routeaudit.cover.routers.retrieval import Bm25Router
from routeaudit.cover.routers.shortcuts import ShortcutRouter
from routeaudit.cover.routers.simple import AllWorkersRouter, BestFixedRouter, RandomRouter
from routeaudit.cover.routers.user import load_user_router


def build_router(definition: RouterConfig) -> Router:
    """The router that a configuration describes.

    Raises
    ------
    InputError : a user's file that holds no such router.
    """
    match definition:
        case config.Random():
            return RandomRouter()
        case config.AllWorkers():
            return AllWorkersRouter()
        case config.BestFixed():
            return BestFixedRouter()
        case config.Bm25():
            return Bm25Router()
        case config.DirectSet():
            return DirectSetRouter(definition.inverse_penalty)
        case config.Shortcut():
            return ShortcutRouter(definition.cue, definition.inverse_penalty)
        case config.UserFile():
            return load_user_router(
                Path(definition.file), definition.class_name, definition.options, definition.sees
            )
        case config.RouteTable():
            raise ValueError("routes made elsewhere are read, not fitted")
