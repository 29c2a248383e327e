"""Valid selected poll-speak pairs of a trace, what was visible before each, and who adopted what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from routeaudit.deliberation.arrays import BoolArray, IntArray
from routeaudit.deliberation.commitment.classes import MatchFlags
from routeaudit.deliberation.commitment.metrics import Pairs
from routeaudit.deliberation.dataset import TURN, Dataset
from routeaudit.deliberation.trace import Trace


@dataclass(frozen=True)
class PairTable:
    """Pairs with what the classes, the judges and the regressions need of them.

    block : (N,) index of each pair's block; rows : their row of ``speaks`` joined with the block keys
    by_rule : (N,) divergence decided by a rule rather than by a judge
    excluded : reason -> number of selected blocks that gave no valid pair
    """

    pairs: Pairs
    block: IntArray
    rows: pd.DataFrame
    by_rule: BoolArray
    flags: MatchFlags | None
    excluded: dict[str, int]


def _selected_rows(data: Dataset) -> IntArray:
    return data.blocks.offsets[:-1] + data.blocks.selected


def _speaks_by_block(data: Dataset, trace: Trace) -> pd.DataFrame:
    """One row per block in block order, with the speak of that turn where there was one."""
    assert trace.speaks is not None
    speaks = trace.speaks.to_pandas()
    selected = _selected_rows(data)
    keys = data.keys.assign(selected_agent=np.array(data.agents)[data.context.agent[selected]])
    joined: pd.DataFrame = keys.merge(speaks, on=TURN, how="left", validate="one_to_one")
    joined["same_agent"] = joined["agent"] == joined["selected_agent"]
    return joined


def build_pairs(data: Dataset, trace: Trace) -> PairTable:
    """The pairs of A15: selected poll valid, spoken answer extracted, both labels and divergence known."""
    rows = _speaks_by_block(data, trace)
    selected = _selected_rows(data)
    poll_valid = data.blocks.valid[selected]
    reasons = {
        "no_speak": rows["agent"].isna().to_numpy(),
        "speaker_is_not_the_selected_agent": rows["agent"].notna().to_numpy()
        & ~rows["same_agent"].to_numpy(),
        "selected_poll_invalid": ~poll_valid,
        "spoken_answer_invalid": ~rows["spoken_valid"].fillna(False).to_numpy(bool),
        "spoken_label_unknown": rows["spoken_correct"].isna().to_numpy(),
        "divergence_unknown": rows["divergent"].isna().to_numpy(),
    }
    keep = np.ones(len(rows), dtype=bool)
    excluded: dict[str, int] = {}
    for reason, holds in reasons.items():
        excluded[reason] = int((keep & holds).sum())
        keep &= ~holds
    return _assemble(data, rows, selected, keep, excluded)


def _assemble(
    data: Dataset, rows: pd.DataFrame, selected: IntArray, keep: BoolArray, excluded: dict[str, int]
) -> PairTable:
    kept = rows[keep].reset_index(drop=True)
    pairs = Pairs(
        polled=data.blocks.correct[selected][keep],
        spoken=kept["spoken_correct"].to_numpy(bool),
        divergent=kept["divergent"].to_numpy(bool),
        cluster=data.blocks.cluster[keep],
        n_clusters=data.blocks.n_clusters,
    )
    source = kept["divergence_source"].fillna("rule")
    return PairTable(
        pairs, np.flatnonzero(keep), kept, (source == "rule").to_numpy(), _flags(kept, pairs), excluded
    )


def _flags(kept: pd.DataFrame, pairs: Pairs) -> MatchFlags | None:
    """The recorded match flags, or None where any divergent pair lacks one."""
    columns = kept[["match_self", "match_incumbent", "match_peer"]]
    if columns[pairs.divergent].isna().any().any():
        return None
    filled = columns.fillna(False).to_numpy(bool)
    return MatchFlags(filled[:, 0], filled[:, 1], filled[:, 2])


def visible_candidates(data: Dataset, trace: Trace, table: PairTable) -> pd.DataFrame:
    """One row per (divergent pair, public answer seen before it): the rows of the adoption model.

    Columns: pair, cluster, role (the first of self-prior-speak, incumbent, peer), lag (rounds back),
    source_confidence (of the poll behind it, 0..1), source_correct, most_recent, adopted. Answers equal
    after normalisation are adopted together.
    """
    assert trace.speaks is not None
    seen = trace.blocks.select([*TURN, "public_seen", "incumbent_event"]).to_pandas()
    pairs = table.rows.assign(pair=np.arange(len(table.rows)), own=table.rows["agent"])
    pairs = pairs[table.pairs.divergent].merge(seen, on=TURN, how="left")
    pairs["public_seen"] = [
        _with_incumbent(list(seen), incumbent)
        for seen, incumbent in zip(pairs["public_seen"], pairs["incumbent_event"], strict=True)
    ]
    events = pairs.explode("public_seen").dropna(subset=["public_seen"])
    sources = _events(data, trace)
    columns = ["trace", "public_seen", "pair", "own", "cluster", "round", "spoken_norm", "incumbent_event"]
    joined = events[columns].merge(sources, on=["trace", "public_seen"], how="inner")
    return _adoption_rows(joined)


def _with_incumbent(seen: list[str], incumbent: str | None) -> list[str]:
    """A speaker sees the incumbent even where the memory window dropped its event."""
    return seen if incumbent is None or pd.isna(incumbent) or incumbent in seen else [*seen, incumbent]


def _events(data: Dataset, trace: Trace) -> pd.DataFrame:
    """Every public answer of every trace with the poll that won its turn."""
    assert trace.speaks is not None
    speaks = trace.speaks.select(
        [*TURN, "agent", "spoken_norm", "spoken_correct", "spoken_valid"]
    ).to_pandas()
    speaks = speaks[speaks["spoken_valid"] & speaks["spoken_norm"].notna()]
    score = data.blocks.score[_selected_rows(data)] / data.scale
    confidence = data.keys[TURN].assign(source_confidence=np.where(np.isfinite(score), score, np.nan))
    joined = speaks.merge(confidence, on=TURN, how="left")
    joined["public_seen"] = joined["round"].astype(str) + "." + joined["turn"].astype(str)
    names = {"agent": "source", "spoken_norm": "source_norm", "round": "source_round", "turn": "source_turn"}
    renamed: pd.DataFrame = joined.rename(columns={**names, "spoken_correct": "source_correct"})
    return renamed


def _adoption_rows(joined: pd.DataFrame) -> pd.DataFrame:
    order = joined.sort_values(["pair", "source_round", "source_turn"], ignore_index=True)
    latest = ~order["pair"].duplicated(keep="last")
    own, incumbent = order["source"] == order["own"], order["public_seen"] == order["incumbent_event"]
    role = np.select([own, incumbent], ["self-prior-speak", "incumbent"], "peer")
    return pd.DataFrame(
        {
            "pair": order["pair"],
            "cluster": order["cluster"],
            "role": role,
            "lag": order["round"] - order["source_round"],
            "source_confidence": order["source_confidence"],
            "source_correct": order["source_correct"].astype(float),
            "most_recent": latest.astype(float),
            "adopted": (order["spoken_norm"] == order["source_norm"]).astype(float),
        }
    )
