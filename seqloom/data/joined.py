"""Several sets of records read as one, each record with the tag of its set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from seqloom.data.bad_records import Report
from seqloom.data.record import Record

if TYPE_CHECKING:
    from seqloom.data.splits import Records

TAG = "tag"
"""The column that says which set a record is of."""


class JoinedRecords:
    """One set after the other; read again and again, like each of them."""

    def __init__(self, sets: Mapping[str, Records]) -> None:
        self.sets = dict(sets)
        self.files: tuple[Path, ...] = tuple(file for records in self.sets.values() for file in records.files)
        self.identity: str = " ".join(f"{tag}={records.identity}" for tag, records in self.sets.items())
        self.source_name: str = ", ".join(records.source_name for records in self.sets.values())

    def __iter__(self) -> Iterator[Record]:
        for tag, records in self.sets.items():
            for record in records:
                yield Record({**record.columns, TAG: tag}, record.place)

    @property
    def report(self) -> Report:
        """What the last reading left out of all of them."""
        found = Report()
        for records in self.sets.values():
            found.merge(records.report)
        return found
