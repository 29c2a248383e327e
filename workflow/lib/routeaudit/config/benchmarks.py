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
    """File name inside `data_dir`, or an absolute path."""
    data_dir: str | None = None
    """Folder that holds the file; without one the file is looked up in the download cache."""
    url: str | None = None
    """Where the file can be downloaded from."""
    sha256: Sha256 | None = None
    """Digest that the file must have; required where a URL is given."""
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
    seeded random order, or in the order of their BM25 score for the question."""
    card: Literal["title", "topics"] = "title"
    """What a card says: the paragraph's title, or the title and its topic words."""
    topic_words: PositiveInt = 8
    """Topic words on a `topics` card; a task whose shortest paragraph has fewer gets fewer on each card."""
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


BenchmarkConfig = Annotated[
    WorldhopConfig | HotpotQAConfig | MuSiQueConfig | WikiMultihopConfig, Field(discriminator="kind")
]
