"""Read or invent the problems of a benchmark."""

from pydantic import TypeAdapter

from routeaudit.config.problems import ProblemsConfig
from routeaudit.deliberation.problems.base import write_problems
from routeaudit.deliberation.problems.load import load_problems
from routeaudit.provenance.stage import Stage, run_stage


def main(stage: Stage) -> None:
    (section,) = stage.cfg.values()
    config = TypeAdapter(ProblemsConfig).validate_python(section)
    write_problems(stage.output("problems"), load_problems(config))


if __name__ == "__main__":
    run_stage(main)
