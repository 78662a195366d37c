"""The attention of a caption: for each word, how much each region of the picture weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqloom.attention.attention_weights import AttentionMap, group_pieces
from seqloom.data.pictures.decoding import Pixels


@dataclass(frozen=True, eq=False)
class PictureAttention(AttentionMap):
    """Weights over the regions of a picture, row by row."""

    picture: Pixels
    """As the model sees it."""
    rows: int
    columns: int

    @property
    def width(self) -> int:
        """Pixels across."""
        return int(self.picture.shape[1])

    @property
    def height(self) -> int:
        return int(self.picture.shape[0])

    def grids(self) -> NDArray[np.float32]:
        """The mean over layers and heads for each word, as the regions stand in the picture. (T, rows, columns)"""
        return self.mean().reshape(len(self.target), self.rows, self.columns)

    def by_target_word(self, words: Sequence[int], texts: Sequence[str] | None = None) -> PictureAttention:
        """Pieces of the caption put together to words, which look as their pieces do on average."""
        belongs, target = group_pieces(self.target, words, texts)
        means = belongs / belongs.sum(1, keepdims=True)
        return replace(self, target=target, weights=(means @ self.weights).astype(np.float32))

    def json(self) -> dict[str, Any]:
        return {**super().json(), "rows": self.rows, "columns": self.columns}


def region_names(rows: int, columns: int) -> tuple[str, ...]:
    """
    >>> region_names(1, 2)
    ('row 1, column 1', 'row 1, column 2')
    """
    return tuple(f"row {row}, column {column}" for row in range(1, rows + 1) for column in range(1, columns + 1))
