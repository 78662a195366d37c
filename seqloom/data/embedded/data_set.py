"""What an embedded data set is: rows that are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TypeAlias

import numpy as np

from seqloom.data.column_roles import roles_of
from seqloom.data.record import Place, Record, Value

Row: TypeAlias = tuple[Value, ...]
"""The values of an example, in the order of the roles of its task."""
Splits: TypeAlias = Mapping[str, Sequence[Row]]

SCHEME = "embedded:"


@dataclass(frozen=True)
class EmbeddedDataset:
    """A data set that needs no file and no download; the same for the same versions of Python and Babel."""

    name: str
    task: str
    title: str
    licence: str
    make: Callable[[], Splits]

    @cached_property
    def splits(self) -> Splits:
        """The rows of train, valid and, where there is one, test."""
        return self.make()

    def records(self, split: str) -> Iterator[Record]:
        """The rows of a split under the names of their roles, counted from 1."""
        roles, place = roles_of(self.task), self.path(split)
        for number, row in enumerate(self.splits[split], 1):
            yield Record(dict(zip(roles, row)), Place(place, number))

    def path(self, split: str) -> str:
        """How a split is named where data is asked for."""
        return f"{SCHEME}{self.name}/{split}"

    def identity(self, split: str) -> str:
        """Name and content in one word: another version of Python or Babel may make other rows."""
        content = sha256()
        for row in self.splits[split]:
            if any(isinstance(value, np.ndarray) for value in row):  # whose text leaves numbers out
                for value in row:
                    content.update(value.tobytes() if isinstance(value, np.ndarray) else f"{value!r}\n".encode())
            else:
                content.update(f"{row!r}\n".encode())
        return f"{self.path(split)}#{content.hexdigest()[:32]}"
