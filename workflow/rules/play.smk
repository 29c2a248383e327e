"""Play tasks out in ToolSandbox, for stacks of that kind: its own execution, its own evaluator.

REQUIRED INPUTS   the plan of a phase, index, public/tasks; an interpreter with ToolSandbox (execution.toolsandbox_python)
OUTPUTS           results/<study>/<phase>/<stack>/plays.parquet and its shards
"""


def role_models(wildcards):
    """The model that plays, where the role is one."""
    role = STUDIES[wildcards.study]["stacks"][wildcards.stack]["role"]
    return [role["model"]] if role["kind"] == "model" else []


rule play:
    """A role acts with the selected families' tools; one shard of the distinct plays."""
    input:
        plan="results/{study}/{phase}/plan.parquet",
        index="results/{study}/index/tasks.parquet",
        tasks="results/{study}/public/tasks.parquet",
    output:
        plays="results/{study}/{phase}/{stack}/plays-{shard}-of-{n}.parquet",
    log:
        "results/{study}/logs/play-{phase}-{stack}-{shard}-of-{n}.log",
    threads: lambda wildcards: threads_of(*role_models(wildcards))
    resources:
        gpu=lambda wildcards: gpus_of(*role_models(wildcards)),
    params:
        cfg=cfg("stacks.{stack}", "execution.toolsandbox_python"),
        code=code("play.py"),
    shell:
        stage(
            "play.py",
            inputs="plan index tasks",
            outputs="plays",
            wildcards=SHARD,
            tail=LIVE,
        )


rule gather_plays:
    """Merge the shards of plays into one canonical table."""
    input:
        parts=shard_parts("plays"),
    output:
        table="results/{study}/{phase}/{stack}/plays.parquet",
    log:
        "results/{study}/logs/gather-plays-{phase}-{stack}.log",
    params:
        cfg=cfg(),
        code=code("gather.py"),
    shell:
        stage("gather.py", inputs="parts", outputs="table")
