"""The settings of a translator."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.translate.options import Measure
from seqloom.tokens.settings import TokenConfig, written_one_by_one


class PairTokens(TokenConfig):
    """Tokens to read and to write with."""

    size: PositiveInt = 8_000
    """Size of a vocabulary at most, with the four special ones and, for parts of words, the 256 bytes."""
    joint: bool = True
    """One vocabulary for both sides instead of two."""
    target: TokenConfig | None = None
    """How targets are cut, if in another way than sources: a section [tokens.target]; needs joint = false."""

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
            what = "one vocabulary for both sides has one way of cutting"
            raise problem("target", what, remedy="set tokens.joint=false, or leave out [tokens.target]")
        return self


class TranslateSettings(Config):
    """What is asked of a translator while it learns: the section [translate]."""

    measure: Measure = "bleu"
    """The metric that selects a checkpoint; phrase_f1: keywords between semicolons, rouge_l: titles, summaries."""
    validate_pairs: PositiveInt = 500
    """Validation pairs that are translated in each evaluation, greedily, evenly from all; all count for the loss."""
    several_right: bool = False
    """Whether pairs with the same source are one question with several right answers, as words said in two ways are."""


class TranslateConfig(TaskConfig):
    """A text and the text that it becomes."""

    task: Literal["translate"] = "translate"
    tokens: PairTokens = PairTokens()
    """How text is cut into tokens."""
    model: Seq2SeqConfig = Seq2SeqConfig()
    """Which encoder, which bridge, which decoder, and how large."""
    translate: TranslateSettings = TranslateSettings()
    """What is asked of it while it learns."""

    @model_validator(mode="after")
    def tied_embeddings_need_one_vocabulary(self) -> Self:
        if self.model.tied == "all" and not self.tokens.joint:
            what = "source and target cannot share one embedding matrix with two vocabularies"
            raise problem("model.tied", what, remedy='set tokens.joint=true, or tie "target" alone')
        return self

    @model_validator(mode="after")
    def copies_need_one_vocabulary(self) -> Self:
        if self.model.copying and not self.tokens.joint:
            what = "a token of the source can be written only if it is in the vocabulary of the target"
            raise problem("model.copying", what, remedy="set tokens.joint=true")
        return self
