"""Plan the cells of a phase, run workers and finalizers on the model, grade.

REQUIRED INPUTS   public/, private/, family, index; held-out cells also need every frozen route
OUTPUTS           results/<study>/<phase>/plan.parquet
                  results/<study>/<phase>/<stack>/{messages,finals}.parquet and their shards
                  results/<study>/<phase>/outcomes.parquet
Played stacks have plays instead of messages and finals: play.smk.
Generations live in the journal results/journal/, which is no declared output: a failing job would roll it back.
"""

SHARD = "phase stack shard n"


def stack_gpus(role):
    """GPUs that a role of a stack asks for: those over which its model is split, none for other backends."""

    def gpus(wildcards):
        return gpus_of(
            STUDIES[wildcards.study]["stacks"][wildcards.stack][role]["model"]
        )

    return gpus


rule plan_train:
    """Every legal team of every training task."""
    input:
        index="results/{study}/index/tasks.parquet",
        family="results/{study}/family.parquet",
    output:
        plan="results/{study}/train/plan.parquet",
    log:
        "results/{study}/logs/plan_train.log",
    params:
        cfg=cfg("split.crossfit_folds"),
        code=code("plan_train.py"),
    shell:
        stage("plan_train.py", inputs="index family", outputs="plan")


rule plan_heldout:
    """The held-out cells that the coverage regime needs, once all routes are frozen."""
    input:
        index="results/{study}/index/tasks.parquet",
        family="results/{study}/family.parquet",
        routes="results/{study}/routes.parquet",
    output:
        plan="results/{study}/heldout/plan.parquet",
    log:
        "results/{study}/logs/plan_heldout.log",
    params:
        cfg=cfg("coverage"),
        code=code("plan_heldout.py"),
    shell:
        stage("plan_heldout.py", inputs="index family routes", outputs="plan")


rule work:
    """Workers answer from their own private passages; one shard of the distinct requests."""
    input:
        plan="results/{study}/{phase}/plan.parquet",
        tasks="results/{study}/public/tasks.parquet",
        evidence="results/{study}/private/evidence.parquet",
    output:
        messages="results/{study}/{phase}/{stack}/messages-{shard}-of-{n}.parquet",
    log:
        "results/{study}/logs/work-{phase}-{stack}-{shard}-of-{n}.log",
    threads: 2
    resources:
        gpu=stack_gpus("worker"),
    params:
        cfg=cfg("stacks.{stack}"),
        code=f"stage-version-{STAGE_VERSION}",
    shell:
        stage(
            "work.py",
            inputs="plan tasks evidence",
            outputs="messages",
            wildcards=SHARD,
            tail=LIVE,
        )


rule finalize:
    """The finalizer answers from the selected workers' messages; one shard of the distinct requests."""
    input:
        plan="results/{study}/{phase}/plan.parquet",
        tasks="results/{study}/public/tasks.parquet",
        messages="results/{study}/{phase}/{stack}/messages.parquet",
    output:
        finals="results/{study}/{phase}/{stack}/finals-{shard}-of-{n}.parquet",
    log:
        "results/{study}/logs/finalize-{phase}-{stack}-{shard}-of-{n}.log",
    threads: 2
    resources:
        gpu=stack_gpus("finalizer"),
    params:
        cfg=cfg("stacks.{stack}"),
        code=f"stage-version-{STAGE_VERSION}",
    shell:
        stage(
            "finalize.py",
            inputs="plan tasks messages",
            outputs="finals",
            wildcards=SHARD,
            tail=LIVE,
        )


rule gather_messages:
    """Merge the workers' shards into one canonical table."""
    input:
        parts=shard_parts("messages"),
    output:
        table="results/{study}/{phase}/{stack}/messages.parquet",
    log:
        "results/{study}/logs/gather-messages-{phase}-{stack}.log",
    params:
        cfg=cfg(),
        code=code("gather.py"),
    shell:
        stage("gather.py", inputs="parts", outputs="table")


rule gather_finals:
    """Merge the finalizer's shards into one canonical table."""
    input:
        parts=shard_parts("finals"),
    output:
        table="results/{study}/{phase}/{stack}/finals.parquet",
    log:
        "results/{study}/logs/gather-finals-{phase}-{stack}.log",
    params:
        cfg=cfg(),
        code=code("gather.py"),
    shell:
        stage("gather.py", inputs="parts", outputs="table")


rule grade:
    """Grade every planned cell on every endpoint; the first held-out grading is an event of the ledger."""
    input:
        source="results/{study}/source/tasks.json",
        plan="results/{study}/{phase}/plan.parquet",
        index="results/{study}/index/tasks.parquet",
        evidence="results/{study}/private/evidence.parquet",
        answers="results/{study}/private/answers.parquet",
        messages=of_all_stacks("messages"),
        finals=of_all_stacks("finals"),
        plays=of_all_stacks("plays"),
    output:
        outcomes="results/{study}/{phase}/outcomes.parquet",
    log:
        "results/{study}/logs/grade-{phase}.log",
    params:
        cfg=cfg("endpoints", "stacks"),
        code=code("grade.py"),
    shell:
        stage(
            "grade.py",
            inputs="source plan index evidence answers messages finals plays",
            outputs="outcomes",
            wildcards="phase",
        )
