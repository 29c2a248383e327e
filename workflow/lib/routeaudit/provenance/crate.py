"""A results folder as a Workflow Run RO-Crate: what was run, on what, and what came out.

Follows Workflow Run Crate 0.6 (https://w3id.org/ro/wfrun/workflow/0.6): the workflow file lies in the
crate as its main entity, its run is one action, and each stage run is another.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from routeaudit import __version__
from routeaudit.errors import InputError
from routeaudit.provenance.folder import Folder, Record, read_folder
from routeaudit.provenance.lineage import dependency_order
from routeaudit.tables import file_digest, text_digest, write_json, write_text

_TERMS = "https://w3id.org/ro/terms/workflow-run/context"
_PROFILES = {"process": "Process Run Crate", "workflow": "Workflow Run Crate"}
_MEDIA = {
    ".parquet": "application/vnd.apache.parquet",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".html": "text/html",
    ".txt": "text/plain",
}
# A crate must say something here; that the owner has not chosen yet is the truth.
_NO_LICENCE = "No licence has been declared for these results."


@dataclass(frozen=True)
class _StageRun:
    """One command of the workflow: the records of all its outputs, in dependency order."""

    records: tuple[Record, ...]

    @property
    def first(self) -> Record:
        return self.records[0]

    @property
    def identifier(self) -> str:
        return f"#{self.first.stage}-{text_digest(chr(0).join(self.first.command))[:12]}"


def export_crate(place: Path, out: Path, workflow: Path) -> None:
    """Describe all artifacts of `place` in the crate metadata file `out`, and copy `workflow` beside it.

    The crate's root is the folder of `out`, which must hold `place`. Equal results give equal metadata
    apart from times, hosts and commits.

    Raises
    ------
    InputError : an artifact is missing, a record cannot be used, or `place` lies outside the crate.
    """
    folder = read_folder(place)
    root = out.parent
    if not Path(os.path.abspath(place)).is_relative_to(os.path.abspath(root)):
        raise InputError(
            str(out), f"a file in {place} or above it", f"a file in {root}", "write the crate into its folder"
        )
    own = {os.path.abspath(out), os.path.abspath(root / workflow.name)}
    runs = _stage_runs(folder, own)
    write_text(root / workflow.name, workflow.read_text(encoding="utf-8"))
    crate = ROCrate()
    crate.metadata.extra_contexts.append(_TERMS)
    files = _add_files(crate, folder, runs, root)
    _describe(crate, runs)
    main = _add_workflow(crate, root / workflow.name)
    actions = [_add_run(crate, run, files) for run in runs]
    whole = _add_whole(crate, main, runs, files)
    crate.root_dataset["mentions"] = [whole, *actions]
    write_json(out, crate.metadata.generate())


def _stage_runs(folder: Folder, own: set[str]) -> list[_StageRun]:
    grouped: dict[tuple[str, ...], list[Record]] = {}
    for path in dependency_order(folder):
        record = folder.record(path)
        file = folder.file(path)
        if record is None or os.path.abspath(file) in own:
            continue
        if not file.is_file():
            raise InputError(
                path, "the artifact that its record describes", "no such file", "rerun its stage"
            )
        grouped.setdefault((record.stage, *record.command), []).append(record)
    if not grouped:
        raise InputError(str(folder.place), "artifacts with records", "none", "run the workflow first")
    return [_StageRun(tuple(records)) for records in grouped.values()]


def _add_files(crate: ROCrate, folder: Folder, runs: list[_StageRun], root: Path) -> dict[str, Entity]:
    """Recorded path -> entity, for outputs (files of the crate) and for sources from elsewhere."""
    found: dict[str, Entity] = {}
    for run in runs:
        for path, digest in sorted(run.first.inputs.items()):
            if path not in found:
                found[path] = _add_source(crate, path, digest)
        for record in run.records:
            found[record.output.path] = _add_output(crate, folder, record, root)
    return found


def _add_output(crate: ROCrate, folder: Folder, record: Record, root: Path) -> Entity:
    file = folder.file(record.output.path)
    properties = {
        "name": record.output.path,
        "sha256": record.output.sha256,
        "contentSize": str(record.output.bytes),
        "identifier": f"content-sha256:{record.output.content}",
    }
    if file.suffix in _MEDIA:
        properties["encodingFormat"] = _MEDIA[file.suffix]
    return crate.add_file(dest_path=Path(os.path.relpath(file, root)).as_posix(), properties=properties)


def _add_source(crate: ROCrate, path: str, digest: str) -> Entity:
    properties = {"@type": "CreativeWork", "name": path, "identifier": f"content-sha256:{digest}"}
    return crate.add(ContextEntity(crate, f"#source-{text_digest(path)[:12]}", properties=properties))


def _describe(crate: ROCrate, runs: list[_StageRun]) -> None:
    studies = sorted({record.study for run in runs for record in run.records})
    crate.name = f"Results of {', '.join(studies)}"
    crate.description = (
        "An evaluation of routing in multi-agent LLM systems, with the provenance of every file."
    )
    crate.datePublished = _end(runs)
    crate.license = _NO_LICENCE
    for profile, name in _PROFILES.items():
        properties = {"@type": ["CreativeWork", "Profile"], "name": name, "version": "0.6"}
        entity = ContextEntity(crate, f"https://w3id.org/ro/wfrun/{profile}/0.6", properties=properties)
        crate.root_dataset.append_to("conformsTo", crate.add(entity))


def _add_workflow(crate: ROCrate, workflow: Path) -> Entity:
    properties = {"name": "routeaudit", "version": __version__, "sha256": file_digest(workflow)}
    return crate.add_workflow(dest_path=workflow.name, properties=properties, main=True, lang="snakemake")


def _add_run(crate: ROCrate, run: _StageRun, files: Mapping[str, Entity]) -> Entity:
    record = run.first
    params = {"@type": "PropertyValue", "name": "params", "value": record.params}
    told = ContextEntity(crate, f"{run.identifier}-params", properties=params)
    return crate.add_action(
        _instrument(crate, record),
        run.identifier,
        object=[*(files[path] for path in sorted(record.inputs)), crate.add(told)],
        result=[files[each.output.path] for each in run.records],
        properties={
            "name": f"{record.stage} of study {record.study}",
            "description": " ".join(record.command),
            "startTime": str(record.run.get("start")),
            "endTime": max(str(each.run.get("end")) for each in run.records),
        },
    )


def _instrument(crate: ROCrate, record: Record) -> Entity:
    """The stage as software; its version is the digest of the code it ran."""
    identifier = f"#software-{record.stage}-{text_digest(record.code)[:12]}"
    known = crate.get(identifier)
    properties = {"@type": "SoftwareApplication", "name": record.stage, "softwareVersion": record.code}
    return known or crate.add(ContextEntity(crate, identifier, properties=properties))


def _add_whole(crate: ROCrate, main: Entity, runs: list[_StageRun], files: Mapping[str, Entity]) -> Entity:
    """The run of the whole workflow: from what no stage made to what no stage read."""
    made = [record.output.path for run in runs for record in run.records]
    read = {path for run in runs for path in run.first.inputs}
    return crate.add_action(
        main,
        "#workflow-run",
        object=[files[path] for path in sorted(read - set(made))],
        result=[files[path] for path in made if path not in read],
        properties={
            "name": "run of the workflow",
            "startTime": min(str(run.first.run.get("start")) for run in runs),
            "endTime": _end(runs),
        },
    )


def _end(runs: list[_StageRun]) -> str:
    return max(str(record.run.get("end")) for run in runs for record in run.records)
