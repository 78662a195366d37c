"""Co-occurrence vectors: counts of words near each other, PPMI, truncated SVD.

    counts in a window  ->  positive pointwise mutual information  ->  truncated SVD

    PPMI(w, c) = max(0, log( P(w, c) / (P(w) P'(c)) ) - log shift),  P'(c) ~ count(c) ** smoothing
    vectors = U diag(s) ** power

Levy, Goldberg, Dagan: Improving distributional similarity with lessons learned from word embeddings, TACL 3, 2015.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.errors import DataError
from seqloom.vectors.corpus_chunks import CorpusChunk, IntArray, Sentences, chunks, count_words, without_rare_words
from seqloom.vectors.settings import CooccurrenceConfig
from seqloom.vectors.word_vectors import WordVectors

EXACT = 1_000
"""Words up to which the decomposition is exact, and not by random directions."""
MORE, ROUNDS = 16, 4
"""Directions beyond the width, and how often they are sharpened: values come out right to three digits or more."""


class SparseMatrix(NamedTuple):
    """A sparse matrix (V, V), row by row: a value for each pair of words that occurs."""

    rows: IntArray
    columns: IntArray
    values: NDArray[np.float64]


def train_cooccurrence(
    sentences: Sentences, words: Sequence[str], config: CooccurrenceConfig | None = None
) -> WordVectors:
    """Learn vectors from sentences of word ids; the same text, settings and machine give the same bits."""
    config = config or CooccurrenceConfig()
    count = count_words(sentences, len(words), config.min_count)
    size = len(count.old)
    if config.width > size:
        remedy = f"set the width to {size} or less, or lower min_count"
        raise DataError(f"{size} words cannot have vectors of {config.width} dimensions", remedy=remedy)
    counter = PairCounter(size, config.window, config.by_distance, config.most_pairs)
    for part in chunks(sentences):
        counter.add(without_rare_words(part, count))
    u, s = truncated_svd(ppmi(counter.pairs(), size, config.shift, config.smoothing), size, config.width, config.seed)
    return WordVectors(tuple(words[at] for at in count.old), (u * s**config.singular_power).contiguous())


class PairCounter:
    """Counts pairs of words in a window; holds each pair once, as the code row * size + column."""

    def __init__(self, size: int, window: int, by_distance: bool = True, most: int = 50_000_000) -> None:
        self.size, self.window, self.by_distance, self.most = size, window, by_distance, most
        self.codes: IntArray = np.zeros(0, np.int64)
        self.values: NDArray[np.float64] = np.zeros(0)
        self.waiting: list[tuple[IntArray, NDArray[np.float64]]] = []

    def add(self, part: CorpusChunk) -> None:
        """Count a word with those after it; `pairs` gives both directions."""
        codes, values = [], []
        for distance in range(1, self.window + 1):
            together = part.sentence[distance:] == part.sentence[:-distance]
            left, right = part.words[:-distance][together], part.words[distance:][together]
            codes.append(left * self.size + right)
            values.append(np.full(len(left), 1 / distance if self.by_distance else 1.0))
        self.waiting.append(summed(np.concatenate(codes), np.concatenate(values)))
        if sum(len(codes) for codes, _ in self.waiting) > len(self.codes):
            self.merge()

    def merge(self) -> None:
        held = [(self.codes, self.values), *self.waiting]
        self.codes, self.values = summed(*(np.concatenate(column) for column in zip(*held)))
        self.waiting = []
        if len(self.codes) > self.most:
            remedy = "raise min_count, narrow the window, or raise most_pairs if there is memory for it"
            raise DataError(f"over {self.most:,} different pairs of words", remedy=remedy)

    def pairs(self) -> SparseMatrix:
        """The counts, the same in both directions."""
        self.merge()
        rows, columns = np.divmod(self.codes, self.size)
        both = np.concatenate([self.codes, columns * self.size + rows])
        codes, values = summed(both, np.concatenate([self.values, self.values]))
        return SparseMatrix(*np.divmod(codes, self.size), values)


def summed(codes: IntArray, values: NDArray[np.float64]) -> tuple[IntArray, NDArray[np.float64]]:
    """Each code once, in order, with the sum of its values."""
    order = codes.argsort(kind="stable")
    codes, values = codes[order], values[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return codes[starts], np.add.reduceat(values, starts) if len(starts) else values


def ppmi(pairs: SparseMatrix, size: int, shift: float = 1.0, smoothing: float = 0.75) -> SparseMatrix:
    """Positive pointwise mutual information: how much likelier pairs are than by chance, above that of `shift`."""
    word = np.bincount(pairs.rows, pairs.values, size)
    context = np.bincount(pairs.columns, pairs.values, size) ** smoothing
    context /= context.sum()
    chance = word[pairs.rows] * context[pairs.columns]
    values = np.log(pairs.values / chance) - np.log(shift)
    keep = values > 0
    return SparseMatrix(pairs.rows[keep], pairs.columns[keep], values[keep])


def truncated_svd(pairs: SparseMatrix, size: int, width: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Truncated SVD: the largest singular values and their left vectors: u (V, D), s (D), the largest first.

    The sign of a vector is chosen so that its largest element is positive.
    """
    if size <= max(EXACT, width + MORE):
        matrix = np.zeros((size, size), np.float32)
        matrix[pairs.rows, pairs.columns] = pairs.values
        u, s, _ = torch.linalg.svd(torch.from_numpy(matrix))
    else:
        u, s = randomized_svd(pairs, size, width + MORE, seed)
    u, s = u[:, :width], s[:width]
    sign = u.gather(0, u.abs().argmax(0, keepdim=True))
    return u * torch.where(sign < 0, -1.0, 1.0), s


def randomized_svd(pairs: SparseMatrix, size: int, number: int, seed: int) -> tuple[Tensor, Tensor]:
    """Randomized SVD (Halko, Martinsson, Tropp, 2011): random directions, drawn toward the largest ones by A Aᵀ."""
    order = pairs.columns.argsort(kind="stable")
    a = sparse(pairs, size)
    a_transposed = sparse(SparseMatrix(pairs.columns[order], pairs.rows[order], pairs.values[order]), size)
    directions = torch.randn(size, number, generator=torch.Generator().manual_seed(seed))
    q = torch.linalg.qr(a @ directions).Q
    for _ in range(ROUNDS):
        q = torch.linalg.qr(a @ torch.linalg.qr(a_transposed @ q).Q).Q
    u, s, _ = torch.linalg.svd((a_transposed @ q).T, full_matrices=False)
    return q @ u, s


def sparse(pairs: SparseMatrix, size: int) -> Tensor:
    """A matrix that holds only what is not zero: (V, V)."""
    starts = torch.from_numpy(np.searchsorted(pairs.rows, np.arange(size + 1)))
    columns, values = torch.from_numpy(pairs.columns).contiguous(), torch.from_numpy(pairs.values).float()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(starts, columns, values, (size, size), check_invariants=True)
