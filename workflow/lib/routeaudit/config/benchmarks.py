"""Where tasks come from: the benchmark section of a study."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from routeaudit.config.base import Section
from routeaudit.config.models import Sha256
from routeaudit.config.worldhop import WorldhopConfig

_MIGRES = "https://raw.githubusercontent.com/AdelWang/MIGRES/1de6265c9ca1014054d6ba875738e785830908f8/data"


class SourceFile(Section):
    """One file of a benchmark's authors, found in a folder or downloaded when asked for."""

    file: str
    """File name inside `data_dir`, or an absolute path. A pattern with * names several files."""
    data_dir: str | None = None
    """Folder that holds the file; without one the file is looked up in the download cache."""
    url: str | None = None
    """Where the file can be downloaded from."""
    sha256: Sha256 | None = None
    """Digest that the file must have (of several: of their digests, one a line); required with a URL."""
    download: bool = False
    """Download the file from `url` when it is not there yet. Nothing is downloaded otherwise."""

    @model_validator(mode="after")
    def _url_is_pinned(self) -> Self:
        if self.url is not None and self.sha256 is None:
            raise ValueError("a source with a url needs a sha256")
        return self


class MultihopConfig(Section):
    """Two-hop questions whose candidate workers hold one paragraph each."""

    source: SourceFile
    """The benchmark's file, JSON or JSON lines."""
    slots: tuple[PositiveInt, PositiveInt] = (2, 2)
    """Workers that compete for the first and for the second hop, the gold one included."""
    distractors: Literal["seeded", "bm25"] = "seeded"
    """Which of the task's other paragraphs become distractors, and for which slot: dealt in turn in a
    seeded random order, or in the order of their BM25 score for the question (with `balance_sizes`, those of
    a higher score are likelier)."""
    balance_sizes: bool = True
    """Draw distractors so that a slot's gold card has neither more nor fewer characters and words than they,
    on average and as far as a task's paragraphs allow; otherwise its size can give it away."""
    card: Literal["title", "topics"] = "title"
    """What a card says: the paragraph's title, or the title and its topic words."""
    topic_words: PositiveInt = 8
    """Topic words on a `topics` card; a task whose paragraphs have fewer gets fewer on each card."""
    seed: int = 1
    """Seed of the dealing."""


class ChainedConfig(MultihopConfig):
    """Two-hop questions whose file does not say which paragraph is the first hop."""

    hop_rule: Literal["title_share", "title_verbatim"] = "title_share"
    """The first hop is the supporting paragraph whose title the question names: the one with the larger
    share of title words in the question, or the only one with the whole title in it. Ties are counted out."""


class HotpotQAConfig(ChainedConfig):
    """HotpotQA (distractor setting), bridge questions."""

    kind: Literal["hotpotqa"] = "hotpotqa"
    """Which benchmark this is."""
    source: SourceFile = SourceFile(
        file="hotpot.json",
        url=f"{_MIGRES}/hotpot.json",
        sha256="62f71ce08a74d35dd2de1713f57d15f68bbb499168a7d640f956332b7b19215e",
    )
    """The benchmark's file, JSON or JSON lines."""


class WikiMultihopConfig(ChainedConfig):
    """2WikiMultihopQA, compositional and inference questions."""

    kind: Literal["wikihop"] = "wikihop"
    """Which benchmark this is."""
    source: SourceFile = SourceFile(
        file="wikihop.json",
        url=f"{_MIGRES}/wikihop.json",
        sha256="65dc34d5b9f275457b2c6524443916730f0d6a3a59281d828b38028d0fbf0e3b",
    )
    """The benchmark's file, JSON or JSON lines."""


class MuSiQueConfig(MultihopConfig):
    """MuSiQue, two-hop questions."""

    kind: Literal["musique"] = "musique"
    """Which benchmark this is."""
    source: SourceFile = SourceFile(
        file="musique.json",
        url=f"{_MIGRES}/musique.json",
        sha256="bbc98ab676941cf3a481cb3361cfab334cd2a24c74ed42473e4d5c14cf7577d4",
    )
    """The benchmark's file, JSON or JSON lines."""
    slots: tuple[PositiveInt, PositiveInt] = (4, 3)
    """Workers that compete for the first and for the second hop, the gold one included."""


class _ToolSandbox(Section):
    source: SourceFile = SourceFile(
        file="scenarios.json",
        sha256="c7f8948d73066d32d18108083604d2668bd8b87901392a4162e3406feef9d841",
    )
    """The exported scenarios, a JSON array."""
    card: Literal["family", "allowed"] = "family"
    """What a card says: all tools of the family, or those of them that the scenario allows."""


class ToolSandboxOfflineConfig(_ToolSandbox):
    """ToolSandbox scenarios; five tool families are the workers, outcomes follow from a declared map."""

    kind: Literal["toolsandbox_offline"] = "toolsandbox_offline"
    """Which benchmark this is."""


class ToolSandboxConfig(_ToolSandbox):
    """ToolSandbox scenarios that can be played without a network; five tool families are the workers."""

    kind: Literal["toolsandbox"] = "toolsandbox"
    """Which benchmark this is."""
    card: Literal["family", "allowed"] = "allowed"
    """What a card says: all tools of the family, or those of them that the scenario allows."""


class RouterBenchConfig(Section):
    """RouterBench: eleven models' scores; each model is a team of one."""

    kind: Literal["routerbench"] = "routerbench"
    """Which benchmark this is."""
    source: SourceFile = SourceFile(
        file="routerbench_slim_scores_costs.csv",
        sha256="0b78df1ac38b183c21b078c2bea3ffcda82102e7eee560aba487e98fde3e2284",
    )
    """Scores as a wide CSV file."""


class RouteLLMConfig(Section):
    """RouteLLM: correctness of a strong and a weak model; each model is a team of one."""

    kind: Literal["routellm"] = "routellm"
    """Which benchmark this is."""
    source: SourceFile = SourceFile(file="mmlu/*.csv")
    """CSV files with a prompt and a column for each model."""


class LifeEvalConfig(Section):
    """LifeEval: eleven models' answers; teams answer by plurality weighted by stated probability."""

    kind: Literal["lifeeval"] = "lifeeval"
    """Which benchmark this is."""
    source: SourceFile = SourceFile(
        file="answers_sat_en.csv",
        sha256="5ef8bc4dc60c9e77b0f55739830dbd90a4feeea11df8731a884ca6ed8056d92d",
    )
    """Answers as a CSV file, one row per question and model."""
    team_size: PositiveInt = 3
    """Models in a team."""


class TableConfig(Section):
    """An outcome table that someone else made."""

    kind: Literal["table"] = "table"
    """Which benchmark this is."""
    source: SourceFile
    """CSV file with the columns task_id, team (names joined by +) and value; question, source_id optional."""


BenchmarkConfig = Annotated[
    WorldhopConfig
    | HotpotQAConfig
    | MuSiQueConfig
    | WikiMultihopConfig
    | ToolSandboxOfflineConfig
    | ToolSandboxConfig
    | RouterBenchConfig
    | RouteLLMConfig
    | LifeEvalConfig
    | TableConfig,
    Field(discriminator="kind"),
]
