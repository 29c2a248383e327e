"""LifeEval: every coalition of a size, answering by plurality weighted by stated probability."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

from routeaudit.config.benchmarks import LifeEvalConfig
from routeaudit.cover.benchmarks.base import Inventory, SourceTask
from routeaudit.cover.benchmarks.outcome_tables.tasks import Team, cell_value, table_task
from routeaudit.cover.benchmarks.sources import locate, read_rows

NOT_ANSWERED_BY_ALL = "not_answered_by_all_models"
_OPTION_PREFIX = "p_"

Votes = dict[str, tuple[str, float]]


@dataclass(frozen=True)
class LifeEval:
    """Tasks from one question set; a question is kept when every model gave an option and its probability.

    A coalition's answer is the option with the largest sum of the probabilities that its members state for
    their own answers, the alphabetically first on a tie; its outcome says whether that is the gold option.
    """

    config: LifeEvalConfig

    def load(self) -> Inventory:
        """Read the file. Raises InputError for a probability that is none."""
        rows = read_rows(locate(self.config.source), ("qset", "llm", "question_id", "answer", "gold"))
        models = tuple(sorted({row["llm"] for _, row in rows}))
        options = {row["gold"] for _, row in rows}
        votes: dict[str, Votes] = defaultdict(dict)
        gold: dict[str, str] = {}
        for where, row in rows:
            gold[row["question_id"]] = row["gold"]
            weight = _weight(row, where)
            if row["answer"] in options and weight is not None:
                votes[row["question_id"]][row["llm"]] = (row["answer"], weight)
        complete = [question for question in gold if len(votes[question]) == len(models)]
        qset = rows[0][1]["qset"] if rows else ""
        tasks = tuple(self._task(qset, question, votes[question], gold[question]) for question in complete)
        left_out = len(gold) - len(tasks)
        return Inventory(tasks, len(gold), {NOT_ANSWERED_BY_ALL: left_out} if left_out else {})

    def _task(self, qset: str, question: str, votes: Votes, gold: str) -> SourceTask:
        models = sorted(votes)
        values: dict[Team, float | None] = {
            team: float(coalition_answer([votes[model] for model in team]) == gold)
            for team in combinations(models, self.config.team_size)
        }
        name = f"{qset} question {question}"
        return table_task(f"{qset}:{question}", name, f"{qset}:{question}", values, models, qset)


def coalition_answer(votes: list[tuple[str, float]]) -> str:
    """The option with the largest summed weight; the alphabetically first on a tie."""
    total: dict[str, float] = defaultdict(float)
    for option, weight in votes:
        total[option] += weight
    return min(total, key=lambda option: (-total[option], option))


def _weight(row: dict[str, str], where: str) -> float | None:
    key = "stated" if "stated" in row else f"{_OPTION_PREFIX}{row['answer']}"
    return cell_value(row.get(key, ""), f"{where}, key {key!r}")
