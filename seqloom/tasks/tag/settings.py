"""The settings of a tagger."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.models.characters import CharacterKind
from seqloom.models.registry import find
from seqloom.models.settings import ModelConfig
from seqloom.tasks.facts import FrameFacts, Names
from seqloom.tasks.settings import TaskConfig
from seqloom.tokens.settings import WORDS, Kind, TokenConfig


class TagTokens(TokenConfig):
    """How words are tokenised: the section [tokens] with the defaults of a tagger."""

    kind: Kind = "word"
    """What a token is: a word (word, space) or a subword (bpe, unigram), where the first subword gets the tag."""
    size: PositiveInt = 50_000
    lower: bool = True
    """Lower-case the words; the character encoder still sees them as written."""


class TagModel(ModelConfig):
    """Which architecture, and how large: the section [model] with the defaults of a tagger."""

    widths: list[PositiveInt] = Field(default_factory=lambda: [200], min_length=1)
    bidirectional: bool = True
    dropout: float = Field(0.3, ge=0, lt=1)
    length: PositiveInt = 256
    """Maximum number of tokens read at once; longer sentences are split, so that every word gets a tag."""


class TagSettings(Config):
    """How words are encoded, and how tags are chosen: the section [tag]."""

    characters: NonNegativeInt = 64
    """Width of the character-level vector of a word, concatenated with its embedding; 0: none."""
    character_kind: CharacterKind = "cnn"
    """Character encoder: cnn (max-pooled convolution) or lstm (bidirectional)."""
    head: Literal["softmax", "crf"] = "softmax"
    """Output layer: softmax (each tag on its own) or crf (all tags of a sentence jointly)."""
    word_dropout: NonNegativeFloat = 0.25
    """Word dropout a: a word seen n times is replaced by <unk> with probability a/(a+n); not for subwords."""


class TagConfig(TaskConfig):
    """The settings of sequence tagging."""

    task: Literal["tag"] = "tag"
    tokens: TagTokens = TagTokens()
    """How words are tokenised."""
    model: TagModel = TagModel()
    """Which architecture, and how large."""
    tag: TagSettings = TagSettings()
    """How words are encoded, and how tags are chosen."""

    @model_validator(mode="after")
    def tokens_are_words_or_parts_of_them(self) -> Self:
        tokens = self.tokens
        if tokens.kind == "character":
            what, remedy = "tags are for words, not for characters", "use word; characters are encoded too"
            raise problem("tokens.kind", what, remedy=remedy)
        if tokens.kind == "ngram":
            raise problem("tokens.kind", "tags are for single words, not for n-grams", remedy="use word")
        if tokens.stop_list:
            raise problem("tokens.stop_words", "every word has a tag, none can be left out", remedy='set it to "none"')
        if tokens.bpe_dropout:
            raise problem("tokens.bpe_dropout", "words are tokenised once, before training", remedy="leave it at 0")
        return self

    @model_validator(mode="after")
    def a_random_field_is_over_words(self) -> Self:
        if self.tag.head == "crf" and self.tokens.kind not in WORDS:
            what = f"the CRF needs one token per word, and {self.tokens.kind} splits words"
            raise problem("tag.head", what, remedy="use tokens.kind word or space, or head softmax")
        return self

    @model_validator(mode="after")
    def widths_can_be_shared_out(self) -> Self:
        characters, model = self.tag.characters, self.model
        if self.tag.character_kind == "lstm" and characters % 2:
            raise problem(
                "tag.characters",
                f"{characters} is odd, and a bidirectional encoder needs an even width",
                remedy="make it even",
            )
        width = model.embedding + characters
        if "heads" in find(model.name, "tag").reads and not model.one_hot and width % model.heads:
            what = f"{model.heads} heads do not divide a width of {model.embedding} + {characters} letters"
            raise problem("tag.characters", what, remedy=f"make it a multiple of {model.heads}")
        return self


class TagFacts(Config):
    """What a tagger learned before its first step."""

    tags: Names
    """The tags, in the order of their ids."""
    frames: FrameFacts | None = None
    """The scale of each column, if it reads frames instead of words."""
    whole_spans: bool = False
    """Whether the tags of the training data mark whole spans, and so do predicted ones."""
