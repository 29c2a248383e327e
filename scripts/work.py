"""Workers answer from their own private passages: one shard of a phase's distinct requests."""

from dataclasses import asdict

from routeaudit.config.stack import StackConfig
from routeaudit.cover.stack import messages_table, worker_requests
from routeaudit.cover.stack.shard import run_shard, write_account
from routeaudit.provenance.stage import Stage, run_stage
from routeaudit.tables import read_table, write_table
from routeaudit.tables.artifacts import MESSAGES, PLAN, PRIVATE_EVIDENCE, PUBLIC_TASKS


def main(stage: Stage) -> dict[str, object]:
    name = stage.wildcards["stack"]
    stack = StackConfig.model_validate(stage.cfg[f"stacks.{name}"])
    evidence = read_table(stage.input("evidence"), PRIVATE_EVIDENCE)
    plan, tasks = read_table(stage.input("plan"), PLAN), read_table(stage.input("tasks"), PUBLIC_TASKS)
    requests = worker_requests(plan, tasks, evidence, stack)
    run = run_shard(requests, stack.worker.model, stage.study, "messages", stage.wildcards)
    messages = messages_table(requests, run.completions, run.identity, evidence, name)
    write_table(stage.output("messages"), messages, MESSAGES)
    write_account(stage.output("messages"), run.account)
    return {"model": asdict(run.identity)}


if __name__ == "__main__":
    run_stage(main)
