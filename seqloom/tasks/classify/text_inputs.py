"""Texts, cut into tokens; a text may come with the columns that stand beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.data.bad_records import Problem
from seqloom.data.record import Record
from seqloom.data.sources.jsonl import parse
from seqloom.data.typed_values import as_columns
from seqloom.errors import DataError
from seqloom.models.token_embedding import TokenEmbedding
from seqloom.tasks.batching import tensors
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.input_kind import InputKind, cannot_read, place_of
from seqloom.tokens.tokenizer import Tokenizer


class TextInputs(InputKind):
    """Texts, encoded as token ids."""

    field = "text"

    def __init__(self, config: ClassifyConfig, tokenizer: Tokenizer) -> None:
        super().__init__(config)
        self.tokenizer, self.beside = tokenizer, config.classify.columns

    def make_embedding(self) -> TokenEmbedding:
        return TokenEmbedding(self.model, self.tokenizer.size)

    def whole(self, records: Sequence[Record]) -> list[Sequence[int] | NDArray[np.float32]]:
        return [*self.tokenizer.encode_batch([self.shown(record) for record in records])]

    def unseen(self, read: Any) -> float:
        return self.tokenizer.unseen(read)

    def tensors(self, rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
        return tensors(rows, device)

    def shown(self, record: Record) -> str:
        text = record.columns.get("text")
        if text is None:
            others = [name for name, value in record.columns.items() if value is not None]
            what = f"no text; there are: {', '.join(others) or 'no columns'}"
            raise DataError(what, where=str(record.place), remedy="this model was trained on texts: give one")
        return str(text)

    def record(self, given: Any) -> Record:
        """A text; an object with the columns beside it, in Python or, where the model has such columns, as JSON."""
        place = place_of(given)
        found: Any = given
        if isinstance(given, str):
            written = self.beside and given.lstrip().startswith("{")
            found = parse(given) if written else given
            if isinstance(found, str):
                return Record({"text": given}, place)
        if isinstance(found, Mapping):
            found = as_columns(found)
        elif not isinstance(found, Problem):
            raise cannot_read(given, "a text is read", "this model was trained on texts: give one")
        if isinstance(found, Problem):
            raise DataError(found.what, where=str(place), remedy=found.remedy)
        text = found.get("text", found.get(self.own_name()))
        return Record({**found, "text": text}, place)
