"""The study's page and its research-object crate.

REQUIRED INPUTS   every table of the study
OUTPUTS           results/<study>/report.html
"""

CAPTION_SECTIONS = "description coverage endpoints routers stacks tests stats".split()


def report_tables(wildcards):
    """Every artifact that the page quotes."""
    folder = f"results/{wildcards.study}"
    own = {f"{folder}/report.html"}
    return [path for path in artifacts(wildcards.study) if path not in own]


def quoted(wildcards):
    """The parts of the configuration that the caption in Snakemake's own report quotes."""
    return {name: part(STUDIES[wildcards.study], name) for name in CAPTION_SECTIONS}


rule report:
    """One self-contained page: what was routed, how much regret remains, how sure we are, where numbers come from."""
    input:
        tables=report_tables,
    output:
        page=report(
            "results/{study}/report.html",
            caption="../report/study.rst",
            category="Studies",
            labels={"study": "{study}"},
        ),
    log:
        "results/{study}/logs/report.log",
    params:
        cfg=cfg("description"),
        facts=quoted,
        code=code("report.py"),
    shell:
        stage("report.py", inputs="tables", outputs="page")
