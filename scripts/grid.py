"""One page over all cells of a deliberation study."""

from routeaudit.config.deliberation import TraceAuditConfig
from routeaudit.deliberation.audit import run_audit
from routeaudit.deliberation.settings import AuditSettings
from routeaudit.deliberation.trace import read_trace
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.report.audit import grid_page
from routeaudit.report.page import write_page


def main(stage: Stage) -> None:
    config = TraceAuditConfig.model_validate(stage.cfg["audit"])
    settings = AuditSettings(config.resamples, seed=config.seed, permutations=config.permutations)
    results, links = {}, {}
    for path in stage.inputs["traces"]:
        actor, benchmark = path.parts[-4:-2]
        name = f"{actor} on {benchmark}"
        results[name] = run_audit(read_trace(path.parent), settings)
        links[name] = f"{actor}/{benchmark}/audit.html"
    write_page(stage.output("page"), grid_page(results, links))


if __name__ == "__main__":
    run_stage(main)
