"""Fit routers on training outcomes and freeze their routes for the held-out tasks.

REQUIRED INPUTS   public/, family, index; train/outcomes for routers that declare it; private/ for privileged ones
OUTPUTS           results/<study>/routes/<policy>.parquet and <policy>.json; an event per policy in the ledger
"""


def policies(study):
    """The policies of a study, by name."""
    return list(STUDIES[study]["routers"])


def route_files(study):
    """The frozen routes of every policy."""
    return [f"results/{study}/routes/{policy}.parquet" for policy in policies(study)]


rule freeze:
    """Each router fits and routes in a process that the kernel confines to its declared inputs."""
    input:
        contract=contract,
        index="results/{study}/index/tasks.parquet",
        tasks="results/{study}/public/tasks.parquet",
        cards="results/{study}/public/cards.parquet",
        family="results/{study}/family.parquet",
        evidence="results/{study}/private/evidence.parquet",
        answers="results/{study}/private/answers.parquet",
        outcomes="results/{study}/train/outcomes.parquet",
    output:
        routes="results/{study}/routes/{policy}.parquet",
        header="results/{study}/routes/{policy}.json",
    params:
        cfg=cfg("routers", "endpoints"),
        code=code("freeze.py"),
    log:
        "results/{study}/logs/freeze.log",
    shell:
        stage("freeze.py", inputs="index tasks cards family evidence answers outcomes", outputs="routes header")
