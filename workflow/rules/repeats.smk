"""Repeated cross-fits and a learning curve of a cross-fitted offline study; made only when asked for:

    snakemake -c2 --config studies=musique12 data_dir=FOLDER -- results/musique12/repeated.parquet

REQUIRED INPUTS   public/, family, index, private/ for privileged routers; heldout/outcomes, which are also the training ones
OUTPUTS           results/<study>/repeated.parquet, learning_curve.parquet
"""


rule repeat:
    """The declared contrasts under 20 deals of the folds; regret by share of the training components."""
    input:
        index="results/{study}/index/tasks.parquet",
        tasks="results/{study}/public/tasks.parquet",
        cards="results/{study}/public/cards.parquet",
        family="results/{study}/family.parquet",
        evidence="results/{study}/private/evidence.parquet",
        answers="results/{study}/private/answers.parquet",
        outcomes="results/{study}/train/outcomes.parquet",
        regret="results/{study}/regret.parquet",
    output:
        repeated="results/{study}/repeated.parquet",
        curve="results/{study}/learning_curve.parquet",
    log:
        "results/{study}/logs/repeat.log",
    threads: 2
    params:
        cfg=cfg("routers", "endpoints", "tests", "stats", "split.crossfit_folds"),
        code=code("repeat.py"),
    shell:
        stage(
            "repeat.py",
            inputs="index tasks cards family evidence answers outcomes regret",
            outputs="repeated curve",
        )
