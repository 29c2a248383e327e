"""The downstream stack: models, prompts and decoding of the workers and of the finalizer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from routeaudit.config.base import Section
from routeaudit.config.models import LlamaCppModel, ModelConfig
from routeaudit.config.played import PlayedStack

# Raised by hand when building requests or reading answers changes what a stack would say.
STAGE_VERSION = 1


class ExamplePassage(Section):
    """A passage of a worked example."""

    title: str
    """What the passage is about."""
    sentences: tuple[str, ...] = Field(min_length=1)
    """The passage, sentence by sentence."""
    quote: str
    """The sentence that the example quotes from it."""

    @model_validator(mode="after")
    def _quotes_itself(self) -> ExamplePassage:
        if self.quote not in self.sentences:
            raise ValueError("quote must be one of the sentences")
        return self


class WorkerExample(Section):
    """A worked example for workers."""

    question: str
    """The question."""
    passages: tuple[ExamplePassage, ...] = Field(min_length=1)
    """Passages of one worker; a worker who holds fewer sees the first ones."""
    claim: str
    """What the first quote states, in a few words."""


class FinalizerExample(Section):
    """A worked example for the finalizer."""

    question: str
    """The question."""
    messages: tuple[str, ...] = Field(min_length=1)
    """The selected workers' messages."""
    answer: str
    """The answer."""


_WORKER_EXAMPLES = (
    WorkerExample(
        question="Who is the owner of the firm that is the builder of the tower Brandt Hall?",
        passages=(
            ExamplePassage(
                title="Aster Works",
                sentences=(
                    "Aster Works is a firm.",
                    "The owner of Aster Works is Mara Lindholt.",
                    "The address of Aster Works is Mill Road.",
                ),
                quote="The owner of Aster Works is Mara Lindholt.",
            ),
            ExamplePassage(
                title="Aster Mills",
                sentences=(
                    "The address of Aster Mills is Quay Street.",
                    "The owner of Aster Mills is Ivo Brandt.",
                    "Aster Mills is a firm.",
                ),
                quote="The owner of Aster Mills is Ivo Brandt.",
            ),
            ExamplePassage(
                title="Aster Yard",
                sentences=(
                    "The owner of Aster Yard is Pell Osmark.",
                    "Aster Yard is a shop.",
                    "The address of Aster Yard is Fen Lane.",
                ),
                quote="The owner of Aster Yard is Pell Osmark.",
            ),
        ),
        claim="Mara Lindholt",
    ),
    WorkerExample(
        question="What is the birthplace of the painter who is the author of the novel Night Ferry?",
        passages=(
            ExamplePassage(
                title="Night Ferry",
                sentences=(
                    "The publisher of Night Ferry is Castle House.",
                    "Night Ferry is a novel.",
                    "The author of Night Ferry is Jon Hale.",
                ),
                quote="The author of Night Ferry is Jon Hale.",
            ),
            ExamplePassage(
                title="Night Train",
                sentences=(
                    "Night Train is a novel.",
                    "The author of Night Train is Pia Holm.",
                    "The publisher of Night Train is Ward House.",
                ),
                quote="The author of Night Train is Pia Holm.",
            ),
            ExamplePassage(
                title="Night Watch",
                sentences=(
                    "The author of Night Watch is Ada Fenn.",
                    "The publisher of Night Watch is Oak House.",
                    "Night Watch is a ballad.",
                ),
                quote="The author of Night Watch is Ada Fenn.",
            ),
        ),
        claim="Jon Hale",
    ),
)
_FINALIZER_EXAMPLES = (
    FinalizerExample(
        question="What is the birthplace of the painter who is the author of the novel Night Ferry?",
        messages=("The author of Night Ferry is Jon Hale.", "The birthplace of Jon Hale is Castelby."),
        answer="Castelby",
    ),
    FinalizerExample(
        question="Who is the owner of the firm that is the builder of the tower Brandt Hall?",
        messages=("The builder of Brandt Hall is Aster Works.", "The owner of Aster Works is Mara Lindholt."),
        answer="Mara Lindholt",
    ),
)


class WorkerConfig(Section):
    """How a worker answers from its own private passages."""

    model: ModelConfig = LlamaCppModel()
    """The workers' model."""
    instruction: str = (
        "Copy the sentence of the passage that helps most with the question, and the name it gives."
    )
    """System message."""
    examples: tuple[WorkerExample, ...] = _WORKER_EXAMPLES
    """Worked examples, shown before every request."""
    max_tokens: int = Field(default=32, ge=1)
    """Longest message, in tokens; a message cut off is an invalid run."""
    claim: Literal["none", "span", "free"] = "span"
    """What a message claims after its quotes: nothing, one name or number of the passages, or `free` text."""
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    """0 takes the most probable token."""


class FinalizerConfig(Section):
    """How the finalizer answers from the selected workers' messages."""

    model: ModelConfig = LlamaCppModel()
    """The finalizer's model."""
    instruction: str = "Answer the question from the notes. Reply with the name only."
    """System message."""
    examples: tuple[FinalizerExample, ...] = _FINALIZER_EXAMPLES
    """Worked examples, shown before every request."""
    cue: str = "Answer in one name:"
    """Last line of every request, after the question and the messages."""
    max_tokens: int = Field(default=12, ge=1)
    """Longest answer, in tokens."""
    answer: Literal["free", "span"] = "free"
    """`free` text up to the end of the line; or a `span`: by schema, a name or number that the messages give
    and the question does not."""
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    """0 takes the most probable token."""


class StackConfig(Section):
    """Who answers after the route was chosen; the same for every team and every router."""

    worker: WorkerConfig = WorkerConfig()
    """The workers."""
    finalizer: FinalizerConfig = FinalizerConfig()
    """The finalizer."""
    replicates: int = Field(default=1, ge=1)
    """Independent repetitions of every message and answer; they differ only at a temperature above 0."""
    seed: int = Field(default=0, ge=0)
    """Seed of the sampler."""


def is_played(stack: Any) -> bool:
    """Whether a stack, as plain values or validated, is played; a prompted one has no key `kind`."""
    kind = stack.get("kind") if isinstance(stack, dict) else getattr(stack, "kind", None)
    return kind is not None


AnyStack = Annotated[
    Annotated[StackConfig, Tag("prompted")] | Annotated[PlayedStack, Tag("toolsandbox")],
    Discriminator(lambda stack: "toolsandbox" if is_played(stack) else "prompted"),
]
