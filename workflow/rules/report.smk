"""The study's page and its research-object crate.

REQUIRED INPUTS   every table of the study
OUTPUTS           results/<study>/report.html
"""


def report_tables(wildcards):
    """Every artifact that the page quotes."""
    folder = f"results/{wildcards.study}"
    own = {f"{folder}/report.html"}
    return [path for path in artifacts(wildcards.study) if path not in own]


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
    params:
        cfg=cfg("description"),
        code=code("report.py"),
    log:
        "results/{study}/logs/report.log",
    shell:
        stage("report.py", inputs="tables", outputs="page")
