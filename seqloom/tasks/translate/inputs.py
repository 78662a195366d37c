"""What is translated: one kind of source, and texts as the kind that is usual (frames: `frame_sources.py`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.attention.attention_weights import AttentionMap
from seqloom.data.corpus import Corpus
from seqloom.data.record import Record
from seqloom.evaluating.word_splitting import count_words
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.stage import VocabularyAxis
from seqloom.tasks.batching import tensors
from seqloom.tasks.stages import LONGEST, bounded, frequent_text, read_words, token_axis
from seqloom.tasks.translate.answers import GivenSource, ReadSource, Translation
from seqloom.tasks.translate.corpus_text import source_in, text_of
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.tasks.translate.settings import TranslateConfig
from seqloom.tasks.translate.task_tags import tagged
from seqloom.tasks.translate.text_reading import TextReading
from seqloom.tokens.tokenizer import Tokenizer


class SourceKind(ABC):
    """One kind of source, with what was learned of it from training data."""

    answer_kind: ClassVar[type[Translation]]
    counted: ClassVar[str]
    """What `model.length` counts."""
    is_text: ClassVar[bool]

    def __init__(self, config: TranslateConfig) -> None:
        self.config = config

    # --- data ---------------------------------------------------------------------------------------

    @abstractmethod
    def make_model(self, target_vocab: int) -> Seq2Seq:
        """A model with fresh weights."""

    def encoding_settings(self) -> Mapping[str, Any]:
        """Settings that encoded sources depend on."""
        return {}

    @abstractmethod
    def encode(self, records: Sequence[Record]) -> list[GivenSource]:
        """The sources of records."""

    @abstractmethod
    def at_random(self, corpus: Corpus, rows: Sequence[int], random: Random) -> list[Any]:
        """Values of sources for training; texts are tokenized anew (BPE-dropout)."""

    @abstractmethod
    def key(self, corpus: Corpus, row: int) -> object:
        """What two equal sources have in common."""

    @abstractmethod
    def size(self, corpus: Corpus, row: int) -> int:
        """Words or frames of a source."""

    def of_corpus(self, corpus: Corpus, rows: Sequence[int], tag: str = "") -> list[GivenSource]:
        """Sources of a corpus, behind the tag of a task if they lack it."""
        return [GivenSource(text_of(corpus, "source", row), corpus["source", row]) for row in rows]

    def lengths(self, corpus: Corpus) -> NDArray[Any]:
        """How long each source of a corpus is, as the model reads it."""
        return corpus.lengths("source")

    @abstractmethod
    def row(self, values: Any) -> Any:
        """What the model reads of a source: its beginning, if it is too long."""

    def is_cut(self, values: Any) -> bool:
        return len(self.row(values)) < len(values)

    @abstractmethod
    def tensors(self, rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
        """Rows side by side: (B, S) token ids or (B, S, F) frames, and lengths (B)."""

    @abstractmethod
    def baseline(self, train: Iterable[Record], valid: Sequence[Record]) -> tuple[str, list[str]]:
        """What can be answered without a model, and how that is called."""

    # --- use ----------------------------------------------------------------------------------------

    @abstractmethod
    def accept(self, given: Any) -> Any:
        """What a stranger sent as JSON; never the name of a file."""

    @abstractmethod
    def read(self, given: Sequence[Any], tag: str = "") -> list[GivenSource]:
        """What a user hands to a model, for the task of a tag."""

    @abstractmethod
    def most_read(self, given: Any) -> int:
        """How long an input may be for the model at most, told without encoding it."""

    def limited(self, options: TranslateOptions) -> TranslateOptions:
        """How an answer is decoded; `ConfigError` if it cannot be decoded so."""
        return options

    @abstractmethod
    def described(self, source: GivenSource, row: Any) -> ReadSource:
        """A source as it stands in an answer."""

    def copied(self, source: GivenSource, tokens: Sequence[int], attention: AttentionMap, writes: Tokenizer) -> str:
        """The text of an answer with what is unknown taken from the source."""
        return writes.decode(tokens)

    # --- a look inside ------------------------------------------------------------------------------

    @abstractmethod
    def names(self, source: GivenSource, row: Any) -> list[str]:
        """What the model reads, as a person knows it."""

    @abstractmethod
    def axes(self, row: Any) -> list[VocabularyAxis]:
        """The embedding table of what is read, if it has one."""

    @abstractmethod
    def sample(self) -> Any:
        """An input for who gives none."""

    @abstractmethod
    def bounded(self, values: Any) -> Any:
        """No more than can be looked at."""


class TextSources(TextReading, SourceKind):
    """Texts as token ids, behind a tag if there are several tasks."""

    counted, is_text = "tokens", True

    def __init__(self, config: TranslateConfig, tokenizer: Tokenizer, tags: Sequence[str]) -> None:
        TextReading.__init__(self, tokenizer, config.model.length)
        self.config, self.tags = config, tags

    def make_model(self, target_vocab: int) -> Seq2Seq:
        return Seq2Seq.of_texts(self.config.model, self.tokenizer.size, target_vocab)

    def encode(self, records: Sequence[Record]) -> list[GivenSource]:
        texts = [source_in(record, self.tags) for record in records]
        return [GivenSource(*one) for one in zip(texts, self.tokenizer.encode_batch(texts), strict=True)]

    def of_corpus(self, corpus: Corpus, rows: Sequence[int], tag: str = "") -> list[GivenSource]:
        if not tag:
            return super().of_corpus(corpus, rows)
        return self.read([text_of(corpus, "source", row) for row in rows], tag)

    def read(self, given: Sequence[Any], tag: str = "") -> list[GivenSource]:
        return super().read([tagged(tag, self.accept(one)) for one in given])

    def at_random(self, corpus: Corpus, rows: Sequence[int], random: Random) -> list[Any]:
        return list(self.tokenizer.encode_batch([text_of(corpus, "source", row) for row in rows], random))

    def key(self, corpus: Corpus, row: int) -> object:
        return text_of(corpus, "source", row)

    def size(self, corpus: Corpus, row: int) -> int:
        return count_words(text_of(corpus, "source", row))

    def lengths(self, corpus: Corpus) -> NDArray[Any]:
        return super().lengths(corpus) + 1

    def tensors(self, rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
        return tensors(rows, device)

    def baseline(self, train: Iterable[Record], valid: Sequence[Record]) -> tuple[str, list[str]]:
        """What names, numbers and common words give."""
        return "the source as it is", [str(record.columns["source"]) for record in valid]

    def most_read(self, given: Any) -> int:
        return min(len(given.encode()) + 1, self.config.model.length)  # a byte may be a token

    def names(self, source: GivenSource, row: Any) -> list[str]:
        return read_words(self.tokenizer, source.shown, row)

    def axes(self, row: Any) -> list[VocabularyAxis]:
        return [token_axis(self.tokenizer, row)]

    def sample(self) -> str:
        return frequent_text(self.tokenizer)

    def bounded(self, values: Any) -> Any:
        return bounded(values, "tokens", LONGEST)
