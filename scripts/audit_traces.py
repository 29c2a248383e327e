"""Audit a cell's trace: card and pages."""

from routeaudit.config.deliberation import TraceAuditConfig
from routeaudit.deliberation.audit import run_audit
from routeaudit.deliberation.settings import AuditSettings
from routeaudit.deliberation.trace import read_trace
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.report.audit import write_audit


def main(stage: Stage) -> None:
    config = TraceAuditConfig.model_validate(stage.cfg["audit"])
    settings = AuditSettings(config.resamples, seed=config.seed, permutations=config.permutations)
    folder = stage.output("card").parent
    actor, benchmark = folder.parts[-2:]
    result = run_audit(read_trace(stage.inputs["trace"][0].parent), settings)
    write_audit(result, folder, f"{actor} on {benchmark}")


if __name__ == "__main__":
    run_stage(main)
