"""The frame around every stage script: parse the command, run, record; bad input ends cleanly."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from routeaudit.errors import InputError
from routeaudit.provenance.contract import held_sections
from routeaudit.provenance.lifetime import end_with_parent
from routeaudit.provenance.records import Origin, now, record_path, relative, write_record
from routeaudit.tables import canonical_json, content_digest, read_json


@dataclass(frozen=True)
class Stage:
    """One run of one stage: its part of the configuration and its files.

    Parameters
    ----------
    cfg : exactly the configuration subtree that the rule selected; a key it lacks is an error
    inputs, outputs : name -> files, as the rule declares them
    wildcards : what the rule's pattern matched, for stages that run once per phase, stack or shard
    log : where a stage that shows its progress on the terminal keeps its own log
    """

    name: str
    study: str
    cfg: Mapping[str, Any]
    inputs: Mapping[str, tuple[Path, ...]]
    outputs: Mapping[str, tuple[Path, ...]]
    code: str
    contract: Path | None
    wildcards: Mapping[str, str]
    log: Path | None

    def input(self, name: str) -> Path:
        """The one file of an input."""
        (path,) = self.inputs[name]
        return path

    def output(self, name: str) -> Path:
        """The one file of an output."""
        (path,) = self.outputs[name]
        return path


# What a stage's main may return: {"model": {...}} for the record.
Notes = Mapping[str, Any] | None


def run_stage(main: Callable[[Stage], Notes], argv: list[str] | None = None) -> None:
    """Run a stage script's `main` and write the records of its outputs; exit 1 on bad input."""
    arguments = sys.argv[1:] if argv is None else argv
    if argv is None:
        end_with_parent()
    stage = _parse(arguments)
    try:
        _run(main, stage, arguments)
    except InputError as error:
        _tell(f"error: {error}\n", stage.log)
        raise SystemExit(1) from None
    except Exception:
        _tell(traceback.format_exc(), stage.log)
        raise SystemExit(2) from None


def _tell(text: str, log: Path | None) -> None:
    sys.stderr.write(text)
    if log is not None:
        with log.open("a", encoding="utf-8") as handle:
            handle.write(text)


def _run(main: Callable[[Stage], Notes], stage: Stage, arguments: list[str]) -> None:
    root = Path.cwd()
    for path in _files(stage.outputs):
        record_path(path).unlink(missing_ok=True)
    origin = _origin(stage, arguments, root)
    notes = main(stage) or {}
    origin = Origin(**{**vars(origin), "model": notes.get("model")})
    for path in _files(stage.outputs):
        write_record(path, origin, root)


def _origin(stage: Stage, arguments: list[str], root: Path) -> Origin:
    contract = None if stage.contract is None else read_json(stage.contract)
    return Origin(
        stage=stage.name,
        study=stage.study,
        inputs={relative(path, root): content_digest(path) for path in _files(stage.inputs)},
        params=canonical_json(stage.cfg),
        code=stage.code,
        contract=contract["digest"] if contract else None,
        sections=held_sections(stage.cfg, contract, str(stage.contract)) if contract else {},
        command=(Path(sys.argv[0]).name, *arguments),
        start=now(),
    )


def _files(named: Mapping[str, tuple[Path, ...]]) -> list[Path]:
    return [path for paths in named.values() for path in paths]


def _parse(arguments: list[str]) -> Stage:
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", required=True)
    parser.add_argument("--study", required=True)
    parser.add_argument("--cfg", required=True, type=json.loads)
    parser.add_argument("--code", required=True)
    parser.add_argument("--contract", type=Path)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--wildcards", nargs="*", default=[])
    parser.add_argument("--in", dest="inputs", nargs="+", action="append", default=[])
    parser.add_argument("--out", dest="outputs", nargs="+", action="append", default=[])
    given = parser.parse_args(arguments)
    return Stage(
        name=given.stage,
        study=given.study,
        cfg=given.cfg,
        inputs=_named(given.inputs),
        outputs=_named(given.outputs),
        code=given.code,
        contract=given.contract,
        wildcards=dict(pair.split("=", 1) for pair in given.wildcards),
        log=given.log,
    )


def _named(groups: list[list[str]]) -> dict[str, tuple[Path, ...]]:
    return {name: tuple(map(Path, paths)) for name, *paths in groups}
