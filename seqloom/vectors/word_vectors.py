"""Word vectors: nearest neighbours, analogies, PCA, and the embedding matrix of a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from seqloom.errors import DataError, SeqloomError, ShapeError, UnknownName
from seqloom.storage import output_errors
from seqloom.tokens.settings import PAD
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.vectors.pca import pca_2d

SPACE = "▁"
"""How a tokenizer shows the space before a part of a word."""


class TokenVectors(NamedTuple):
    """A vector for each token of a tokenizer, and how many of them are known."""

    matrix: Tensor  # (V, D), float32; of <pad> zeros
    found: int  # tokens that have a vector
    lowered: int  # of these, only in lower case
    drawn: int  # tokens whose vector is random, <pad> not among them
    covered: float  # share of the tokens of the tokenizer's training data that were found


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vector for each word.

    >>> vectors = WordVectors(("cat", "dog", "car"), torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]))
    >>> [word for word, cosine in vectors.nearest("cat", 2)]
    ['dog', 'car']
    """

    words: tuple[str, ...]
    matrix: Tensor  # (V, D), float32

    def __post_init__(self) -> None:
        shape = tuple(self.matrix.shape)
        if len(shape) != 2 or shape[0] != len(self.words) or 0 in shape or self.matrix.dtype != torch.float32:
            raise ShapeError(
                f"{len(self.words)} words and a matrix {shape} of {self.matrix.dtype}",
                remedy="give float32 vectors (V, D), one for each word, and at least one",
            )
        if len(self.index) != len(self.words):
            twice = next(word for at, word in enumerate(self.words) if self.index[word] != at)
            raise DataError(f"the word {twice!r} has two vectors", remedy="keep one for each word")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> Tensor:
        """The vector of a word: (D)."""
        return self.matrix[self.index_of(word)]

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self)} words, {self.width} wide>"

    @property
    def width(self) -> int:
        return self.matrix.shape[1]

    @cached_property
    def index(self) -> dict[str, int]:
        """The index of each word."""
        return {word: at for at, word in enumerate(self.words)}

    @cached_property
    def directions(self) -> Tensor:
        """The vectors normalised to length 1, so that a product is a cosine: (V, D)."""
        return F.normalize(self.matrix, dim=1)

    def index_of(self, word: str) -> int:
        try:
            return self.index[word]
        except KeyError:
            alike = [known for known in self.words[:10_000] if known[:1].lower() == word[:1].lower()]
            same = [known for known in (word.lower(), word.capitalize(), word.upper()) if known in self]
            remedy = f"these vectors know {len(self):,} words; ask for one of them"
            raise UnknownName("word", word, {*alike, *same}, remedy=remedy) from None

    def nearest(self, to: str | Tensor, count: int = 10) -> list[tuple[str, float]]:
        """The words of the largest cosine with a word, itself left out, or with a vector (D): words and cosines."""
        if isinstance(to, str):
            return self.ranked(self.directions[self.index_of(to)], count, [self.index_of(to)])
        if to.shape != (self.width,):
            raise ShapeError(f"a vector {tuple(to.shape)}", remedy=f"give one of {self.width} numbers")
        return self.ranked(F.normalize(to.float(), dim=0), count, [])

    def analogy(self, a: str, b: str, c: str, count: int = 1) -> list[tuple[str, float]]:
        """a is to b as c is to what: the words nearest to b - a + c, those three left out (3CosAdd)."""
        places = [self.index_of(word) for word in (a, b, c)]
        from_a, from_b, from_c = self.directions[places]
        return self.ranked(F.normalize(from_b - from_a + from_c, dim=0), count, places)

    def ranked(self, direction: Tensor, count: int, without: Sequence[int]) -> list[tuple[str, float]]:
        if count < 1:
            raise SeqloomError(f"{count} words were asked for", remedy="ask for 1 or more")
        cosine = self.directions @ direction
        cosine[without] = -torch.inf
        best = cosine.topk(min(count, len(self) - len(set(without))))
        return [(self.words[at], value) for at, value in zip(best.indices.tolist(), best.values.tolist())]

    def pca_2d(self) -> Tensor:
        """The words on the plane of their largest spread (`pca.pca_2d`): (V, 2)."""
        return pca_2d(self.matrix)

    def plot(
        self, path: Path | str, labels: Sequence[str] | None = None, *, words: Sequence[str] | None = None
    ) -> None:
        """Draw words on the plane of `pca_2d`, coloured by label: one label for each of the words drawn.

        The format is that of the file name: .png, .svg, .pdf.
        """
        drawn = self.words if words is None else tuple(words)
        if labels is not None and len(labels) != len(drawn):
            remedy = "give one label for each word that is drawn"
            raise SeqloomError(f"{len(labels)} labels for {len(drawn)} words", remedy=remedy)
        plane = self.pca_2d()[[self.index_of(word) for word in drawn]]
        from seqloom.vectors.plot import scatter_plot  # here, because it brings matplotlib

        with output_errors(Path(path)):
            scatter_plot(Path(path), drawn, plane.tolist(), labels)

    def for_tokenizer(self, tokenizer: Tokenizer, seed: int = 0) -> TokenVectors:
        """A vector for each token of a tokenizer, to initialise an embedding with.

        A token is looked up as it is written (a subword without the mark of its space), then in lower case. What has no
        vector is drawn from a normal distribution with the mean and deviation of the others; <pad> is zero.
        """
        generator = torch.Generator().manual_seed(seed)
        spread, middle = torch.std_mean(self.matrix, dim=0, correction=0)
        matrix = torch.randn(tokenizer.size, self.width, generator=generator) * spread + middle
        tokens = [token.removeprefix(SPACE) or token for token in tokenizer.vocabulary]
        as_written = {at: self.index[token] for at, token in enumerate(tokens) if token in self.index and at != PAD}
        lowered = {
            at: self.index[token.lower()]
            for at, token in enumerate(tokens)
            if at not in as_written and token.lower() in self.index and at != PAD
        }
        found = as_written | lowered
        matrix[list(found)] = self.matrix[list(found.values())]
        matrix[PAD] = 0.0
        seen = sum(tokenizer.frequency)
        covered = sum(tokenizer.frequency[at] for at in found) / max(seen, 1)
        return TokenVectors(matrix, len(found), len(lowered), tokenizer.size - len(found) - 1, covered)
