"""What is tagged: the words of a text, or frames of sound or sensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from seqloom.data.record import Record
from seqloom.errors import DataError, quoted
from seqloom.models.characters import character_encoder
from seqloom.models.crf import LinearChainCRF
from seqloom.models.tagger import Tagger
from seqloom.models.word_dropout import WordDropout
from seqloom.tasks.frame_inputs import FrameInputs
from seqloom.tasks.tag.answers import TaggedFrames, TaggedText
from seqloom.tasks.tag.examples import TagExample, examples_of, frame_examples
from seqloom.tasks.tag.settings import TagConfig
from seqloom.tasks.tag.word_splitting import Word, words_of
from seqloom.tokens.settings import SPECIALS, UNK, WORDS
from seqloom.tokens.tokenizer import Tokenizer


class GivenSequence(NamedTuple):
    """What a user handed to a tagger."""

    text: str
    """As it is called in an answer."""
    words: Sequence[Word]
    """What gets a tag, with its place in the text; of frames, their numbers."""
    values: Any
    """What the model reads: words, or frames (T, D)."""


class TagInputs(Protocol):
    """One kind of sequence, with what was learned of it from training data."""

    @property
    def answer_kind(self) -> type[TaggedText]:
        """What an answer is."""
        ...

    def make_model(self, tags: int, crf: LinearChainCRF | None) -> Tagger:
        """A model with fresh weights."""
        ...

    def values(self, record: Record) -> Any:
        """The words of a record, or its frames."""
        ...

    def examples(self, values: Any, tags: Sequence[int]) -> list[TagExample]:
        """A sequence as examples, of which none is longer than the model reads."""
        ...

    def accept(self, given: Any) -> Any:
        """What a stranger sent as JSON; never the name of a file."""
        ...

    def read(self, given: Any) -> GivenSequence:
        """What a user hands to a model."""
        ...

    def unknown(self, tokens: Tensor) -> Tensor:
        """Which of them (T) were never seen in training."""
        ...

    def counted(self, record: Record) -> Sequence[str]:
        """What the most frequent tag is counted by: words; frames are all alike."""
        ...


class WordSequences:
    """Words as token ids, with their characters."""

    answer_kind = TaggedText

    def __init__(self, config: TagConfig, tokenizers: Mapping[str, Tokenizer]) -> None:
        self.config, self.tokenizer, self.characters = config, tokenizers["text"], tokenizers.get("characters")

    def make_model(self, tags: int, crf: LinearChainCRF | None) -> Tagger:
        settings = self.config.tag
        characters = None
        if self.characters is not None:
            dropout = word_dropout(self.characters, settings.word_dropout)
            size, width = self.characters.size, settings.characters
            characters = character_encoder(settings.character_kind, size, width, dropout)
        of_words = self.tokenizer.config.kind in WORDS  # parts of words are never unknown
        dropout = word_dropout(self.tokenizer, settings.word_dropout) if of_words else None
        return Tagger(self.config.model, self.tokenizer.size, tags, characters, dropout, crf)

    def values(self, record: Record) -> Any:
        return words_in(record)

    def examples(self, values: Any, tags: Sequence[int]) -> list[TagExample]:
        return list(examples_of(values, tags, self.tokenizer, self.characters, self.config.model.length))

    def accept(self, given: Any) -> Any:
        """A text, or its words."""
        words = isinstance(given, list | tuple) and all(isinstance(word, str) for word in given)
        if not words and not isinstance(given, str):
            raise DataError(f"{quoted(given)} is not a text", remedy="give a string")
        return given

    def read(self, given: Any) -> GivenSequence:
        """A text and its words; a list of words stands for the text with spaces between them."""
        if isinstance(given, str):
            words = words_of(self.tokenizer, given)
            return GivenSequence(given, words, [word.text for word in words])
        starts = np.cumsum([0, *(len(word) + 1 for word in given)])
        words = [Word(word, int(start)) for word, start in zip(given, starts)]
        return GivenSequence(" ".join(given), words, list(given))

    def unknown(self, tokens: Tensor) -> Tensor:
        return tokens == UNK

    def counted(self, record: Record) -> Sequence[str]:
        return words_in(record)


class FrameSequences:
    """Frames, standardised as in training."""

    answer_kind = TaggedFrames

    def __init__(self, config: TagConfig, facts: Mapping[str, Any]) -> None:
        self.config, self.frames = config, FrameInputs(config, facts)

    def make_model(self, tags: int, crf: LinearChainCRF | None) -> Tagger:
        return Tagger(self.config.model, self.frames.make_embedding(), tags, crf=crf)

    def values(self, record: Record) -> Any:
        return self.frames.whole([record])[0]

    def examples(self, values: Any, tags: Sequence[int]) -> list[TagExample]:
        return list(frame_examples(np.asarray(values, np.float32), tags, self.config.model.length))

    def accept(self, given: Any) -> Any:
        return self.frames.accept(given)

    def read(self, given: Any) -> GivenSequence:
        record = self.frames.record(given)
        values = self.values(record)
        numbers = [Word(str(number), number - 1) for number in range(1, len(values) + 1)]
        return GivenSequence(self.frames.shown(record), numbers, values)

    def unknown(self, tokens: Tensor) -> Tensor:
        return torch.zeros(len(tokens), dtype=torch.bool)

    def counted(self, record: Record) -> Sequence[str]:
        return [""] * len(self.values(record))


def words_in(record: Record) -> list[str]:
    return list(record.columns["tokens"])  # type: ignore[arg-type]  # a list of words for this task: see data.roles


def word_dropout(tokenizer: Tokenizer, strength: float) -> WordDropout | None:
    return WordDropout(strength, tokenizer.frequency, len(SPECIALS), UNK) if strength else None
