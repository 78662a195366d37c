"""The texts nearest to a text: by the cosine of their vectors, over any number of texts in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, TypeAlias

from torch import Tensor
from torch.nn import functional as F

from seqloom.data.length_batches import AT_ONCE
from seqloom.errors import DataError, SeqloomError

Near: TypeAlias = list[tuple[Any, float]]
"""Texts and their similarity, 1 at most, the nearest first."""


def nearest(
    vectors: Callable[[Sequence[Any]], Tensor], texts: Sequence[Any], among: Iterable[Any], count: int
) -> list[Near]:
    """For each text the `count` nearest of `among`, read once and a batch at a time; of equal ones the first."""
    if count < 1:
        raise SeqloomError(f"{count} texts were asked for", remedy="ask for 1 or more")
    asked = F.normalize(vectors(texts), dim=1)
    best: list[Near] = [[] for _ in texts]
    others = iter(among)
    while part := list(islice(others, AT_ONCE)):
        similarity = asked @ F.normalize(vectors(part), dim=1).T
        values, places = similarity.sort(dim=1, descending=True, stable=True)
        for index, (row, order) in enumerate(zip(values[:, :count].tolist(), places[:, :count].tolist(), strict=True)):
            found = [*best[index], *((part[place], value) for value, place in zip(row, order, strict=True))]
            best[index] = sorted(found, key=lambda one: -one[1])[:count]
    if best and not best[0]:
        raise DataError("there are no texts to choose the nearest from", remedy="give at least one")
    return best
