"""Which words stand along the axes of a value: those of the sentence, or those of the steps so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seqloom.equations.trace import Number, Trace

Axes = Mapping[str, tuple[bool, ...]]
"""For each id, which axes of its value."""

NOTHING = "∅"
"""Stands at vectors of zeros in front of the first word."""


@dataclass(frozen=True)
class Naming:
    """The words, and the axes that run over them."""

    words: list[str]
    along: Axes  # the sentence
    fed: list[str]
    growing: Axes  # the steps so far

    def names(self, step: int, id: str, shape: tuple[int, ...]) -> list[list[str] | None]:
        """For each axis of a value its words, or None."""
        never = (False,) * len(shape)
        axes = (self.along.get(id, never), self.growing.get(id, never))
        along, growing = (each if len(each) == len(shape) else never for each in axes)  # of one position: a rank less
        return [
            self.words if along[axis] else self.so_far(step, id, size) if growing[axis] else None
            for axis, size in enumerate(shape)
        ]

    def newest(self, id: str, rank: int) -> list[int]:
        """The axes that run over the steps so far and have been shown up to the last one."""
        return [axis for axis, grows in enumerate(self.growing.get(id, ())[:rank]) if grows]

    def so_far(self, step: int, id: str, size: int) -> list[str]:
        read = min(step + (not id.endswith(".before")), size)
        return [NOTHING] * (size - read) + self.fed[:read]


def naming(first: Trace, longer: Sequence[Trace], words: list[str], fed: list[str]) -> Naming:
    """Found by trying: `longer` are the first steps, up to two of them, with one word more in the sentence."""
    growing = grown(longer[0], longer[1]) if len(longer) > 1 else {}
    return Naming(words, grown(first, longer[0]), fed, growing)


def grown(one: Trace, other: Trace) -> Axes:
    """Which axes are longer by one in the other trace."""
    found = {}
    for id, number in one.values.items():
        before, after = shape_of(number), shape_of(other.values.get(id, 0))
        axes = tuple(more == size + 1 for size, more in zip(before, after))
        if len(before) == len(after) and any(axes):
            found[id] = axes
    return found


def shape_of(number: Number) -> tuple[int, ...]:
    return tuple(getattr(number, "shape", ()))
