"""2WikiMultihopQA: compositional and inference questions, built like HotpotQA's; for development."""

from __future__ import annotations

from dataclasses import dataclass

from routeaudit.config.benchmarks import ChainedConfig, WikiMultihopConfig
from routeaudit.cover.benchmarks.base import Inventory
from routeaudit.cover.benchmarks.chain import ChainRecord, chained_question
from routeaudit.cover.benchmarks.multihop import TwoHop, build_inventory, check_question
from routeaudit.cover.benchmarks.sources import check_unique, locate, read_records

_CHAINS = ("compositional", "inference")
NO_CONTEXT = "no_context"


@dataclass(frozen=True)
class WikiMultihop:
    """Tasks from 2WikiMultihopQA's file; source ids are the two supporting titles.

    Records are dropped, in this order, as `type_<other>`, `no_context`, and then as in HotpotQA.
    """

    config: WikiMultihopConfig

    def load(self) -> Inventory:
        """Read the file. Raises InputError for a record that is broken rather than unsuitable."""
        records = read_records(locate(self.config.source), ChainRecord)
        check_unique([(where, record.id) for where, record in records])
        return build_inventory(
            [two_hop_or_reason(record, where, self.config) for where, record in records], self.config
        )


def two_hop_or_reason(record: ChainRecord, where: str, config: ChainedConfig) -> TwoHop | str:
    """The record as a two-hop question, or the reason why it is not used."""
    check_question(record.question, where)
    if record.type not in _CHAINS:
        return f"type_{record.type}"
    return NO_CONTEXT if record.context is None else chained_question(record, where, config)
