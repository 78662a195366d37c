"""Attention weights of an answer: by layer, head and piece, or by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seqloom.errors import ShapeError

NEAR = 1e-2
"""How far from 1 a row may sum: weights come from half precision too."""


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Weights of every layer and head over the same words; each row sums to 1."""

    source: tuple[str, ...]
    """S tokens as read."""
    target: tuple[str, ...]
    """T tokens as written."""
    weights: NDArray[np.float32]
    """(L, N, T, S)"""
    layers: tuple[str, ...]
    """A name for each layer."""

    def __post_init__(self) -> None:
        L, N, T, S = len(self.layers), self.weights.shape[1:2], len(self.target), len(self.source)
        if self.weights.shape != (L, *N, T, S) or 0 in self.weights.shape:
            raise ShapeError(
                f"attention (L, N, T, S) = {self.weights.shape} for {L} layers, {T} target and {S} source tokens",
                remedy="give a row for each target token and a column for each source token, one at least",
            )
        if not (self.weights.min() >= 0 and np.abs(self.weights.sum(-1) - 1).max() <= NEAR):  # true of NaN too
            raise ShapeError(
                "weights are not normalised: a row does not sum to 1, or has a negative weight",
                remedy="give what the softmax gave, with no weight on padding",
            )

    @property
    def heads(self) -> int:
        return int(self.weights.shape[1])

    def mean(self) -> NDArray[np.float32]:
        """The mean over layers and heads. (T, S)"""
        return self.of()

    @property
    def scale(self) -> float:
        """The weight that is drawn darkest: 1, or less where all are faint and would look like nothing."""
        most = float(self.mean().max())
        return 1.0 if most > 0.5 else most

    def of(self, layer: int | None = None, head: int | None = None) -> NDArray[np.float32]:
        """One layer and one head, counted from 0; the mean over what is left out. (T, S)"""
        mean: NDArray[np.float32] = self.only(layer, head).weights.mean((0, 1))
        return mean

    def only(self, layer: int | None = None, head: int | None = None) -> AttentionMap:
        """The map of one layer, of one head, or of both."""
        for what, number, count in (("layer", layer, len(self.layers)), ("head", head, self.heads)):
            if number is not None and not 0 <= number < count:
                raise ShapeError(f"no {what} {number}", remedy=f"choose from 0 to {count - 1}")
        layers = slice(None) if layer is None else slice(layer, layer + 1)
        heads = slice(None) if head is None else slice(head, head + 1)
        return AttentionMap(self.source, self.target, self.weights[layers, heads], self.layers[layers])

    def by_word(
        self,
        source_words: Sequence[int],
        target_words: Sequence[int],
        source_texts: Sequence[str] | None = None,
        target_texts: Sequence[str] | None = None,
    ) -> AttentionMap:
        """Pieces put together to words: a word gets what its pieces get together, and looks as they do on average.

        words  the index of the word that each piece belongs to
        texts  the words, in the order in which they begin; put together from their pieces if left out
        """
        columns, source = group_pieces(self.source, source_words, source_texts)
        rows, target = group_pieces(self.target, target_words, target_texts)
        mean_over_pieces = rows / rows.sum(1, keepdims=True)
        weights = (mean_over_pieces @ self.weights @ columns.T).astype(np.float32)
        return AttentionMap(source, target, weights, self.layers)

    def json(self) -> dict[str, Any]:
        return {
            "source": list(self.source),
            "target": list(self.target),
            "layers": list(self.layers),
            "weights": np.round(self.weights.astype(np.float64), 6).tolist(),
        }


def attention_map(
    source: Sequence[str], target: Sequence[str], weights: ArrayLike, layers: Sequence[str] | None = None
) -> AttentionMap:
    """From weights (T, S), (N, T, S) or (L, N, T, S); rows and columns of padding behind the words are cut off."""
    array = np.asarray(weights, np.float32)
    if not 2 <= array.ndim <= 4:
        raise ShapeError(f"attention of shape {array.shape}", remedy="give (T, S), (N, T, S) or (L, N, T, S)")
    array = array.reshape((1,) * (4 - array.ndim) + array.shape)
    names = tuple(layers) if layers is not None else tuple(f"layer {n + 1}" for n in range(len(array)))
    return AttentionMap(tuple(source), tuple(target), array[:, :, : len(target), : len(source)], names)


def group_pieces(
    pieces: Sequence[str], words: Sequence[int], texts: Sequence[str] | None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Which pieces (columns) belong to which word (rows), as 1 and 0; and the words."""
    if len(words) != len(pieces):
        raise ShapeError(f"{len(words)} word indices for {len(pieces)} pieces", remedy="give one for each piece")
    order = list(dict.fromkeys(words))
    belongs = np.equal.outer(order, list(words)).astype(np.float64)
    if texts is None:
        joined = ("".join(piece for piece, word in zip(pieces, words, strict=True) if word == w) for w in order)
        texts = [text.strip("▁ ") or text for text in joined]  # ▁ is how a piece shows the space before it
    if len(texts) != len(order):
        raise ShapeError(f"{len(texts)} texts for {len(order)} words", remedy="give one for each word")
    return belongs, tuple(texts)
