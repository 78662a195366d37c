"""Python's own: an iterable of texts, tuples, dicts, arrays or records; the index stands for the line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.record import Place, Record
from seqloom.data.typed_values import as_columns

NAME = "<python>"


def read_items(
    items: Iterable[Any],
    policy: Policy | None = None,
    asked: Collection[str] | None = None,
    place: Callable[[int], Place] | None = None,
) -> Iterator[Record]:
    """A text is column `text`, bytes `image`, an array `frames`, a list of words `tokens`; a tuple has 1, 2 ..."""
    policy = policy or Policy()
    place = place or partial(Place, NAME)
    width = 0
    for index, item in enumerate(items):
        if isinstance(item, Record):
            yield item
            continue
        columns = as_columns(named(item), asked)
        if isinstance(item, tuple):
            width = width or len(item)
            if len(item) != width:
                columns = Problem("wrong number of columns", f"{len(item)} where the first tuple has {width}")
        if isinstance(columns, Problem):
            policy.bad(place(index), columns)
        else:
            yield Record(columns, place(index))


def named(item: Any) -> Mapping[str, Any]:
    if isinstance(item, Mapping):
        return item
    if isinstance(item, tuple):
        return {str(position): value for position, value in enumerate(item, 1)}
    if isinstance(item, np.ndarray):
        return {"frames": item}
    if isinstance(item, list):
        return {"tokens": item}
    if isinstance(item, bytes):
        return {"image": item}
    return {"text": item}
