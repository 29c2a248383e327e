"""The audit's view of a trace: blocks, problems, poll context and poll-speak pairs as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from routeaudit.deliberation.arrays import AnyArray, BoolArray, FloatArray, IntArray
from routeaudit.deliberation.assemble import run_offsets
from routeaudit.deliberation.blocks import Blocks, first_seen_argmax
from routeaudit.deliberation.calibration.scores import Candidates
from routeaudit.deliberation.routing.learned import PollContext
from routeaudit.deliberation.settings import DEFAULT_RULE, ValidityRule
from routeaudit.deliberation.trace import Trace
from routeaudit.errors import InputError

TURN = ["trace", "round", "turn"]
NO_TIER = "untiered"


@dataclass(frozen=True)
class Problems:
    """The G problems in sorted order, with tier and difficulty (NaN where unknown)."""

    uid: tuple[str, ...]
    tier: tuple[str, ...]
    difficulty: FloatArray

    def rows_of_tier(self, tier: str, cluster: IntArray) -> BoolArray:
        """Which rows, given their problem codes, belong to ``tier``."""
        return np.asarray((np.array(self.tier) == tier)[cluster])

    @property
    def tiers(self) -> list[str]:
        return sorted(set(self.tier))


@dataclass(frozen=True)
class Counted:
    """What was found before anything was measured."""

    polls: int
    unparsed: int
    out_of_range: int
    no_candidate: int
    unlabelled: int
    blocks_without_selection: int
    selection_mismatches: int
    selection_logged: bool


@dataclass(frozen=True)
class Dataset:
    """Everything the routing and calibration axes read.

    keys : one row per block (trace, round, turn, problem code); agents : names behind the agent codes
    """

    blocks: Blocks
    keys: pd.DataFrame
    problems: Problems
    context: PollContext
    agents: tuple[str, ...]
    scale: float
    counted: Counted

    def candidates(self) -> Candidates:
        """The valid candidates.

        Raises
        ------
        InputError : a valid score outside 0..scale
        """
        b, keep = self.blocks, self.blocks.valid
        row_cluster = b.cluster[b.block_of_row()]
        score = _narrow(b.score[keep])
        return Candidates(
            score, self.scale, b.correct[keep], row_cluster[keep], b.n_clusters, self.context.agent[keep]
        )


def _narrow(score: AnyArray) -> AnyArray:
    """Whole scores as integers, so that binning and ties are exact."""
    whole = score.size > 0 and bool((score == np.rint(score)).all())
    return score.astype(np.int64) if whole else score


def _joined_polls(trace: Trace) -> pd.DataFrame:
    polls = trace.polls.to_pandas()
    blocks = trace.blocks.select([*TURN, "problem_uid", "tier", "difficulty"]).to_pandas()
    joined = polls.merge(blocks, on=TURN, how="left", validate="many_to_one")
    orphan = joined["problem_uid"].isna()
    if orphan.any():
        key = joined.loc[orphan, TURN].iloc[0].to_dict()
        raise InputError(
            f"polls, row with {key}", "a row of blocks with that key", "none", "record the block"
        )
    joined["logged"] = False
    if trace.selections is not None:
        chosen = trace.selections.select([*TURN, "agent"]).to_pandas()
        _check_selected_polled(chosen, joined)
        marked = joined.merge(chosen.assign(mark=True), on=[*TURN, "agent"], how="left")["mark"]
        joined["logged"] = marked.notna().to_numpy()
    ordered: pd.DataFrame = joined.sort_values(
        [*TURN, "agent_order", "agent"], kind="stable", ignore_index=True
    )
    return ordered


def _check_selected_polled(chosen: pd.DataFrame, polls: pd.DataFrame) -> None:
    known = pd.MultiIndex.from_frame(polls[[*TURN, "agent"]])
    missing = ~pd.MultiIndex.from_frame(chosen[[*TURN, "agent"]]).isin(known)
    if missing.any():
        key = chosen[missing].iloc[0].to_dict()
        raise InputError(
            f"selections, row with {key}", "an agent polled in that block", "no such poll", "record the poll"
        )


def _problems(rows: pd.DataFrame) -> Problems:
    columns = rows[["problem_uid", "tier", "difficulty"]].drop_duplicates().sort_values("problem_uid")
    repeated = columns["problem_uid"].duplicated()
    if repeated.any():
        uid = columns.loc[repeated, "problem_uid"].iloc[0]
        raise InputError(
            f"blocks, problem_uid {uid!r}",
            "one tier and one difficulty per problem",
            "several",
            "give each problem its tier once",
        )
    tier = columns["tier"].fillna(NO_TIER).astype(str)
    difficulty = columns["difficulty"].to_numpy(dtype=np.float64, na_value=np.nan)
    return Problems(tuple(columns["problem_uid"]), tuple(tier), difficulty)


def _answered(rows: pd.DataFrame) -> BoolArray:
    """Non-empty answers; where the source has no answers at all, ``has_candidate`` alone decides."""
    if rows["answer_norm"].isna().all():
        return np.ones(len(rows), dtype=bool)
    return rows["answer_norm"].fillna("").str.strip().ne("").to_numpy()


def _validity(rows: pd.DataFrame, scale: float, rule: ValidityRule) -> tuple[BoolArray, BoolArray]:
    """(valid, label) of each poll; the label is False where unknown."""
    score = rows["score_raw"].to_numpy(dtype=np.float64, na_value=np.nan)
    scored = np.isfinite(score)
    if rule.check_range:
        scored &= (score >= 0) & (score <= scale)
    usable = rows["parse_ok"].to_numpy(bool) & rows["has_candidate"].to_numpy(bool) & _answered(rows) & scored
    known = rows["correct"].notna().to_numpy()
    label = rows["correct"].fillna(bool(rule.unlabelled_as)).to_numpy(bool)
    valid = usable & known if rule.unlabelled_as is None else usable
    return valid, label & valid


def _counted(rows: pd.DataFrame, scale: float, logged: bool) -> Counted:
    score = rows["score_raw"].to_numpy(dtype=np.float64, na_value=np.nan)
    parsed = rows["parse_ok"].to_numpy(bool)
    outside = np.isfinite(score) & ((score < 0) | (score > scale))
    offers = rows["has_candidate"].to_numpy(bool) & _answered(rows)
    return Counted(
        polls=len(rows),
        unparsed=int((~parsed).sum()),
        out_of_range=int((parsed & outside).sum()),
        no_candidate=int((parsed & ~offers).sum()),
        unlabelled=int((parsed & offers & rows["correct"].isna().to_numpy()).sum()),
        blocks_without_selection=0,
        selection_mismatches=0,
        selection_logged=logged,
    )


def _ranking_score(rows: pd.DataFrame) -> FloatArray:
    """The score the router compared: none where the poll did not parse."""
    score = rows["score_raw"].to_numpy(dtype=np.float64, na_value=np.nan)
    known = np.isfinite(score) & rows["parse_ok"].to_numpy(bool)
    return np.where(known, score, -np.inf)


def _selected_blocks(rows: pd.DataFrame, trace: Trace) -> tuple[pd.DataFrame, int]:
    """Rows of the blocks in which somebody was selected, and how many blocks had nobody."""
    if trace.selections is None:
        return rows, 0
    chosen = rows.groupby(TURN, sort=False)["logged"].transform("any")
    dropped = rows.loc[~chosen, TURN].drop_duplicates()
    return rows[chosen].reset_index(drop=True), len(dropped)


def _codes(values: pd.Series) -> IntArray:
    """Codes of equal values, -1 where null."""
    return pd.factorize(values, sort=True)[0].astype(np.int64)


def build_dataset(trace: Trace, rule: ValidityRule = DEFAULT_RULE) -> Dataset:
    """Blocks, problems and context of a trace under a validity rule.

    Raises
    ------
    InputError : orphaned polls, a selected agent that was not polled, a problem with two tiers, no poll
    """
    if trace.polls.num_rows == 0:
        raise InputError("polls", "at least one poll", "an empty table", "record the trace again")
    every = _joined_polls(trace)
    problems = _problems(every)
    counted = _counted(every, trace.meta.score_scale, trace.selections is not None)
    rows, unselected = _selected_blocks(every, trace)
    offsets = run_offsets([rows[name].to_numpy() for name in TURN])
    blocks = _blocks(rows, offsets, trace, problems, rule)
    argmax = first_seen_argmax(offsets, blocks.score)
    mismatches = int((argmax != blocks.selected).sum())
    context, agents = _context(rows)
    keys = rows.loc[offsets[:-1], TURN].reset_index(drop=True).assign(cluster=blocks.cluster)
    counted = replace(counted, blocks_without_selection=unselected, selection_mismatches=mismatches)
    return Dataset(blocks, keys, problems, context, agents, trace.meta.score_scale, counted)


def _blocks(
    rows: pd.DataFrame, offsets: IntArray, trace: Trace, problems: Problems, rule: ValidityRule
) -> Blocks:
    valid, correct = _validity(rows, trace.meta.score_scale, rule)
    score = _ranking_score(rows)
    logged = rows["logged"].to_numpy(bool)
    if trace.selections is None:
        chosen = first_seen_argmax(offsets, score)
    else:
        chosen = np.flatnonzero(logged) - offsets[:-1]
    uid = pd.Index(problems.uid)
    cluster = uid.get_indexer(pd.Index(rows["problem_uid"].iloc[offsets[:-1]])).astype(np.int64)
    answer = None if rows["answer_norm"].isna().all() else _codes(rows["answer_norm"])
    return Blocks(offsets, score, valid, correct, chosen, cluster, len(problems.uid), answer)


def _context(rows: pd.DataFrame) -> tuple[PollContext, tuple[str, ...]]:
    codes, agents = pd.factorize(rows["agent"], sort=True)
    text = rows["answer"].fillna(rows["answer_norm"]).fillna("").astype(str)
    context = PollContext(
        agent=codes.astype(np.int64),
        round=rows["round"].to_numpy(np.int64),
        turn=rows["turn"].to_numpy(np.int64),
        answer_length=np.asarray(text.str.len(), dtype=np.int64),
    )
    return context, tuple(agents)
