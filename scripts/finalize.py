"""The finalizer answers from the selected workers' messages: one shard of a phase's distinct requests."""

from dataclasses import asdict

from routeaudit.config.stack import StackConfig
from routeaudit.cover.stack import finalizer_requests, finals_table
from routeaudit.cover.stack.shard import run_shard, write_account
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, write_table
from routeaudit.tables.artifacts import FINALS, MESSAGES, PLAN, PUBLIC_TASKS


def main(stage: Stage) -> dict[str, object]:
    name = stage.wildcards["stack"]
    stack = StackConfig.model_validate(stage.cfg[f"stacks.{name}"])
    messages = read_table(stage.input("messages"), MESSAGES)
    plan, tasks = read_table(stage.input("plan"), PLAN), read_table(stage.input("tasks"), PUBLIC_TASKS)
    requests = finalizer_requests(plan, tasks, messages, stack)
    run = run_shard(requests, stack.finalizer.model, stage.study, "finals", stage.wildcards)
    write_table(stage.output("finals"), finals_table(requests, run.completions, run.identity, name), FINALS)
    write_account(stage.output("finals"), run.account)
    return {"model": asdict(run.identity)}


if __name__ == "__main__":
    run_stage(main)
