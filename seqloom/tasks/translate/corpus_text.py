"""The texts of pairs: from records, kept as bytes in a corpus, and out of it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seqloom.data.corpus import Corpus
from seqloom.data.joined import TAG
from seqloom.data.record import Record
from seqloom.evaluating.phrase_f1 import joined
from seqloom.tasks.translate.task_tags import tagged

SETS = "set"
"""The field of a corpus that says which set a pair is of."""


def spread(count: int, of: int) -> list[int]:
    """So many places, evenly over all: files are often sorted."""
    return [place * of // count for place in range(count)]


def text_in(record: Record, side: str) -> str:
    """The text of one side; a list is one of phrases, with semicolons between them."""
    value = record.columns[side]
    return joined(value) if isinstance(value, list) else str(value)


def source_in(record: Record, tags: Sequence[str]) -> str:
    """The source of a pair as the model reads it: behind the tag of its set, if there are several."""
    return tagged(tag_in(record) if tags else "", text_in(record, "source"))


def tag_in(record: Record) -> str:
    return str(record.columns.get(TAG) or "")


def set_number(record: Record, tags: Sequence[str]) -> int:
    """Which of the tags a record has; behind the last for none of them."""
    tag = tag_in(record)
    return tags.index(tag) if tag in tags else len(tags)


def rows_by_tag(corpus: Corpus, tags: Sequence[str]) -> dict[str, list[int]]:
    """The pairs of each set in a corpus; nothing where there is one set alone."""
    if not tags:
        return {}
    numbers = corpus.arrays[SETS].ravel()
    found = {tag: np.flatnonzero(numbers == number).tolist() for number, tag in enumerate(tags)}
    return {tag: rows for tag, rows in found.items() if rows}


def as_bytes(text: str) -> Any:
    return np.frombuffer(text.encode("utf-8", errors="surrogatepass"), np.uint8)


def text_of(corpus: Corpus, side: str, row: int) -> str:
    """The text of one side of a pair, as it was read."""
    return corpus[f"{side}_text", row].astype(np.uint8).tobytes().decode("utf-8", errors="replace")


def questions(
    corpus: Corpus, rows: Sequence[int], key: Callable[[Corpus, int], object], *, together: bool
) -> list[list[int]]:
    """The pairs of a corpus, each by itself, or those with the same source together: their keys are equal."""
    if not together:
        return [[row] for row in rows]
    found: dict[object, list[int]] = {}
    for row in rows:
        found.setdefault(key(corpus, row), []).append(row)
    return list(found.values())
