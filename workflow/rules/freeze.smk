"""Fit routers on training outcomes and freeze their routes for the held-out tasks.

REQUIRED INPUTS   public/, family, index; train/outcomes for routers that declare it; private/ for privileged ones
OUTPUTS           results/<study>/routes.parquet (all policies), routes.json (a header per policy: information set,
                  confinement, inputs read, fitted parameters); an event per policy in the ledger
"""


def router_models(wildcards):
    """The models that routers of the study ask."""
    routers = STUDIES[wildcards.study]["routers"].values()
    return [router["model"] for router in routers if router["kind"] == "zero_shot_llm"]


rule freeze:
    """Each router fits and routes in a process of its own that the kernel confines to its declared inputs."""
    input:
        index="results/{study}/index/tasks.parquet",
        tasks="results/{study}/public/tasks.parquet",
        cards="results/{study}/public/cards.parquet",
        family="results/{study}/family.parquet",
        evidence="results/{study}/private/evidence.parquet",
        answers="results/{study}/private/answers.parquet",
        outcomes="results/{study}/train/outcomes.parquet",
    output:
        routes="results/{study}/routes.parquet",
        headers="results/{study}/routes.json",
    log:
        "results/{study}/logs/freeze.log",
    threads: lambda wildcards: threads_of(*router_models(wildcards))
    resources:
        gpu=lambda wildcards: gpus_of(*router_models(wildcards)),
    params:
        cfg=cfg("routers", "endpoints", "split.crossfit_folds"),
        code=code("freeze.py"),
    shell:
        stage(
            "freeze.py",
            inputs="index tasks cards family evidence answers outcomes",
            outputs="routes headers",
        )
