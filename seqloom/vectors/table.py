"""Words and their rows: what is near, what fits an analogy, how it looks on a plane, what a tokenizer takes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from seqloom.errors import DataError, OutputError, SeqloomError, ShapeError, UnknownName
from seqloom.tokens.settings import PAD
from seqloom.tokens.tokenizer import Tokenizer

SPACE = "▁"
"""How a tokenizer shows the space before a part of a word."""


class TokenRows(NamedTuple):
    """A row for each entry of a tokenizer, and how many of them are known."""

    matrix: Tensor  # (V, D), float32; of <pad> zeros
    found: int  # entries that the table has
    lowered: int  # of these, only when written small
    drawn: int  # entries whose row was drawn, <pad> not among them
    covered: float  # share of the tokens seen in the tokenizer's training whose entry was found


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A row of numbers for each word.

    >>> vectors = WordVectors(("cat", "dog", "car"), torch.tensor([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]))
    >>> [word for word, likeness in vectors.nearest("cat", 2)]
    ['dog', 'car']
    """

    words: tuple[str, ...]
    matrix: Tensor  # (V, D), float32

    def __post_init__(self) -> None:
        shape = tuple(self.matrix.shape)
        if len(shape) != 2 or shape[0] != len(self.words) or 0 in shape or self.matrix.dtype != torch.float32:
            raise ShapeError(
                f"{len(self.words)} words and a matrix {shape} of {self.matrix.dtype}",
                remedy="give float32 rows (V, D), one for each word, and at least one",
            )
        if len(self.place) != len(self.words):
            twice = next(word for at, word in enumerate(self.words) if self.place[word] != at)
            raise DataError(f"the word {twice!r} has two rows", remedy="keep one row for each word")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.place

    def __getitem__(self, word: str) -> Tensor:
        """The row of a word: (D)."""
        return self.matrix[self.place_of(word)]

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self)} words, {self.width} wide>"

    @property
    def width(self) -> int:
        return self.matrix.shape[1]

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each word stands."""
        return {word: at for at, word in enumerate(self.words)}

    @cached_property
    def directions(self) -> Tensor:
        """The rows made 1 long, so that a product is a cosine: (V, D)."""
        return F.normalize(self.matrix, dim=1)

    def place_of(self, word: str) -> int:
        try:
            return self.place[word]
        except KeyError:
            alike = [known for known in self.words[:10_000] if known[:1].lower() == word[:1].lower()]
            same = [known for known in (word.lower(), word.capitalize(), word.upper()) if known in self]
            remedy = f"these vectors know {len(self):,} words; ask for one of them"
            raise UnknownName("word", word, {*alike, *same}, remedy=remedy) from None

    def nearest(self, to: str | Tensor, count: int = 10) -> list[tuple[str, float]]:
        """The words of the largest cosine with a word, itself left out, or with a row (D): words and cosines."""
        if isinstance(to, str):
            return self.ranked(self.directions[self.place_of(to)], count, [self.place_of(to)])
        if to.shape != (self.width,):
            raise ShapeError(f"a row {tuple(to.shape)}", remedy=f"give one of {self.width} numbers")
        return self.ranked(F.normalize(to.float(), dim=0), count, [])

    def analogy(self, a: str, b: str, c: str, count: int = 1) -> list[tuple[str, float]]:
        """a is to b as c is to what: the words nearest to b - a + c, those three left out (3CosAdd)."""
        places = [self.place_of(word) for word in (a, b, c)]
        from_a, from_b, from_c = self.directions[places]
        return self.ranked(F.normalize(from_b - from_a + from_c, dim=0), count, places)

    def ranked(self, direction: Tensor, count: int, without: Sequence[int]) -> list[tuple[str, float]]:
        if count < 1:
            raise SeqloomError(f"{count} words were asked for", remedy="ask for 1 or more")
        likeness = self.directions @ direction
        likeness[without] = -torch.inf
        best = likeness.topk(min(count, len(self) - len(set(without))))
        return [(self.words[at], value) for at, value in zip(best.indices.tolist(), best.values.tolist())]

    def to_two(self) -> Tensor:
        """The plane on which the rows differ most (PCA): (V, 2), largest spread first.

        The sign of an axis says nothing; it is chosen so that the word farthest out stands on the positive side.
        """
        centred = self.matrix.double() - self.matrix.double().mean(0)
        spread = centred.T @ centred if len(self) > self.width else None  # the small side of the two
        axes = torch.linalg.svd(centred if spread is None else spread, full_matrices=False).Vh[:2]
        plane = F.pad(centred @ axes.T, (0, 2 - len(axes)))
        farthest = plane.gather(0, plane.abs().argmax(0, keepdim=True))
        return (plane * torch.where(farthest < 0, -1.0, 1.0)).float()

    def plot(
        self, path: Path | str, labels: Sequence[str] | None = None, *, words: Sequence[str] | None = None
    ) -> None:
        """Draw words on the plane of `to_two`, coloured by label: one label for each of the words drawn.

        The kind of picture is told by the name's end: .png, .svg, .pdf.
        """
        drawn = self.words if words is None else tuple(words)
        if labels is not None and len(labels) != len(drawn):
            remedy = "give one label for each word that is drawn"
            raise SeqloomError(f"{len(labels)} labels for {len(drawn)} words", remedy=remedy)
        plane = self.to_two()[[self.place_of(word) for word in drawn]]
        from seqloom.vectors.picture import draw  # here, because it brings matplotlib

        try:
            draw(Path(path), drawn, plane.tolist(), labels)
        except OSError as error:
            remedy = "choose another place"
            raise OutputError(f"cannot write {path}: {error.strerror or error}", remedy=remedy) from error

    def for_tokenizer(self, tokenizer: Tokenizer, seed: int = 0) -> TokenRows:
        """A row for each entry of a tokenizer, to begin an embedding with.

        An entry is looked up as it is written (a part of a word without the mark of its space), then small. What the
        table does not have is drawn from a normal distribution as wide as the table's columns; <pad> is zero.
        """
        generator = torch.Generator().manual_seed(seed)
        spread, middle = torch.std_mean(self.matrix, dim=0, correction=0)
        matrix = torch.randn(tokenizer.size, self.width, generator=generator) * spread + middle
        entries = [entry.removeprefix(SPACE) or entry for entry in tokenizer.vocabulary]
        as_written = {at: self.place[entry] for at, entry in enumerate(entries) if entry in self.place and at != PAD}
        small = {
            at: self.place[entry.lower()]
            for at, entry in enumerate(entries)
            if at not in as_written and entry.lower() in self.place and at != PAD
        }
        found = as_written | small
        matrix[list(found)] = self.matrix[list(found.values())]
        matrix[PAD] = 0.0
        seen = sum(tokenizer.frequency)
        covered = sum(tokenizer.frequency[at] for at in found) / max(seen, 1)
        return TokenRows(matrix, len(found), len(small), tokenizer.size - len(found) - 1, covered)
