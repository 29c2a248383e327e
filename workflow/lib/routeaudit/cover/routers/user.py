"""A user's own router: a class in a Python file."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from routeaudit.cover.routers.base import Router
from routeaudit.errors import InputError


def load_user_router(file: Path, class_name: str, options: Mapping[str, Any], information: str) -> Router:
    """Run the file and make its router; call it only where the process is already confined.

    Raises
    ------
    InputError : the file has no such class, it is no `Router`, its options do not fit, or it declares
        another information set than the configuration.
    """
    module = _run(file)
    made = getattr(module, class_name, None)
    if not (isinstance(made, type) and issubclass(made, Router) and made.__module__ == module.__name__):
        raise InputError(
            f"{file}, class {class_name!r}",
            "a subclass of routeaudit.cover.routers.Router",
            "no such class" if made is None else f"{made!r}, which is none of the file's own",
            "define the class or set class_name",
        )
    declared = getattr(made, "information", None)
    if declared != information:
        raise InputError(
            f"{file}, class {class_name!r}",
            f"information = {information!r}, as the configuration says",
            repr(declared),
            "make the class and the configuration's `sees` agree",
        )
    try:
        return made(**options)
    except TypeError as error:
        raise InputError(
            f"{file}, class {class_name!r}", "options that the class takes", str(error), "mend `options`"
        ) from None


def _run(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("user_router", file)
    if spec is None or spec.loader is None:
        raise InputError(str(file), "a Python file", "another kind of file", "name a .py file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except FileNotFoundError:
        raise InputError(str(file), "a Python file", "no such file", "mend the path") from None
    return module
