"""Frames of sound or sensors that are translated into text, as speech is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.data.corpus import Corpus
from seqloom.data.record import Record
from seqloom.data.settings import DataConfig
from seqloom.errors import ConfigError, SeqloomError
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.settings import ModelConfig
from seqloom.models.stage import VocabularyAxis
from seqloom.tasks.frame_inputs import FrameInputs, frame_tensors, frames_of
from seqloom.tasks.pieces import Pieces
from seqloom.tasks.stages import MOST_FRAMES
from seqloom.tasks.translate.answers import FrameTranslation, GivenSource, ReadSource
from seqloom.tasks.translate.corpus_text import text_in
from seqloom.tasks.translate.inputs import SourceKind
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.tasks.translate.settings import TranslateConfig


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

    def read(self, given: Sequence[Any], tag: str = "") -> list[GivenSource]:
        return self.encode([self.frames.record(one) for one in given])

    def most_read(self, given: Any) -> int:
        return self.config.model.length

    def limited(self, options: TranslateOptions) -> TranslateOptions:
        """How many frames a word takes depends on the data, so the longest target bounds an answer, not its source."""
        if options.copy_unknown:
            what = "frames contain no tokens to copy"
            raise ConfigError("options", [("copy_unknown", what, "leave it out")])
        return options.model_copy(update={"max_length": options.limit(self.longest_target)})

    def described(self, source: GivenSource, row: Any) -> ReadSource:
        names, each = self.names(source, row), list(range(len(row)))
        pieces = Pieces(each, names, each)
        return ReadSource(source.shown, lambda: (names, pieces), 0.0, self.is_cut(source.values))

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
            what = f"{len(values)} frames are too many to show"
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
