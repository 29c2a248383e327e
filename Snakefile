"""routeaudit: evaluate routing in multi-agent LLM systems.

snakemake -c2                              the studies in config/workflow.yaml
snakemake -c2 --config studies=musique12   another study
snakemake -c2 -R score                     one stage again, and what depends on it
snakemake --profile slurm                  on a Slurm cluster (profiles/README.md)
"""

from snakemake.utils import min_version

min_version("9.27")


include: "workflow/Snakefile"


# An included file's default target is not taken over, so the entry has its own.
rule all:
    default_target: True
    input:
        rules.studies.input,
