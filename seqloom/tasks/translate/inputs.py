"""What is translated: texts, or frames of sound or sensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.attention.attention_weights import AttentionMap
from seqloom.data.corpus import Corpus
from seqloom.data.record import Record
from seqloom.data.settings import DataConfig
from seqloom.errors import ConfigError, DataError, SeqloomError
from seqloom.evaluating.word_splitting import count_words
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.settings import ModelConfig
from seqloom.models.stage import VocabularyAxis
from seqloom.tasks.batching import tensors
from seqloom.tasks.frame_inputs import FrameInputs, frame_tensors, frames_of
from seqloom.tasks.stages import LONGEST, MOST_FRAMES, bounded, frequent_text, read_words, token_axis
from seqloom.tasks.translate.answers import FrameTranslation, ReadSource, Translation, with_copies, word_indices
from seqloom.tasks.translate.corpus_text import text_in, text_of
from seqloom.tasks.translate.settings import TranslateConfig, TranslateOptions
from seqloom.tokens.settings import EOS
from seqloom.tokens.tokenizer import Tokenizer


class GivenSource(NamedTuple):
    """A source that is to be translated."""

    shown: str
    """As it is called in an answer."""
    values: Any
    """Token ids or frames (S, F), however many there are; none if it is blank."""

    @property
    def blank(self) -> bool:
        return not len(self.values)


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

    def of_corpus(self, corpus: Corpus, row: int) -> GivenSource:
        return GivenSource(text_of(corpus, "source", row), corpus["source", row])

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
    def read(self, given: Sequence[Any]) -> list[GivenSource]:
        """What a user hands to a model."""

    @abstractmethod
    def most_read(self, given: Any) -> int:
        """How long an input may be for the model at most, told without encoding it."""

    @abstractmethod
    def answer_scale(self, length: int) -> int:
        """What bounds the length of an answer to a source of this length."""

    def check(self, options: TranslateOptions) -> None:
        """Raise `ConfigError` if it cannot be answered with these options."""
        return None

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


class TextSources(SourceKind):
    """Texts as token ids."""

    answer_kind, counted, is_text = Translation, "tokens", True

    def __init__(self, config: TranslateConfig, tokenizer: Tokenizer) -> None:
        super().__init__(config)
        self.tokenizer, self.longest = tokenizer, config.model.length - 1  # <eos> is read too

    def make_model(self, target_vocab: int) -> Seq2Seq:
        return Seq2Seq.of_texts(self.config.model, self.tokenizer.size, target_vocab)

    def encode(self, records: Sequence[Record]) -> list[GivenSource]:
        texts = [text_in(record, "source") for record in records]
        return [GivenSource(*one) for one in zip(texts, self.tokenizer.encode_batch(texts), strict=True)]

    def at_random(self, corpus: Corpus, rows: Sequence[int], random: Random) -> list[Any]:
        return list(self.tokenizer.encode_batch([text_of(corpus, "source", row) for row in rows], random))

    def key(self, corpus: Corpus, row: int) -> object:
        return text_of(corpus, "source", row)

    def size(self, corpus: Corpus, row: int) -> int:
        return count_words(text_of(corpus, "source", row))

    def lengths(self, corpus: Corpus) -> NDArray[Any]:
        return super().lengths(corpus) + 1

    def row(self, values: Any) -> list[int]:
        return [*values[: self.longest], EOS]

    def is_cut(self, values: Any) -> bool:
        return len(values) > self.longest

    def tensors(self, rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
        return tensors(rows, device)

    def baseline(self, train: Iterable[Record], valid: Sequence[Record]) -> tuple[str, list[str]]:
        """What names, numbers and common words give."""
        return "the source as it is", [str(record.columns["source"]) for record in valid]

    def accept(self, given: Any) -> Any:
        if not isinstance(given, str):
            raise DataError(f"{given!r:.60} is not a text", remedy="give a string")
        return given

    def read(self, given: Sequence[Any]) -> list[GivenSource]:
        texts = [self.accept(one) for one in given]
        encoded = self.tokenizer.encode_batch([text for text in texts if text.strip()])
        found = iter(encoded)
        return [GivenSource(text, next(found) if text.strip() else []) for text in texts]

    def most_read(self, given: Any) -> int:
        return min(len(given.encode()) + 1, self.config.model.length)  # a byte may be a token

    def answer_scale(self, length: int) -> int:
        return length

    def described(self, source: GivenSource, row: Any) -> ReadSource:
        pieces = [self.tokenizer.vocabulary[token] for token in row]
        words, unseen = word_indices(self.tokenizer, row), self.tokenizer.unseen(row[:-1])
        return ReadSource(source.shown, pieces, words, unseen, self.is_cut(source.values))

    def copied(self, source: GivenSource, tokens: Sequence[int], attention: AttentionMap, writes: Tokenizer) -> str:
        return with_copies(tokens, attention, writes, source.shown, self.tokenizer)

    def names(self, source: GivenSource, row: Any) -> list[str]:
        return read_words(self.tokenizer, source.shown, row)

    def axes(self, row: Any) -> list[VocabularyAxis]:
        return [token_axis(self.tokenizer, row)]

    def sample(self) -> str:
        return frequent_text(self.tokenizer)

    def bounded(self, values: Any) -> Any:
        return bounded(values, "tokens", LONGEST)


class ReadAlone(NamedTuple):
    """The settings of what reads frames, as for tasks with one sequence."""

    data: DataConfig
    model: ModelConfig


class FrameSources(SourceKind):
    """Frames, standardised as in training, and several of them as one where that is set."""

    answer_kind, counted, is_text = FrameTranslation, "frames or tokens", False

    def __init__(self, config: TranslateConfig, facts: Mapping[str, Any], longest_target: int) -> None:
        super().__init__(config)
        self.frames = FrameInputs(ReadAlone(config.data, config.model.encoder_config()), facts)
        self.together, self.longest_target = config.translate.stack_frames, longest_target

    def make_model(self, target_vocab: int) -> Seq2Seq:
        return Seq2Seq.of_frames(self.config.model, len(self.frames.mean) * self.together, target_vocab)

    def encoding_settings(self) -> Mapping[str, Any]:
        return {"stack_frames": self.together}

    def values(self, record: Record) -> NDArray[np.float32]:
        return stacked(self.frames.standard(frames_of(record, len(self.frames.mean))), self.together)

    def encode(self, records: Sequence[Record]) -> list[GivenSource]:
        return [GivenSource(self.frames.shown(record), self.values(record)) for record in records]

    def at_random(self, corpus: Corpus, rows: Sequence[int], random: Random) -> list[Any]:
        return [corpus["source", row] for row in rows]

    def key(self, corpus: Corpus, row: int) -> object:
        return corpus["source", row].tobytes()

    def size(self, corpus: Corpus, row: int) -> int:
        return len(corpus["source", row]) * self.together

    def row(self, values: Any) -> NDArray[np.float32]:
        found: NDArray[np.float32] = values[: self.config.model.length]
        return found

    def tensors(self, rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
        return frame_tensors(rows, device)

    def baseline(self, train: Iterable[Record], valid: Sequence[Record]) -> tuple[str, list[str]]:
        ((text, _),) = Counter(text_in(record, "target") for record in train).most_common(1)
        return "the most frequent target", [text] * len(valid)

    def accept(self, given: Any) -> Any:
        return self.frames.accept(given)

    def read(self, given: Sequence[Any]) -> list[GivenSource]:
        return self.encode([self.frames.record(one) for one in given])

    def most_read(self, given: Any) -> int:
        return self.config.model.length

    def answer_scale(self, length: int) -> int:
        return self.longest_target  # how many frames a word takes depends on the data

    def check(self, options: TranslateOptions) -> None:
        if options.copy_unknown:
            what = "there is no word in frames that could be copied"
            raise ConfigError("options", [("copy_unknown", what, "leave it out")])

    def described(self, source: GivenSource, row: Any) -> ReadSource:
        cut = self.is_cut(source.values)
        return ReadSource(source.shown, self.names(source, row), list(range(len(row))), 0.0, cut)

    def names(self, source: GivenSource, row: Any) -> list[str]:
        if self.together == 1:
            return [f"frame {number}" for number in range(1, len(row) + 1)]
        firsts = range(1, len(row) * self.together, self.together)
        return [f"frames {first}-{first + self.together - 1}" for first in firsts]

    def axes(self, row: Any) -> list[VocabularyAxis]:
        return []

    def sample(self) -> NDArray[np.float32]:
        return np.tile(self.frames.mean, (4 * self.together, 1)).astype(np.float32)

    def bounded(self, values: Any) -> Any:
        if len(values) > MOST_FRAMES:
            what = f"{len(values)} frames are too many to look at"
            raise SeqloomError(what, remedy=f"give at most {MOST_FRAMES}")
        return values


def stacked(frames: NDArray[np.float32], together: int) -> NDArray[np.float32]:
    """Each `together` frames (T, D) as one, zeros behind the end.

    >>> stacked(np.ones((3, 1)), 2).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """
    missing = -len(frames) % together
    filled = np.pad(frames, ((0, missing), (0, 0))) if missing else frames
    return filled.reshape(-1, together * frames.shape[1])
