"""From the benchmark's source to source- or variant-disjoint splits and the public view.

REQUIRED INPUTS   the benchmark's files or generator, as the contract declares them
OUTPUTS           results/<study>/source/tasks.json, source/inventory.json
                  results/<study>/index/tasks.parquet, leakage.json
                  results/<study>/public/{tasks,cards}.parquet, family.parquet, private/{evidence,answers}.parquet
"""


rule ingest:
    """Read or generate the tasks; count which records are kept and why others are not."""
    output:
        tasks="results/{study}/source/tasks.json",
        inventory="results/{study}/source/inventory.json",
    log:
        "results/{study}/logs/ingest.log",
    params:
        cfg=cfg("benchmark"),
        code=code("ingest.py"),
    shell:
        stage("ingest.py", outputs="tasks inventory")


rule split:
    """Deal whole components of shared source ids, or whole variants, to training or held-out."""
    input:
        tasks="results/{study}/source/tasks.json",
    output:
        index="results/{study}/index/tasks.parquet",
    log:
        "results/{study}/logs/split.log",
    params:
        cfg=cfg("split"),
        code=code("split.py"),
    shell:
        stage("split.py", inputs="tasks", outputs="index")


rule leakage:
    """Report what training and held-out tasks still share; nothing but the report page waits for it."""
    input:
        tasks="results/{study}/source/tasks.json",
        index="results/{study}/index/tasks.parquet",
    output:
        leakage="results/{study}/leakage.json",
    log:
        "results/{study}/logs/leakage.log",
    params:
        cfg=cfg("split"),
        code=code("leakage.py"),
    shell:
        stage("leakage.py", inputs="tasks index", outputs="leakage")


rule publish:
    """Publish what a router may see; keep the rest private; ids are opaque and permuted."""
    input:
        tasks="results/{study}/source/tasks.json",
        index="results/{study}/index/tasks.parquet",
    output:
        tasks="results/{study}/public/tasks.parquet",
        cards="results/{study}/public/cards.parquet",
        family="results/{study}/family.parquet",
        evidence="results/{study}/private/evidence.parquet",
        answers="results/{study}/private/answers.parquet",
    log:
        "results/{study}/logs/publish.log",
    params:
        cfg=cfg("family", "split.seed"),
        code=code("publish.py"),
    shell:
        stage(
            "publish.py",
            inputs="tasks index",
            outputs="tasks cards family evidence answers",
        )
