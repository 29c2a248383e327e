"""The files of config/ and workflow/schemas/ that follow from the typed models.

A test holds them against the models; ``make config`` writes them anew.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from routeaudit.config.benchmarks import BenchmarkConfig
from routeaudit.config.deliberation import DeliberationStudy
from routeaudit.config.family import FamilyConfig
from routeaudit.config.models import ModelConfig
from routeaudit.config.routers import RouterConfig
from routeaudit.config.split import SplitConfig, VariantSplit
from routeaudit.config.stack import StackConfig
from routeaudit.config.study import StudyConfig, study_schema

_HEADER = "# Generated from the typed models by `make config`; edit those instead.\n"
_GROUPS = {
    "benchmark": (BenchmarkConfig, "kind"),
    "family": (FamilyConfig, "kind"),
    "router": (RouterConfig, "kind"),
    "model": (ModelConfig, "backend"),
}


def generated_files() -> dict[str, str]:
    """Every generated file: project-relative path -> content."""
    files = {
        "workflow/schemas/config.schema.json": _json(study_schema()),
        "workflow/schemas/deliberation.schema.json": _json(DeliberationStudy.model_json_schema()),
        "config/defaults.yaml": _HEADER + _yaml(_study_without_groups()),
        "config/split/source.yaml": _HEADER + _yaml(_defaults(SplitConfig)),
        "config/split/variant.yaml": _HEADER + _yaml({"disjoint": "variant"} | _defaults(VariantSplit)),
        "config/stack/prompted.yaml": _HEADER + _yaml(_stack_without_models()),
        "config/KEYS.md": _keys_page(),
    }
    for group, (union, tag) in _GROUPS.items():
        for model in union_members(union):
            kind = get_args(model.model_fields[tag].annotation)[0]
            files[f"config/{group}/{kind}.yaml"] = _HEADER + _yaml({tag: kind} | _defaults(model))
    return files


def _study_without_groups() -> dict[str, Any]:
    """The default sections; split and family come from groups, because their kinds have different keys."""
    return {name: value for name, value in _defaults(StudyConfig).items() if name not in ("split", "family")}


def _stack_without_models() -> dict[str, Any]:
    """The default prompts and decoding; a study adds the two models from their group."""
    stack = _defaults(StackConfig)
    for role in ("worker", "finalizer"):
        del stack[role]["model"]
    return stack


def union_members(union: Any) -> tuple[type[BaseModel], ...]:
    """The models of a discriminated union, in declared order."""
    inner = get_args(union)[0] if get_origin(union) is Annotated else union
    return get_args(inner) if get_origin(inner) in (Union, types.UnionType) else (inner,)


def _json(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"


def _yaml(values: dict[str, Any]) -> str:
    text: str = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)
    return text


def _defaults(model: type[BaseModel]) -> dict[str, Any]:
    """The defaults that a model has of its own; a key that must be given is left out."""
    found: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        default = info.get_default(call_default_factory=True)
        if default is not PydanticUndefined:
            found[name] = to_jsonable_python(default)
    return found


def _keys_page() -> str:
    parts = ["<!-- Generated from the typed models by `make config`. -->\n# Every configuration key\n"]
    parts += [_model_table(title, model) for title, model in _documented_models()]
    return "\n".join(parts)


def _documented_models() -> Iterator[tuple[str, type[BaseModel]]]:
    """The two kinds of study, then each model they reach, breadth first, each once."""
    queue: list[tuple[str, type[BaseModel]]] = [("study", StudyConfig), ("deliberation", DeliberationStudy)]
    seen: set[type[BaseModel]] = set()
    while queue:
        title, model = queue.pop(0)
        if model in seen:
            continue
        seen.add(model)
        yield title, model
        for name, info in model.model_fields.items():
            queue.extend((name, reached) for reached in _models_in(info.annotation))


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _model_table(title: str, model: type[BaseModel]) -> str:
    rows = [_row(name, info) for name, info in model.model_fields.items()]
    head = "| key | type | default | meaning |\n|---|---|---|---|"
    return "\n".join([f"## {title}: {model.__name__}\n", (model.__doc__ or "").strip(), "", head, *rows, ""])


def _row(name: str, info: FieldInfo) -> str:
    meaning = " ".join((info.description or "").split())
    return f"| `{name}` | {_type_name(info.annotation)} | {_default(info)} | {meaning} |"


def _default(info: FieldInfo) -> str:
    """The default as a reader types it; a long one is in the generated files."""
    if info.is_required():
        return "*required*"
    text = json.dumps(to_jsonable_python(info.get_default(call_default_factory=True)), ensure_ascii=False)
    if text == "null":
        return "none"
    return f"`{text}`" if len(text) <= 80 else "*see the sections below*"


def _type_name(annotation: Any) -> str:
    """A type as a reader of the configuration says it."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_name(arguments[0])
    if origin in (Union, types.UnionType):
        return " or ".join(_type_name(a) for a in arguments)
    if arguments and origin is not None and origin not in (list, tuple, dict):
        return ", ".join(f"`{a}`" for a in arguments)
    if origin is dict:
        return f"mapping of names to {_type_name(arguments[1])}"
    if origin in (list, tuple):
        return f"list of {_type_name(arguments[0])}"
    return "none" if annotation is type(None) else str(getattr(annotation, "__name__", annotation))
