"""Repeated cross-fits of the declared contrasts, and the learning curve of their policies."""

from routeaudit.config.inference import StatsConfig
from routeaudit.cover.evaluation.evaluate import inference_plan
from routeaudit.cover.repeats.crossfits import REPEATED, repeated
from routeaudit.cover.repeats.learning import LEARNING_CURVE, learning_curve
from routeaudit.cover.repeats.material import read_crossfitted
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_json, write_table


def main(stage: Stage) -> None:
    study = read_crossfitted(stage.cfg, stage.inputs)
    plan = inference_plan(StatsConfig.model_validate(stage.cfg["stats"]), read_json(stage.contract)["digest"])
    write_table(stage.output("repeated"), repeated(study, plan), REPEATED)
    write_table(stage.output("curve"), learning_curve(study), LEARNING_CURVE)


if __name__ == "__main__":
    run_stage(main)
