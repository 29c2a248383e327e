"""HotpotQA in its distractor setting: bridge questions over the record's own paragraphs."""

from __future__ import annotations

from dataclasses import dataclass

from routeaudit.config.benchmarks import ChainedConfig, HotpotQAConfig
from routeaudit.cover.benchmarks.base import Inventory
from routeaudit.cover.benchmarks.chain import ChainRecord, chained_question
from routeaudit.cover.benchmarks.multihop import TwoHop, build_inventory, check_question
from routeaudit.cover.benchmarks.sources import check_unique, locate, read_records

_BRIDGE = "bridge"


@dataclass(frozen=True)
class HotpotQA:
    """Tasks from HotpotQA's file; source ids are the two supporting titles.

    Records are dropped, in this order, as `type_<other>`, `not_two_supporting_paragraphs`,
    `hop_order_undecided` and `too_few_paragraphs`.
    """

    config: HotpotQAConfig

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
    if record.type != _BRIDGE:
        return f"type_{record.type}"
    return chained_question(record, where, config)
