"""Campaigns: several studies under one seal, one Holm family over their primary tests, one page.

REQUIRED INPUTS   config/campaign/<campaign>.yaml; every artifact of the studies that it names
OUTPUTS           results/campaign_<campaign>/{contrasts,criteria}.parquet, report.html; an event in seals/
The studies of a requested campaign run beside those of `studies`.
"""

import yaml

from routeaudit.config.campaign import validated_campaign
from routeaudit.cover.campaign.seal import campaign_contract, campaign_folder

config.setdefault("campaigns", [])
CAMPAIGN_SECTIONS = "description studies tests criteria alpha".split()


# A campaign's folder looks like a study's.
wildcard_constraints:
    study="(?!campaign_)[A-Za-z0-9_]+",
    campaign="[A-Za-z0-9_]+",


def _read_campaign(name):
    path = WORKFLOW.parent / "config" / "campaign" / f"{name}.yaml"
    try:
        if not path.exists():
            raise InputError(
                str(path),
                "a campaign's configuration",
                "no such file",
                "compare config/README.md",
            )
        return validated_campaign(yaml.safe_load(path.read_text()), str(path))
    except InputError as error:
        raise WorkflowError(str(error))


CAMPAIGNS = {
    name: _read_campaign(name) for name in _as_list(config["campaigns"]) if name
}
for declared in CAMPAIGNS.values():
    STUDIES.update(
        {study: _compose(study) for study in declared.studies if study not in STUDIES}
    )


def campaign_artifacts(name):
    """What a campaign's chain makes beside its studies."""
    folder = f"results/{campaign_folder(name)}"
    return [
        f"{folder}/{file}"
        for file in ("contrasts.parquet", "criteria.parquet", "report.html")
    ]


def campaign_cfg(wildcards):
    """The campaign's configuration as canonical JSON."""
    return canonical_json(CAMPAIGNS[wildcards.campaign].model_dump(mode="json"))


def of_campaign(file):
    """One artifact of every study of the campaign, in the order of the page."""
    return lambda wildcards: [
        f"results/{study}/{file}" for study in CAMPAIGNS[wildcards.campaign].studies
    ]


def rest_of_campaign(wildcards):
    """Every other artifact that the page quotes."""
    own = (
        "contrasts.parquet",
        "criteria.parquet",
        "index/tasks.parquet",
        "report.html",
    )
    return [
        path
        for study in CAMPAIGNS[wildcards.campaign].studies
        for path in artifacts(study)
        if not path.endswith(own)
    ]


def seal_campaigns():
    """Seal every campaign whose contract differs from the sealed one, after its studies were sealed."""
    for name, declared in CAMPAIGNS.items():
        contracts = {
            study: make_contract(study, STUDIES[study]) for study in declared.studies
        }
        try:
            wanted = campaign_contract(name, declared, contracts)
        except InputError as error:
            raise WorkflowError(str(error))
        sealed = Path(f"results/{wanted['study']}/contract.json")
        if not sealed.exists() or read_json(sealed)["digest"] != wanted["digest"]:
            shell(
                "exec python {SCRIPTS}/seal_campaign.py --stage seal_campaign --study {folder} --cfg {promised:q}"
                " --code {code_digest} --out contract {sealed}",
                folder=wanted["study"],
                promised=canonical_json(wanted["sections"]),
                code_digest=code("seal_campaign.py"),
            )


rule campaign:
    """Holm over the primary tests of all studies, their criteria, and one page."""
    input:
        contrasts=of_campaign("contrasts.parquet"),
        criteria=of_campaign("criteria.parquet"),
        index=of_campaign("index/tasks.parquet"),
        rest=rest_of_campaign,
    output:
        contrasts="results/campaign_{campaign}/contrasts.parquet",
        criteria="results/campaign_{campaign}/criteria.parquet",
        page=report(
            "results/campaign_{campaign}/report.html",
            category="Campaigns",
            labels={"campaign": "{campaign}"},
        ),
    log:
        "results/campaign_{campaign}/logs/campaign.log",
    params:
        cfg=campaign_cfg,
        code=code("campaign.py"),
    shell:
        "exec python {SCRIPTS}/campaign.py --stage campaign --study campaign_{wildcards.campaign}"
        " --cfg {params.cfg:q} --code {params.code} --contract results/campaign_{wildcards.campaign}/contract.json"
        " --in contrasts {input.contrasts:q} --in criteria {input.criteria:q} --in index {input.index:q}"
        " --in rest {input.rest:q}"
        " --out contrasts {output.contrasts:q} --out criteria {output.criteria:q} --out page {output.page:q}"
        " --wildcards campaign={wildcards.campaign} > {log:q} 2>&1"
