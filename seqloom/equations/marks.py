"""Mathematical notation as a tree of marks: what LaTeX, MathML and plain text are written from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mark:
    """Any piece of notation; `id` is the value it stands for, if it stands for one."""

    id: str = field(default="", kw_only=True, repr=False)


@dataclass(frozen=True)
class Letter(Mark):
    """One symbol's letter or word, with an accent."""

    text: str
    accent: str = ""


@dataclass(frozen=True)
class Numeral(Mark):
    """A number, as written."""

    text: str


@dataclass(frozen=True)
class Sign(Mark):
    """An operator between things: + − ⊙ = ≤."""

    text: str


@dataclass(frozen=True)
class FunctionName(Mark):
    """σ, tanh, softmax; with its own spelling in LaTeX; a part may have a number below its name."""

    text: str
    latex: str
    below: Mark | None = None


@dataclass(frozen=True)
class Row(Mark):
    """Things side by side."""

    parts: tuple[Mark, ...]


@dataclass(frozen=True)
class Below(Mark):
    """A subscript."""

    base: Mark
    below: Mark


@dataclass(frozen=True)
class Above(Mark):
    """A superscript; `T` for the transpose is a Sign."""

    base: Mark
    above: Mark


@dataclass(frozen=True)
class Fraction(Mark):
    top: Mark
    bottom: Mark


@dataclass(frozen=True)
class Root(Mark):
    inside: Mark


@dataclass(frozen=True)
class Fence(Mark):
    """Something between brackets."""

    left: str
    inside: Mark
    right: str


@dataclass(frozen=True)
class Sum(Mark):
    """∑ with what it runs over."""

    under: Mark
    over: Mark | None
    body: Mark


@dataclass(frozen=True)
class Column(Mark):
    """Rows of a matrix, one above the other."""

    rows: tuple[Mark, ...]


@dataclass(frozen=True)
class Cases(Mark):
    """A value here, another elsewhere: pairs of value and condition."""

    rows: tuple[tuple[Mark, Mark], ...]


@dataclass(frozen=True)
class Words(Mark):
    """A few words between formulas."""

    text: str


@dataclass(frozen=True)
class Formula:
    """One line: left = right, and for a family what its index runs over."""

    left: Mark
    right: Mark
    condition: Mark | None
    caption: str
    id: str
