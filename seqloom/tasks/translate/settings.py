"""The settings of a translator."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.data.settings import DataConfig
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.tasks.facts import FrameFacts
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


class TaggedSet(Config):
    """One of several sets of pairs for one model: a table [[data.sets]]."""

    tag: str = Field(pattern=r"^\S+$", max_length=100)
    """What the model reads before a source of this set, as <2phones>; a word without spaces."""
    train: str | list[str] | dict[str, str]
    """Training data, as data.train."""
    valid: str | list[str] | dict[str, str] = ""
    """Validation data; empty: found beside it by name, or cut from it."""
    test: str | list[str] | dict[str, str] = ""
    """Test data, as `valid`."""
    columns: dict[str, str | int] = Field(default_factory=dict)
    """The column of each role, as data.columns."""
    source_language: str = "und"
    """Language of the source."""
    target_language: str = "und"
    """Language of the target."""


class PairData(DataConfig):
    """Pairs, or several sets of them for one model."""

    sets: list[TaggedSet] = Field(default_factory=list)
    """Several sets, each with a tag, for one model: tables [[data.sets]] instead of `train`."""
    mix_temperature: float = Field(1.0, ge=1, le=1000)
    """How evenly `sets` are drawn, by size^(1/temperature): 1 by their sizes, the higher the more evenly."""

    @model_validator(mode="after")
    def sets_have_their_own_data(self) -> Self:
        if not self.sets:
            return self
        if self.train or self.valid or self.test:
            raise problem("sets", "data.train, valid and test are for one set", remedy="say them in [[data.sets]]")
        tags = [one.tag for one in self.sets]
        if len(set(tags)) < len(tags):
            raise problem("sets", f"a tag stands there twice: {', '.join(tags)}", remedy="give each set its own")
        return self

    def one_by_one(self) -> dict[str, DataConfig]:
        """The settings of each set, by its tag."""
        shared = {name: getattr(self, name) for name in self.model_fields_set - {"sets", "mix_temperature"}}
        return {
            one.tag: DataConfig(**{**shared, **{name: getattr(one, name) for name in one.model_fields_set - {"tag"}}})
            for one in self.sets
        }


class TranslateSettings(Config):
    """What is asked of a translator while it learns: the section [translate]."""

    measure: Measure = "bleu"
    """The metric that selects a checkpoint; phrase_f1: keywords between semicolons, rouge_l: titles, summaries."""
    validate_pairs: PositiveInt = 500
    """Validation pairs that are translated in each evaluation, greedily, evenly from all; all count for the loss."""
    several_right: bool = False
    """Whether pairs with the same source are one question with several right answers, as words said in two ways are."""
    stack_frames: PositiveInt = Field(1, le=64)
    """Frames of sound or sensors that are read as one, side by side: less to attend to."""


class TranslateConfig(TaskConfig):
    """A text and the text that it becomes."""

    task: Literal["translate"] = "translate"
    data: PairData = PairData()
    """Where the pairs are and how they are read."""
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
