"""Deliberation studies: problems, the confidence-routed broadcast, labels, audit.

REQUIRED INPUTS   config/deliberation/<study>.yaml; files of problems that it names
OUTPUTS           results/<study>/problems/<benchmark>.json                      private: with the answers
                  results/<study>/<actor>/<benchmark>/shards/<i>-of-<n>/         unlabelled trace of one shard
                  results/<study>/<actor>/<benchmark>/traces/                    labelled trace
                  results/<study>/<actor>/<benchmark>/replay.json                its equal made from the journal alone
                  results/<study>/<actor>/<benchmark>/{card.json,card.html,audit.html}
                  results/<study>/grid.html
Generations live in the journal results/journal/, which is no declared output: a failing job would roll it back.
"""


def _compose_deliberation(study):
    try:
        return COMPOSITIONS.deliberation(
            study, _as_list(config["deliberation_overrides"])
        )
    except InputError as error:
        raise WorkflowError(str(error))


config.setdefault("deliberations", [])
config.setdefault("deliberation_overrides", [])
DELIBERATIONS = {
    study: _compose_deliberation(study)
    for study in _as_list(config["deliberations"])
    if study
}
CELL_SECTIONS = ("actors.{actor}", "protocol", "baselines", "judges")
RECORDED = ("blocks", "polls", "selections", "speaks", "approvals", "outcomes")
CELL = "results/{study}/{actor}/{benchmark}"


wildcard_constraints:
    actor="[A-Za-z0-9_]+",
    benchmark="[A-Za-z0-9_]+",


def deliberation_cfg(*names):
    """Exactly the named parts of a deliberation study's configuration, as canonical JSON."""
    return cfg(*names, studies=DELIBERATIONS)


def deliberation_stage(script, inputs, outputs, tail="> {log:q} 2>&1"):
    """The shell command of a stage. A deliberation is descriptive: no contract is sealed before it."""
    files = [f"--in {i} {{input.{i}:q}}" for i in inputs.split()]
    files += [f"--out {o} {{output.{o}:q}}" for o in outputs.split()]
    head = f"exec python {SCRIPTS / script} --stage {Path(script).stem} --study {{wildcards.study}}"
    return " ".join([head, "--cfg {params.cfg:q} --code {params.code}", *files, tail])


def trace_files(folder, *labels):
    """The files of a trace folder, trace.json first; `labels` are tables that only a labelled trace has."""
    return [
        f"{folder}/trace.json",
        *(f"{folder}/{table}.parquet" for table in (*RECORDED, *labels)),
    ]


def deliberation_gpus(wildcards):
    """GPUs that a cell's models ask for at once."""
    study = DELIBERATIONS[wildcards.study]
    pool = study["actors"][wildcards.actor]
    models = [
        *(pool["models"] or [pool["model"]]),
        *(judge["model"] for judge in study["judges"].values()),
    ]
    wanted = {
        canonical_json(m): m["tensor_parallel"]
        for m in models
        if m["backend"] == "vllm" and m["devices"] != 0
    }
    return sum(wanted.values())


def shard_traces(wildcards):
    n = DELIBERATIONS[wildcards.study]["execution"]["shards"]
    cell = CELL.format(**dict(wildcards.items()))
    return [
        path
        for i in range(1, n + 1)
        for path in trace_files(f"{cell}/shards/{i}-of-{n}")
    ]


def cells(study):
    """Folders of all cells: every actor on every benchmark."""
    names = DELIBERATIONS[study]
    return [
        f"results/{study}/{actor}/{benchmark}"
        for actor in names["actors"]
        for benchmark in names["benchmarks"]
    ]


def deliberation_artifacts(study):
    """Every artifact of a deliberation study."""
    n = DELIBERATIONS[study]["execution"]["shards"]
    found = [
        f"results/{study}/problems/{name}.json"
        for name in DELIBERATIONS[study]["benchmarks"]
    ]
    for cell in cells(study):
        found += [
            path
            for i in range(1, n + 1)
            for path in trace_files(f"{cell}/shards/{i}-of-{n}")
        ]
        found += trace_files(f"{cell}/traces", "verdicts")
        found += [
            f"{cell}/{name}"
            for name in ("replay.json", "card.json", "card.html", "audit.html")
        ]
    return [*found, f"results/{study}/grid.html"]


rule deliberations:
    """Every artifact of every deliberation study."""
    input:
        [path for study in DELIBERATIONS for path in deliberation_artifacts(study)],


rule problems:
    """Read or invent the problems of a benchmark."""
    output:
        problems="results/{study}/problems/{benchmark}.json",
    log:
        "results/{study}/logs/problems-{benchmark}.log",
    params:
        cfg=deliberation_cfg("benchmarks.{benchmark}"),
        code=code("problems.py"),
    shell:
        deliberation_stage("problems.py", "", "problems")


rule deliberate:
    """Run the broadcast and its baselines on one shard of the problems."""
    input:
        problems="results/{study}/problems/{benchmark}.json",
    output:
        trace=trace_files(f"{CELL}/shards/{{shard}}-of-{{n}}"),
    log:
        "results/{study}/logs/deliberate-{actor}-{benchmark}-{shard}-of-{n}.log",
    threads: 2
    resources:
        gpu=deliberation_gpus,
    params:
        cfg=deliberation_cfg(*CELL_SECTIONS),
        code=code("deliberate.py"),
    shell:
        deliberation_stage("deliberate.py", "problems", "trace")


rule label_traces:
    """Join the shards and label answers; one fixed judge labels every cell of a study."""
    input:
        problems="results/{study}/problems/{benchmark}.json",
        shards=shard_traces,
    output:
        trace=trace_files(f"{CELL}/traces", "verdicts"),
    log:
        "results/{study}/logs/label-{actor}-{benchmark}.log",
    threads: 2
    resources:
        gpu=deliberation_gpus,
    params:
        cfg=deliberation_cfg(*CELL_SECTIONS),
        code=code("label_traces.py"),
    shell:
        deliberation_stage("label_traces.py", "problems shards", "trace")


rule replay_traces:
    """Hold the trace against the one that the journal alone gives."""
    input:
        problems="results/{study}/problems/{benchmark}.json",
        trace=trace_files(f"{CELL}/traces", "verdicts"),
    output:
        replay=f"{CELL}/replay.json",
    log:
        "results/{study}/logs/replay-{actor}-{benchmark}.log",
    params:
        cfg=deliberation_cfg(*CELL_SECTIONS),
        code=code("replay_traces.py"),
    shell:
        deliberation_stage("replay_traces.py", "problems trace", "replay")


rule audit_traces:
    """Routing, calibration and commitment of a cell, with its Trace-Audit Card."""
    input:
        trace=trace_files(f"{CELL}/traces", "verdicts"),
    output:
        card=f"{CELL}/card.json",
        card_page=f"{CELL}/card.html",
        page=f"{CELL}/audit.html",
    log:
        "results/{study}/logs/audit-{actor}-{benchmark}.log",
    params:
        cfg=deliberation_cfg("audit"),
        code=code("audit_traces.py"),
    shell:
        deliberation_stage("audit_traces.py", "trace", "card card_page page")


rule grid:
    """All cells of a study side by side."""
    input:
        traces=lambda wildcards: [
            f"{cell}/traces/trace.json" for cell in cells(wildcards.study)
        ],
    output:
        page="results/{study}/grid.html",
    log:
        "results/{study}/logs/grid.log",
    params:
        cfg=deliberation_cfg("audit"),
        code=code("grid.py"),
    shell:
        deliberation_stage("grid.py", "traces", "page")
