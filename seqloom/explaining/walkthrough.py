"""A trained model at work on a sentence: each of its parts explained, with the weights it learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from seqloom.explaining.dictionary import Dictionary
from seqloom.explaining.explanation import Explanation
from seqloom.explaining.naming import Naming, naming
from seqloom.models.part import Part

LIMITS = (None, 64, 32, 16, 8, 4, 2)
NUMBERS = 150_000
"""About as many numbers are kept on a page; of wider rows and matrices, the first entries."""


@dataclass(frozen=True, repr=False)
class Walkthrough:
    """Parts in the order of computation; the last one gives the answer, and is what a reader sees first."""

    title: str
    about: str
    parts: tuple[tuple[str, Explanation], ...]

    @property
    def name(self) -> str:
        return self.title

    @property
    def last(self) -> Explanation:
        return self.parts[-1][1]

    def __repr__(self) -> str:
        return f"<walkthrough of {self.about}: {self.title}>"

    def _repr_html_(self) -> str:
        from seqloom.explaining.page import frame, page

        return frame(page(self))


@dataclass(frozen=True)
class Told:
    """A part, the words around it, and the same part for a sentence that is longer or shorter by one word."""

    part: Part
    other: Part
    words: list[str]
    labels: list[str]  # of the steps
    fed: list[str]  # what goes into each step
    dictionary: Dictionary | None = None
    columns: Sequence[str] = ()  # beside the text: the names of what is called `f`
    longer: bool = True  # whether the other sentence is


@dataclass(frozen=True)
class Beside(Naming):
    """With the names of the columns beside the text."""

    columns: list[str]

    def names(self, step: int, id: str, shape: tuple[int, ...]) -> list[list[str] | None]:
        return [self.columns] if id == "f" else super().names(step, id, shape)


def walkthrough(title: str, about: str, told: Sequence[Told]) -> Walkthrough:
    """Run every part over its steps."""
    with torch.no_grad():
        parts = [(each.part.name, explained(each)) for each in told]
    sizes = ((limit, sum(part.size(limit) for _, part in parts)) for limit in LIMITS)
    limit = next((limit for limit, size in sizes if size <= NUMBERS), LIMITS[-1])
    return Walkthrough(title, about, tuple((name, replace(part, limit=limit)) for name, part in parts))


def explained(told: Told) -> Explanation:
    traces = told.part.traces()
    other = told.other.traces(2)
    short, long = (traces, other) if told.longer else (other, traces[:2])
    names = naming(short[0], long, told.words, told.fed)
    if told.columns:
        names = Beside(names.words, names.along, names.fed, names.growing, list(told.columns))
    labels = tuple(told.labels) if len(told.labels) == len(traces) else ("",)
    dictionary = told.dictionary
    if dictionary is not None and dictionary.shares:
        dictionary = dictionary.with_best(traces)
    return Explanation(told.part.definition, told.words, tuple(traces), labels, names, dictionary)
