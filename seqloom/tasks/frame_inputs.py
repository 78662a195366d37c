"""Sequences of frames: vectors from sound or sensors, standardised to mean 0 and deviation 1 in each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.data.bad_records import Problem
from seqloom.data.line_reader import expanded
from seqloom.data.padding import pad_sequences
from seqloom.data.record import Place, Record
from seqloom.data.sources.frames import read_frames, read_npy
from seqloom.data.sources.jsonl import parse
from seqloom.data.typed_values import as_columns
from seqloom.errors import DataError, quoted
from seqloom.models.frame_projection import FrameProjection
from seqloom.tasks.input_kind import InputKind, SequenceConfig, cannot_read, place_of
from seqloom.tasks.task import Facts

REMEDY = "give an array (time, width), or the path of a .npy or of a text with a frame a line"


class FrameStatistics:
    """Mean and deviation of each column over all frames, in one pass (Chan, Golub & LeVeque, 1979)."""

    def __init__(self) -> None:
        self.count = 0
        self.mean: NDArray[np.float64] = np.zeros(0)
        self.squares: NDArray[np.float64] = np.zeros(0)

    @classmethod
    def of(cls, records: Iterable[Record]) -> Self:
        statistics = cls()
        for record in records:
            statistics.add(record)
        return statistics

    def add(self, record: Record) -> None:
        frames = frames_of(record, len(self.mean)).astype(np.float64)
        mean = frames.mean(0)
        squares = ((frames - mean) ** 2).sum(0)
        if self.count:
            step, both = mean - self.mean, self.count + len(frames)
            self.squares += squares + step**2 * (self.count * len(frames) / both)
            self.mean += step * (len(frames) / both)
        else:
            self.mean, self.squares = mean, squares
        self.count += len(frames)

    def facts(self) -> dict[str, Any]:
        """1 for a column that never changes, or by less than float32 can hold."""
        deviation = np.sqrt(self.squares / self.count)
        changes = deviation > np.abs(self.mean) * np.finfo(np.float32).eps
        return {"mean": self.mean.tolist(), "deviation": np.where(changes, deviation, 1.0).tolist()}


class FrameInputs(InputKind):
    """The mean and the deviation of each column in training data."""

    field = "frames"

    def __init__(self, config: SequenceConfig, facts: Facts) -> None:
        super().__init__(config)
        self.mean = np.array(facts["mean"])
        self.deviation = np.array(facts["deviation"])

    def make_embedding(self) -> FrameProjection:
        return FrameProjection(len(self.mean), self.model.embedding, self.model.dropout)

    def whole(self, records: Sequence[Record]) -> list[Sequence[int] | NDArray[np.float32]]:
        return [self.standard(frames_of(record, len(self.mean))) for record in records]

    def standard(self, frames: NDArray[np.float32]) -> NDArray[np.float32]:
        standard: NDArray[np.float32] = ((frames - self.mean) / self.deviation).astype(np.float32)
        return standard

    def tensors(self, rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
        return frame_tensors(rows, device)

    def shown(self, record: Record) -> str:
        return str(record.place)

    def accept(self, given: Any) -> Any:
        columns = dict(given) if isinstance(given, Mapping) else {"frames": given}
        for name in {"frames", self.own_name()} & columns.keys():
            columns[name] = from_lists(columns[name])
        return columns

    def record(self, given: Any) -> Record:
        if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
            return self.record(self.accept(from_json(given)))
        if isinstance(given, str | Path):
            return from_file(expanded(given))
        found = {"frames": given} if isinstance(given, np.ndarray) else given
        if not isinstance(found, Mapping):
            raise cannot_read(given, "frames are read", REMEDY)
        place = place_of(found.get("frames", given))
        columns = as_columns(found)
        if isinstance(columns, Problem):
            raise DataError(columns.what, where=str(place), remedy=columns.remedy)
        return Record({**columns, "frames": columns.get("frames", columns.get(self.own_name()))}, place)


def frame_tensors(rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
    """Sequences of frames (T, D) side by side: (B, T, D), zeros behind the end, and lengths (B)."""
    matrix, lengths = pad_sequences(rows, dtype=np.float32)
    return torch.from_numpy(matrix).to(device), torch.from_numpy(lengths).to(device)


def from_json(text: str) -> Any:
    """An object with its columns, or the frames alone."""
    found = parse(text if text.lstrip().startswith("{") else f'{{"frames": {text}}}')
    if isinstance(found, Problem):
        raise DataError(found.what, where=f"input {quoted(text)}", remedy=found.remedy)
    return found


def from_lists(given: Any) -> NDArray[np.float32]:
    """Frames as an array, or as lists of numbers."""
    try:
        frames = np.asarray(given, np.float32) if isinstance(given, list | np.ndarray) else np.zeros(0, np.float32)
    except (ValueError, TypeError, OverflowError):
        frames = np.zeros(0, np.float32)
    if not frames.size or frames.ndim > 2 or not np.isfinite(frames).all():
        remedy = "give a list of frames, each a list of as many numbers"
        raise DataError(f"{quoted(given)} are not frames", remedy=remedy)
    return frames


def from_file(file: Path) -> Record:
    """The one sequence of a file."""
    read = read_npy if file.name.removesuffix(".gz").endswith(".npy") else read_frames
    records = read(file)
    first = next(records, None)
    if first is None:
        raise DataError("holds no frames", where=str(file), remedy=REMEDY)
    if next(records, None) is not None:
        raise DataError("holds several sequences", where=str(file), remedy="give a file for each")
    return Record(first.columns, Place(str(file)))


def frames_of(record: Record, width: int) -> NDArray[np.float32]:
    """The frames of a record (T, D), of that width unless it is 0; numbers in a row are frames of width 1."""
    frames = record.columns.get("frames")
    if not isinstance(frames, np.ndarray) or frames.size == 0:
        raise DataError("no frames", where=str(record.place), remedy=REMEDY)
    frames = (frames[:, None] if frames.ndim == 1 else frames).astype(np.float32, copy=False)
    if width and frames.shape[1] != width:
        what = f"frames of {frames.shape[1]} numbers, and those of training have {width}"
        raise DataError(what, where=str(record.place), remedy="give frames of one width")
    return frames
