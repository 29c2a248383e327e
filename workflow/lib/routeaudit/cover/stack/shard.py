"""Run one shard of a phase's requests and account for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from routeaudit.config.models import ModelConfig
from routeaudit.execution import (
    Completion,
    Identity,
    Journal,
    Request,
    distinct,
    execute,
    progress_for,
    shard_of,
)
from routeaudit.execution.backends import open_backend
from routeaudit.execution.lock import PATIENCE_S
from routeaudit.tables import write_json


@dataclass(frozen=True)
class ShardRun:
    """Answers of one shard, the model that gave them, and the account of requests, tokens and seconds."""

    completions: Mapping[str, Completion]
    identity: Identity
    account: Mapping[str, Any]


def run_shard(
    requests: Mapping[Any, Request], model: ModelConfig, study: str, kind: str, where: Mapping[str, str]
) -> ShardRun:
    """Answer the shard's part of `requests`; finished answers of any shard or study are reused.

    Parameters
    ----------
    kind : ``messages`` or ``finals``
    where : phase, stack, shard (counted from 1) and n

    Seconds and tokens are those of the answers, whenever they were generated, so a resumed run gives the
    same account of tokens as an undisturbed one.
    """
    journal_folder = Path("results/journal")
    name = f"{study}-{where['phase']}-{where['stack']}-{kind}-{where['shard']}-of-{where['n']}"
    with (
        open_backend(model, journal_folder) as backend,
        Journal.open(journal_folder, name, wait_s=PATIENCE_S) as journal,
    ):
        everything = distinct(requests.values(), backend.identity)
        mine = shard_of(everything, int(where["shard"]) - 1, int(where["n"]))
        execution = execute(
            list(mine.values()), backend, journal, progress_for(f"{study} {where['phase']} {kind}")
        )
        naive = sum(request.key(backend.identity) in mine for request in requests.values())
    answers = execution.completions.values()
    account = asdict(execution.counts) | {
        "naive": naive,
        "prompt_tokens": sum(a.usage.prompt_tokens for a in answers),
        "completion_tokens": sum(a.usage.completion_tokens for a in answers),
        "seconds": round(sum(a.seconds for a in answers), 3),
    }
    return ShardRun(execution.completions, backend.identity, account)


def write_account(artifact: Path, account: Mapping[str, Any]) -> None:
    """Keep a shard's account with the logs: seconds differ between runs, so it is no artifact."""
    phase, stack = artifact.parts[-3], artifact.parts[-2]
    write_json(
        artifact.parents[2] / "logs" / "accounts" / phase / stack / f"{artifact.stem}.json", dict(account)
    )
