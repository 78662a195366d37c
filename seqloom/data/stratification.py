"""The stratified cut: each label is as frequent in every split, and what occurs anywhere occurs in training.

Records are cut in units: each by itself, or all with the same value of a column. Of every label, tag or word of an
answer one unit is held in training, a random one of those that have it. The rest is ordered by stratum, inside a
stratum by a hash of the seed, and the other splits take their records from this order at even distances. So their sizes
are exact, each label is within one record of its share, and the cut is the same on every machine.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from seqloom.data.record import Record, Value

MOST = 1_000_000
"""Different words of answers that are kept track of: those met first."""
TOO_MANY = 0.5
"""If words hold more than this share of all units in training, most answers have a word of their own."""


@dataclass(frozen=True)
class Outcomes:
    """What of a record a model is to predict, as far as a cut must know it."""

    values: Callable[[Record], Iterable[str]]
    """Labels, tags or characters: each of them occurs in training."""
    words: Callable[[Record], Iterable[str]] | None = None
    """As well, unless most answers have one of their own (numbers, names)."""
    strata: bool = False
    """Whether all values of a record together are what should be equally frequent in every split."""


def cut(
    records: Iterable[Record], shares: Mapping[str, float], seed: int, by: str | None, outcomes: Outcomes | None
) -> NDArray[np.uint8]:
    """The split of each record, as an index into `shares`, where training comes first."""
    units: dict[object, int] = {}
    unit_of, keys, strata = array("q"), array("Q"), array("q")
    known_strata: dict[tuple[str, ...], int] = {}
    values: dict[str, int] = {}
    words: dict[str, int] = {}

    def hold(held: dict[str, int], found: Iterable[str], unit: int, most: int) -> None:
        for value in found:
            other = held.get(value)
            if len(held) < most if other is None else keys[unit] > keys[other]:
                held[value] = unit

    for index, record in enumerate(records):
        name = index if by is None else unit_name(record.columns.get(by))
        unit = len(keys) if by is None else units.setdefault(name, len(keys))
        if unit == len(keys):
            keys.append(int.from_bytes(blake2b(f"{seed}:{name}".encode(), digest_size=8).digest(), "big"))
            strata.append(0)
        unit_of.append(unit)
        if outcomes is not None:
            found = sorted({*outcomes.values(record)})
            hold(values, found, unit, len(values) + len(found))
            if outcomes.strata and by is None:
                strata[unit] = known_strata.setdefault(tuple(found), len(known_strata))
            if outcomes.words is not None:
                hold(words, {*outcomes.words(record)}, unit, MOST)
    held = {*values.values(), *words.values()}
    if len(held) > TOO_MANY * len(keys):
        held = {*values.values()}
    held = held or {int(np.argmax(keys))}  # something to train on
    return assign(np.array(keys), np.array(strata), held, list(shares.values()))[np.array(unit_of, dtype=np.int64)]


def unit_name(value: Value) -> object:
    """What tells units apart: a value, or the hash of one that is large."""
    if isinstance(value, bytes | np.ndarray):
        return blake2b(value if isinstance(value, bytes) else value.tobytes(), digest_size=16).hexdigest()
    return tuple(value) if isinstance(value, list) else value


def assign(
    keys: NDArray[np.uint64], strata: NDArray[np.int64], held: set[int], shares: list[float]
) -> NDArray[np.uint8]:
    """The split of each unit: exact sizes, drawn evenly from the strata; those `held` stay in the first.

    >>> assign(np.array([3, 1, 2, 0], np.uint64), np.array([0, 0, 1, 1]), set(), [0.5, 0.5]).tolist()
    [1, 0, 1, 0]
    """
    split = np.zeros(len(keys), np.uint8)
    free = np.ones(len(keys), bool)
    free[list(held)] = False
    order = np.lexsort((keys, strata))
    order = order[free[order]]
    for number, share in enumerate(shares[1:], 1):
        count = min(len(order), max(1, round(share * len(keys))))
        chosen = ((np.arange(count) + 0.5) * len(order) / max(count, 1)).astype(np.int64)
        split[order[chosen]] = number
        order = np.delete(order, chosen)
    return split
