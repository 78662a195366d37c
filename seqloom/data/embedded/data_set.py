"""What an embedded data set is: rows that are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TypeAlias

from seqloom.data.record import Place, Record, Value
from seqloom.data.roles import roles_of

Row: TypeAlias = tuple[Value, ...]
"""The values of an example, in the order of the roles of its task."""
Parts: TypeAlias = Mapping[str, Sequence[Row]]

SCHEME = "embedded:"


@dataclass(frozen=True)
class Embedded:
    """A data set that needs no file and no download; the same for the same versions of Python and Babel."""

    name: str
    task: str
    title: str
    licence: str
    make: Callable[[], Parts]

    @cached_property
    def parts(self) -> Parts:
        """The rows of train, valid and, where there is one, test."""
        return self.make()

    def records(self, part: str) -> Iterator[Record]:
        """The rows of a part under the names of their roles, counted from 1."""
        roles, place = roles_of(self.task), self.path(part)
        for number, row in enumerate(self.parts[part], 1):
            yield Record(dict(zip(roles, row)), Place(place, number))

    def path(self, part: str) -> str:
        """How a part is named where data is asked for."""
        return f"{SCHEME}{self.name}/{part}"

    def identity(self, part: str) -> str:
        """Name and content in one word: another version of Python or Babel may make other rows."""
        content = sha256()
        for row in self.parts[part]:
            content.update(f"{row!r}\n".encode())
        return f"{self.path(part)}#{content.hexdigest()[:32]}"
