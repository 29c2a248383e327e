"""A scripted agent whose machine fails."""

from __future__ import annotations

import random
from typing import NoReturn

from routeaudit.execution import Request
from routeaudit.execution.backends import InfrastructureError


def fail(request: Request, noise: random.Random) -> NoReturn:
    raise InfrastructureError("the server is gone")
