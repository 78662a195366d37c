"""What a definition's docstring says: its title, its paper, and the shape and sense of each symbol.

    x     (D)     the word read in this step
    h, c  (H)     two symbols of one shape
    W_*   (D, H)  every weight whose name fits
    N     int     a size: a whole number, no weight
    s     state   the state of a part: as many tensors as that has

A shape is written in the letters of the project (below), words, numbers, and sums or products of
them: `(H+D, H)`. A description that begins with `bool` or `index` says what kind of number it is; before that,
`given` says of a weight that it is not learned: a statistic, or the source that a decoder copies from.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Literal

from seqloom.errors import ShapeError

LETTERS = {
    "B": "batch",
    "T": "time: queries, target",
    "S": "source time: keys",
    "D": "model width",
    "H": "recurrent width",
    "N": "heads",
    "K": "width of a head",
    "F": "feed-forward width",
    "V": "vocabulary",
    "L": "layers",
}
"""The one legend of shapes for the whole project."""

Kind = Literal["real", "bool", "index", "int", "state"]
ENTRY = re.compile(
    r"^\s*(?P<names>[\w*]+(?:, [\w*]+)*)\s+(?P<shape>\([^()]*\)|(?<=\s\s)int|(?<=\s\s)state)\s+(?P<sense>\S.*)$"
)


@dataclass(frozen=True)
class Entry:
    """One symbol: its shape as letters, what kind of numbers it holds, and what it means."""

    shape: tuple[str, ...]
    kind: Kind
    sense: str
    given: bool = False


@dataclass(frozen=True)
class Legend:
    """A docstring, read."""

    title: str
    paper: str
    patterns: tuple[tuple[str, Entry], ...]

    def __getitem__(self, name: str) -> Entry | None:
        """The entry of a symbol; the first pattern that fits."""
        return next((entry for pattern, entry in self.patterns if fnmatchcase(name, pattern)), None)


def read_legend(docstring: str | None) -> Legend:
    """Take a docstring apart."""
    paragraphs = [part.strip("\n") for part in inspect.cleandoc(docstring or "").split("\n\n")]
    patterns: list[tuple[str, Entry]] = []
    paper = ""
    for paragraph in paragraphs[1:]:
        if paragraph.startswith("Paper:"):
            paper = " ".join(paragraph.removeprefix("Paper:").split())
        for line in paragraph.split("\n"):
            if match := ENTRY.match(line):
                entry = read_entry(match["shape"], match["sense"])
                patterns += [(name.strip(), entry) for name in match["names"].split(",")]
    return Legend(" ".join(paragraphs[0].split()).rstrip("."), paper, tuple(patterns))


def read_entry(shape: str, sense: str) -> Entry:
    if shape in ("int", "state"):
        return Entry((), shape, sense)  # type: ignore[arg-type]
    given, sense = sense.startswith("given, "), sense.removeprefix("given, ")
    kind = next((kind for kind in ("bool", "index") if sense.startswith(f"{kind},")), "real")
    letters = tuple(part.strip() for part in shape.strip("()").split(",") if part.strip())
    return Entry(letters, kind, sense.removeprefix(f"{kind}, "), given)  # type: ignore[arg-type]


def size_of(expression: str, sizes: Mapping[str, int]) -> int:
    """The number an entry of a shape stands for.

    >>> size_of("H+D", {"H": 3, "D": 4})
    7
    """

    def value(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=letter) if letter in sizes:
                return sizes[letter]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return value(left) + value(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return value(left) * value(right)
        raise ShapeError(f"the size {ast.unparse(node)} is not known", remedy=f"known: {', '.join(sizes)}")

    return sizes[expression] if expression in sizes else value(parsed(expression))


@cache
def parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def letters_in(size: str) -> list[str]:
    """The letters and words of a size.

    >>> letters_in("H+2*D")
    ['H', 'D']
    """
    return re.findall(r"[A-Za-z_]\w*", size)


def bind(entry: Entry, shape: tuple[int, ...], sizes: dict[str, int], *, name: str) -> None:
    """Learn the sizes of letters from a real shape, or say where it disagrees.

    Further axes in front are fine: a definition of one row holds for every row of a matrix.
    """
    stated = entry.shape
    if len(shape) < len(stated):
        raise ShapeError(f"{name} has shape {shape}, its definition says ({', '.join(stated)})")
    for letter, size in zip(stated, shape[len(shape) - len(stated) :], strict=True):
        if letter.isidentifier() and letter not in sizes:
            sizes[letter] = size
            continue
        try:
            expected = size_of(letter, sizes)
        except ShapeError:
            continue  # a sum of letters, some of them not met yet
        if expected != size:
            raise ShapeError(
                f"{name} has shape {shape}, its definition says ({', '.join(stated)}) with {letter} = {expected}",
                remedy="give every symbol the sizes that its letters have elsewhere",
            )
