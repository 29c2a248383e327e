"""Exact regret per task and policy, then intervals, tests and criteria.

REQUIRED INPUTS   heldout/outcomes, family, index, every frozen route
OUTPUTS           results/<study>/{regret,scores,contrasts,criteria}.parquet
"""


rule score:
    """Per-task values and regrets of every policy; refuses routes that differ from the frozen ones."""
    input:
        index="results/{study}/index/tasks.parquet",
        family="results/{study}/family.parquet",
        outcomes="results/{study}/heldout/outcomes.parquet",
        routes="results/{study}/routes.parquet",
        headers="results/{study}/routes.json",
    output:
        regret="results/{study}/regret.parquet",
    log:
        "results/{study}/logs/score.log",
    params:
        cfg=cfg("coverage", "endpoints"),
        code=code("score.py"),
    shell:
        stage(
            "score.py", inputs="index family outcomes routes headers", outputs="regret"
        )


rule infer:
    """Intervals over tasks or source clusters, the declared contrasts with Holm, criteria, evidential status."""
    input:
        index="results/{study}/index/tasks.parquet",
        family="results/{study}/family.parquet",
        outcomes="results/{study}/heldout/outcomes.parquet",
        regret="results/{study}/regret.parquet",
        routes="results/{study}/routes.parquet",
        headers="results/{study}/routes.json",
    output:
        scores="results/{study}/scores.parquet",
        contrasts="results/{study}/contrasts.parquet",
        criteria="results/{study}/criteria.parquet",
    log:
        "results/{study}/logs/infer.log",
    params:
        cfg=cfg("coverage", "endpoints", "tests", "stats", "stacks"),
        code=code("infer.py"),
    shell:
        stage(
            "infer.py",
            inputs="index family outcomes regret routes headers",
            outputs="scores contrasts criteria",
        )
