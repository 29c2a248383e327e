"""Seal the contract: everything that is fixed before outcomes exist.

REQUIRED INPUTS   the study's configuration (config/study/<study>.yaml, composed)
OUTPUTS           results/<study>/contract.json; an event in seals/<study>.jsonl
"""

CONTRACT_SECTIONS = (
    "benchmark split family stacks routers coverage endpoints tests stats".split()
)


rule seal:
    """Write the contract and add its digest to the ledger."""
    output:
        contract="results/{study}/contract.json",
    params:
        cfg=cfg(*CONTRACT_SECTIONS),
        code=code("seal.py"),
    log:
        "results/{study}/logs/seal.log",
    shell:
        stage("seal.py", outputs="contract")
