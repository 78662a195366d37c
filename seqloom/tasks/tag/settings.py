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
    """How words are known: the section [tokens] with the defaults of a tagger."""

    kind: Kind = "word"
    """What a token is: a word (word, space), or a part of a word (bpe, unigram): then its first part has the tag."""
    size: PositiveInt = 50_000
    """Size of the vocabulary at most, with the four special ones and, for parts of words, the 256 bytes."""
    lower: bool = True
    """Whether capital letters are read as small ones; the letters of a word are read as they are."""


class TagModel(ModelConfig):
    """Which architecture, and how large: the section [model] with the defaults of a tagger."""

    widths: list[PositiveInt] = Field(default_factory=lambda: [200], min_length=1)
    """Width of each layer, lowest first; a Transformer has as many blocks as there are numbers."""
    bidirectional: bool = True
    """Recurrent layers read from both ends; each half has the width stated."""
    dropout: float = Field(0.3, ge=0, lt=1)
    """Dropout probability while training, on word embeddings and between layers."""
    length: PositiveInt = 256
    """Most tokens that are read at once; a longer sentence is read in pieces, so that every word has its tag."""


class TagSettings(Config):
    """How a tagger reads the spelling of words: the section [tag]."""

    characters: NonNegativeInt = 64
    """Width of the character-level vector of a word, concatenated with its embedding; 0 for none."""
    character_kind: CharacterKind = "cnn"
    """How letters are read: cnn, the strongest windows, or lstm, from both ends."""
    head: Literal["softmax", "crf"] = "softmax"
    """How tags are chosen: each by itself, or all of a sentence together, by a conditional random field."""
    word_dropout: NonNegativeFloat = 0.25
    """How readily words are read as unknown while training: a/(a+n) for one seen n times; not for parts of words."""


class TagConfig(TaskConfig):
    """Words and what each of them is."""

    task: Literal["tag"] = "tag"
    tokens: TagTokens = TagTokens()
    """How words are known."""
    model: TagModel = TagModel()
    """Which architecture, and how large."""
    tag: TagSettings = TagSettings()
    """How words are seen."""

    @model_validator(mode="after")
    def tokens_are_words_or_parts_of_them(self) -> Self:
        tokens = self.tokens
        if tokens.kind == "character":
            what, remedy = "a tag is for a word, not for a letter", "use word; letters are read beside it"
            raise problem("tokens.kind", what, remedy=remedy)
        if tokens.kind == "ngram":
            raise problem("tokens.kind", "a tag is for one word, not for a pair", remedy="use word")
        if tokens.stop_list:
            raise problem("tokens.stop_words", "every word has a tag, none can be left out", remedy='set it to "none"')
        if tokens.bpe_dropout:
            raise problem("tokens.bpe_dropout", "words are cut once, before training", remedy="leave it at 0")
        return self

    @model_validator(mode="after")
    def a_random_field_is_over_words(self) -> Self:
        if self.tag.head == "crf" and self.tokens.kind not in WORDS:
            what = f"transitions are between words, and {self.tokens.kind} cuts them"
            raise problem("tag.head", what, remedy="use tokens.kind word or space, or head softmax")
        return self

    @model_validator(mode="after")
    def widths_can_be_shared_out(self) -> Self:
        characters, model = self.tag.characters, self.model
        if self.tag.character_kind == "lstm" and characters % 2:
            raise problem("tag.characters", f"{characters} cannot be halved for two readers", remedy="make it even")
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
