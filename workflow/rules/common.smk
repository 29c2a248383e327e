"""What all rules share: the studies' configurations, code digests, and the shape of a stage command.

Only light imports here: every cluster job parses this file again.
"""

import atexit
import os
import sys
from pathlib import Path

WORKFLOW = Path(str(workflow.current_basedir)).parent
LIBRARY = WORKFLOW / "lib"
SCRIPTS = Path(os.path.relpath(WORKFLOW.parent / "scripts"))
# profiles/slurm/bin holds a sacct that the executor plugin understands.
SHIMS = WORKFLOW.parent / "profiles" / "slurm" / "bin"
for variable, entry in (
    ("PYTHONPATH", LIBRARY),
    ("PATH", Path(sys.executable).parent),
    ("PATH", SHIMS),
):
    known = os.environ.get(variable, "").split(os.pathsep)
    os.environ[variable] = os.pathsep.join(
        [str(entry), *(k for k in known if k and k != str(entry))]
    )
sys.path.insert(0, str(LIBRARY))

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from composed import Compositions
from routeaudit.config.stack import STAGE_VERSION, is_played
from routeaudit.errors import InputError
from routeaudit.provenance.code import CodeDigests
from routeaudit.provenance.contract import make_contract
from routeaudit.provenance.lifetime import CONTROLLER
from routeaudit.tables import canonical_json, read_json

# A stage whose parent is another process than this one has lost its controller.
os.environ[CONTROLLER] = str(os.getpid())

config.setdefault("studies", ["demo"])
config.setdefault("overrides", [])
config.setdefault("data_dir", None)


def _as_list(value):
    return value.split(",") if isinstance(value, str) else list(value)


def _compose(study):
    try:
        return COMPOSITIONS.study(
            study, _as_list(config["overrides"]), config["data_dir"]
        )
    except InputError as error:
        raise WorkflowError(str(error))


CODE = CodeDigests(Path(".cache/routeaudit/code.json"))
COMPOSITIONS = Compositions(
    WORKFLOW.parent / "config",
    Path(".cache/routeaudit/compositions"),
    CODE.digest(LIBRARY / "composition.py"),
)
STUDIES = {study: _compose(study) for study in _as_list(config["studies"])}
PHASES = ("train", "heldout")


wildcard_constraints:
    study="[A-Za-z0-9_]+",
    phase="train|heldout",
    stack="[A-Za-z0-9_]+",
    policy="[A-Za-z0-9_]+",
    shard=r"\d+",
    n=r"\d+",


def part(value, name):
    """A section of a configuration, or a dotted part of one (routers.random)."""
    for key in name.split("."):
        value = value[key]
    return value


def cfg(*names, studies=STUDIES):
    """Exactly the named parts of a study's configuration, as canonical JSON; names may hold wildcards."""

    def subtree(wildcards):
        filled = [name.format(**dict(wildcards.items())) for name in names]
        return canonical_json(
            {name: part(studies[wildcards.study], name) for name in filled}
        )

    return subtree


def code(script):
    """Digest of a stage script and of the library code that it imports."""
    return CODE.digest(WORKFLOW.parent / "scripts" / script)


def stage(script, inputs="", outputs="", wildcards="", tail="> {log:q} 2>&1"):
    """The shell command of a stage; `inputs` and `outputs` name what its script reads and writes."""
    name = Path(script).stem
    files = [f"--in {i} {{input.{i}:q}}" for i in inputs.split()]
    files += [f"--out {o} {{output.{o}:q}}" for o in outputs.split()]
    head = f"exec python {SCRIPTS / script} --stage {name} --study {{wildcards.study}}"
    sealed = "--contract results/{wildcards.study}/contract.json"
    matched = [f"{w}={{wildcards.{w}}}" for w in wildcards.split()]
    wild = ["--wildcards", *matched] if matched else []
    return " ".join(
        [head, "--cfg {params.cfg:q} --code {params.code}", sealed, *files, *wild, tail]
    )


if workflow.is_main_process:
    from routeaudit.execution import slurm
    from routeaudit.execution.controller import become_controller, drop_dead_locks

    if living := drop_dead_locks(Path(".snakemake/locks")):
        logger.warning(
            f"Another run of the workflow lives in this folder: {living}. A second one will be refused; no --unlock."
        )


def take_control():
    """Before any job: no other run lives in this folder, Slurm works where it is asked, no job of a dead run is left.

    Not while parsing: only here is it known that this is no dry run, and which executor runs the jobs.
    """
    try:
        atexit.register(become_controller().release)
        if workflow.executor_plugin.name == "slurm":
            settings = workflow.executor_settings
            slurm.assert_usable(
                settings.status_command or "sacct",
                settings.init_seconds_before_status_checks,
            )
            for job in slurm.cancel_leftovers(Path.cwd()):
                logger.warning(
                    f"Job {job} of an earlier run in this folder was still there and was cancelled."
                )
    except InputError as error:
        raise WorkflowError(str(error))


def seal_contracts():
    """Seal the contract of every study whose configuration differs from the sealed one.

    Sealing comes before all jobs and is no job itself (docs/decisions/0002): it must not hide from Snakemake which
    stages a changed section concerns.
    """
    for study, sections in STUDIES.items():
        wanted = make_contract(study, sections)
        sealed = Path(f"results/{study}/contract.json")
        if not sealed.exists() or read_json(sealed)["digest"] != wanted["digest"]:
            promised = canonical_json(wanted["sections"])
            shell(
                "exec python {SCRIPTS}/seal.py --stage seal --study {study} --cfg {promised:q}"
                " --code {code_digest} --out contract {sealed}",
                code_digest=code("seal.py"),
            )


# A model stage shows its progress on the terminal and keeps a plain log of its own.
LIVE = "--log {log:q} > /dev/null"


def stacks(study):
    """The stacks of a study; none where its endpoints need no model."""
    return list(STUDIES[study]["stacks"])


def shard_names(study):
    """The wildcard values of a phase's shards, for example 1-of-4."""
    n = STUDIES[study]["execution"]["shards"]
    return [f"{i}-of-{n}" for i in range(1, n + 1)]


def shard_parts(kind):
    """The shard files that make up one phase's messages, finals or plays."""

    def parts(wildcards):
        folder = f"results/{wildcards.study}/{wildcards.phase}/{wildcards.stack}"
        return [
            f"{folder}/{kind}-{shard}.parquet" for shard in shard_names(wildcards.study)
        ]

    return parts


def made_by(study, stack):
    """The tables that a stack makes of each phase."""
    played = is_played(STUDIES[study]["stacks"][stack])
    return ("plays",) if played else ("messages", "finals")


def of_all_stacks(kind):
    """One phase's messages, finals or plays of every stack that makes them."""
    return lambda wildcards: [
        f"results/{wildcards.study}/{wildcards.phase}/{stack}/{kind}.parquet"
        for stack in stacks(wildcards.study)
        if kind in made_by(wildcards.study, stack)
    ]


def gpus_of(*models):
    """GPUs that models asked one after the other need: those over which one is split, none for other backends."""
    return max(
        (
            model["tensor_parallel"]
            for model in models
            if model["backend"] == "vllm" and model["devices"] != 0
        ),
        default=0,
    )


def threads_of(*models):
    """Threads of a stage that asks these models; one where there is none, which profiles/slurm reads as that."""
    return max((max(2, model.get("threads", 2)) for model in models), default=1)
