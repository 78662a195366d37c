"""Attention weights as the page of the studio draws them: bounded, and said so where they are pooled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqloom.attention.attention_weights import AttentionMap

ALL_HEADS = 60_000
"""Weights up to which every head is sent at once; of larger models the mean, and single heads when asked for."""
CELLS = 520 * 520
"""Weights of one matrix at most: longer texts are pooled by maximum."""
SMALL = 24
"""Rows and columns of a small multiple at most."""

Matrix = NDArray[np.float32]


def weave_data(
    one: AttentionMap, layer: int | None = None, head: int | None = None, numbers: int = 0
) -> dict[str, Any]:
    """The mean of all heads, every head as a small multiple, how sharp each is, and the matrices that fit.

    layer, head  a head that is sent in full whatever the size
    numbers      for who can ask for nothing more: all heads, pooled if these are more weights than this
    """
    keys: list[tuple[int | None, int | None]] = [(None, None)]
    all_heads = one.weights.size * (1 + 1 / one.heads)
    cells = int(numbers / (all_heads / one.weights[0, 0].size + 1)) if numbers else CELLS
    if numbers or all_heads <= ALL_HEADS:
        layers = [*range(len(one.layers))]
        keys += [(at, None) for at in layers if len(layers) > 1 and one.heads > 1]
        keys += [(at, number) for at in layers for number in range(one.heads) if one.weights.shape[:2] != (1, 1)]
    elif (layer, head) != (None, None):
        keys.append((layer, head))
    return {
        "layers": list(one.layers),
        "heads": one.heads,
        "shape": [len(one.target), len(one.source)],
        "sharpness": np.round(sharpness(one), 4).tolist(),
        "small": [[matrix(pooled(each, SMALL, SMALL)) for each in heads] for heads in one.weights],
        "matrices": {key_of(*key): matrix(fitting(one.of(*key), cells)) for key in keys},
    }


def key_of(layer: int | None, head: int | None) -> str:
    """The name of a matrix.

    >>> key_of(None, None), key_of(1, None), key_of(0, 3)
    ('mean.mean', '1.mean', '0.3')
    """
    return f"{'mean' if layer is None else layer}.{'mean' if head is None else head}"


def sharpness(one: AttentionMap) -> NDArray[np.float64]:
    """How much of its attention a head gives to a single token, on the mean over the rows (L, N)."""
    sharp: NDArray[np.float64] = one.weights.max(-1).mean(-1).astype(np.float64)
    return sharp


def fitting(weights: Matrix, cells: int = CELLS) -> Matrix:
    """A matrix that is not too large to be sent: as it is, or pooled."""
    T, S = weights.shape
    factor = max(1.0, np.sqrt(T * S / min(cells, CELLS)))
    return pooled(weights, int(T / factor), int(S / factor))


def pooled(weights: Matrix, rows: int, columns: int) -> Matrix:
    """At most so many rows and columns: of each block the largest weight.

    >>> pooled(np.array([[0.25, 0.75], [0.5, 0.5], [0.125, 0.875]], np.float32), 2, 1).tolist()
    [[0.75], [0.875]]
    """
    T, S = weights.shape
    tall, wide = -(-T // max(rows, 1)), -(-S // max(columns, 1))
    if tall == wide == 1:
        return weights
    by_row = np.maximum.reduceat(weights, np.arange(0, T, tall), axis=0)
    both: Matrix = np.maximum.reduceat(by_row, np.arange(0, S, wide), axis=1)
    return both


def matrix(weights: Matrix) -> dict[str, Any]:
    """Shape and numbers, row after row, to four digits."""
    return {"shape": list(weights.shape), "data": as_numbers(weights)}


def as_numbers(values: Any, digits: int = 4) -> list[float | int]:
    """A flat list; whole numbers without a point, which is most of them where attention is sharp."""
    flat = np.round(np.asarray(values, np.float64).ravel(), digits).tolist()
    return [int(each) if each.is_integer() else each for each in flat]
