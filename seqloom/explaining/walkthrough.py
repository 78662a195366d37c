"""A trained model at work on a sentence: each of its parts explained, with the weights it learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from seqloom.equations.drawing.graph import Graph
from seqloom.errors import SeqloomError
from seqloom.explaining.explanation import Explanation, by_position
from seqloom.explaining.naming import Naming, naming, shape_of
from seqloom.explaining.overview import overview
from seqloom.explaining.shown_as_page import ShownAsPage
from seqloom.explaining.vocabulary_axis import shown_tokens
from seqloom.models.stage import Example, StageExample

LIMITS = (None, 64, 32, 16, 8, 4, 2)
NUMBERS = 150_000
"""About as many numbers are kept on a page; of wider vectors and matrices, the first entries."""


@dataclass(frozen=True, repr=False)
class Walkthrough(ShownAsPage):
    """Parts in the order of computation; the last one gives the answer, and is what a reader sees first."""

    title: str
    about: str
    parts: tuple[tuple[str, Explanation], ...]
    overview: Graph | None = None
    """How the parts hang together, where there are several."""
    picture: bytes = b""
    """What was read, if it is a picture: a PNG."""

    @property
    def name(self) -> str:
        return self.title

    @property
    def last(self) -> Explanation:
        return self.parts[-1][1]

    def __repr__(self) -> str:
        return f"<walkthrough of {self.about}: {self.title}>"


@dataclass(frozen=True)
class Beside(Naming):
    """With the names of the columns beside the text."""

    columns: list[str]

    def names(self, step: int, id: str, shape: tuple[int, ...]) -> list[list[str] | None]:
        return [self.columns] if id == "f" else super().names(step, id, shape)


def walkthrough(example: Example, about: str, wanted: Callable[[], bool] = lambda: True) -> Walkthrough:
    """Run every stage over its steps; between two of them it ends where nobody waits for it any more."""
    parts = []
    with torch.no_grad():
        for each in example.stages:
            check_wanted(wanted)
            parts.append((each.stage.name, explained(each)))
    sizes = ((limit, sum(part.size(limit) for _, part in parts)) for limit in LIMITS)
    limit = next((limit for limit, size in sizes if size <= NUMBERS), LIMITS[-1])
    held = tuple((name, replace(part, limit=limit)) for name, part in parts)
    made = [part.traces[-1].results for _, part in parts]
    whole = overview([each.stage for each in example.stages], made) if len(parts) > 1 else None
    return Walkthrough(example.title, about, held, whole, example.picture)


def check_wanted(wanted: Callable[[], bool]) -> None:
    if not wanted():
        raise SeqloomError("the client is gone", remedy="ask again")


def explained(example: StageExample) -> Explanation:
    traces, other = example.stage.traces(), example.other.traces(2)
    short, long = (traces, other) if example.longer else (other, traces[:2])
    stepwise = len(example.other.steps) > 1
    names = naming(short[0], long if stepwise else long[:1], example.words, example.fed)
    if example.columns:
        names = Beside(names.words, names.along, names.fed, names.growing, list(example.columns))
    per_position = any(
        axis.probabilities and shape_of(traces[0].values[axis.probabilities])[:-1] for axis in example.axes
    )
    traces = by_position(traces, example.labels, always=per_position)
    labels = tuple(example.labels) if len(example.labels) == len(traces) else ("",)
    tokens = tuple(shown_tokens(axis, traces) for axis in example.axes)
    return Explanation(example.stage.part.bound, example.words, tuple(traces), labels, names, tokens)
