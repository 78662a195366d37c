"""The settings of a translator."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.data.tagged_sets import TaggedData
from seqloom.tasks.facts import FrameFacts
from seqloom.tasks.seq2seq import Seq2SeqTaskConfig
from seqloom.tasks.translate.options import Measure
from seqloom.tokens.settings import TokenConfig, written_one_by_one


class PairTokens(TokenConfig):
    """How sources and targets are tokenised: the section [tokens] of a translator."""

    size: PositiveInt = 8_000
    joint: bool = True
    target: TokenConfig | None = None
    """How targets are tokenised if differently from sources: a section [tokens.target]; needs joint = false."""

    @property
    def read(self) -> TokenConfig:
        """How sources are cut."""
        return TokenConfig(**self.model_dump(exclude={"target"}))

    @property
    def written(self) -> TokenConfig:
        """How targets are cut."""
        return self.target or self.read

    @model_validator(mode="after")
    def tokens_can_be_written(self) -> Self:
        written_one_by_one(self.read)
        written_one_by_one(self.written)
        return self

    @model_validator(mode="after")
    def two_tokenizations_need_two_vocabularies(self) -> Self:
        if self.target is not None and self.joint:
            what = "a shared vocabulary cannot have two tokenizations"
            raise problem("target", what, remedy="set tokens.joint=false, or leave out [tokens.target]")
        return self


class PairData(TaggedData):
    """Pairs, or several sets of them for one model."""

    mix_temperature: float = Field(1.0, ge=1, le=1000)
    """Sampling temperature of `sets`: each is drawn in proportion to size^(1/temperature); higher is more even."""


class TranslateSettings(Config):
    """How a translator is validated, and how its sources are read: the section [translate]."""

    measure: Measure = "bleu"
    """The metric that selects the best checkpoint; phrase_f1: keywords between semicolons, rouge_l: summaries."""
    validate_pairs: PositiveInt = 500
    """Validation pairs decoded greedily in each evaluation, spread evenly over all; the loss uses all of them."""
    several_right: bool = False
    """Treat pairs with the same source as one example with several references."""
    stack_frames: PositiveInt = Field(1, le=64)
    """Number of consecutive feature frames (sound, sensors) concatenated into one, for shorter sequences."""


class TranslateConfig(Seq2SeqTaskConfig):
    """The settings of translation and other text-to-text tasks."""

    task: Literal["translate"] = "translate"
    data: PairData = PairData()
    """Where the pairs are and how they are read."""
    tokens: PairTokens = PairTokens()
    """How text is tokenised."""
    translate: TranslateSettings = TranslateSettings()
    """How it is validated."""

    @model_validator(mode="after")
    def tied_embeddings_need_one_vocabulary(self) -> Self:
        if self.model.tied == "all" and not self.tokens.joint:
            what = "source and target cannot share one embedding matrix with two vocabularies"
            raise problem("model.tied", what, remedy='set tokens.joint=true, or tie "target" alone')
        return self

    @model_validator(mode="after")
    def copies_need_one_vocabulary(self) -> Self:
        if self.model.copying and not self.tokens.joint:
            what = "only tokens of the target vocabulary can be copied"
            raise problem("model.copying", what, remedy="set tokens.joint=true")
        return self


class TranslateFacts(Config):
    """What a translator learned before its first step, beside its tokenizers: nothing, if it has texts and one task."""

    tags: list[str] = Field(default_factory=list)
    """The tags of its tasks, if it has several."""
    frames: FrameFacts | None = None
    """The scale of each column, if it reads frames."""
    longest: PositiveInt | None = None
    """Tokens of the longest target, which bound the answers to frames."""

    @model_validator(mode="after")
    def answers_to_frames_are_bounded(self) -> Self:
        if self.frames is not None and self.longest is None:
            raise problem("longest", "is needed beside frames", remedy="train it again")
        return self
