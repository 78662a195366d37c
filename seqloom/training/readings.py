"""One reading of the data while a model is distilled: as it is, or as a teacher answers it; rows for a student."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from seqloom.data.record import Record
from seqloom.training.model import Model
from seqloom.training.row_file import Row


@dataclass(frozen=True)
class PairReading:
    """Pairs: of the data, or with the translations of a teacher on one of their sides."""

    columns: ClassVar[Row] = ("source", "target")
    name: str
    place: Path | None = None
    backward: bool = False

    def rows(self, records: Sequence[Record], model: Model | None, options: Mapping[str, Any]) -> Iterator[Row]:
        """Pairs without an empty side, which would teach nothing."""
        for record, answers in zip(records, self.answers(records, model, options), strict=True):
            for answer in answers:
                pair = (answer, target_of(record)) if self.backward else (source_of(record), answer)
                if all(side.strip() for side in pair):
                    yield pair

    def answers(
        self, records: Sequence[Record], model: Model | None, options: Mapping[str, Any]
    ) -> Iterable[list[str]]:
        if model is None:
            return [[target_of(record)] for record in records]
        side = target_of if self.backward else source_of
        found = model([side(record) for record in records], attention=False, **options)
        return ([answer.text, *(other.text for other in answer.alternatives)] for answer in found)


@dataclass(frozen=True)
class PromptReading:
    """Texts: of the data, or as a language model continues them."""

    columns: ClassVar[Row] = ("text",)
    name: str
    place: Path | None = None

    def rows(self, records: Sequence[Record], model: Model | None, options: Mapping[str, Any]) -> Iterator[Row]:
        texts = [str(record.columns["text"]) for record in records]
        for text in texts if model is None else (answer.text for answer in model(texts, **options)):
            yield (text,)


Reading = PairReading | PromptReading


def source_of(record: Record) -> str:
    return str(record.columns["source"] if "source" in record.columns else record.columns["text"])


def target_of(record: Record) -> str:
    return str(record.columns["target"])
