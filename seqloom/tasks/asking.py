"""What a task is asked, and what it says while it works: the same for a call, a batch and a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class Answer(Protocol):
    """What a model says of one input."""

    def __str__(self) -> str:
        """As a line for a person."""
        ...

    def json(self) -> dict[str, Any]:
        """As an object with `text` and all that is known."""
        ...


@dataclass
class Asked:
    """One input that is to be answered."""

    input: Any
    key: str = ""
    """Decides what is drawn for it; nothing else does."""
    grows: bool = False
    """Whether its answer is told while it is written, too."""
    wanted: bool = True
    """Taken back by whoever does not wait any more: no further step is done for it."""


class Said(NamedTuple):
    """An answer to the input at a place; not `whole` while it still grows."""

    place: int
    answer: Answer
    whole: bool = True


def ask(inputs: Sequence[Any], seed: int) -> list[Asked]:
    """Inputs as they are asked together. Equal ones draw differently, and others as if they stood alone."""
    return [Asked(given, key=f"{seed} {number}") for given, number in zip(inputs, occurrences(inputs), strict=True)]


def occurrences(inputs: Iterable[Any]) -> Iterator[int]:
    """How often each input came before.

    >>> list(occurrences(["a", "b", "a"]))
    [0, 0, 1]
    """
    seen: Counter[str] = Counter()
    for given in inputs:
        name = given if isinstance(given, str) else ""
        yield seen[name]
        seen[name] += 1


def answers(steps: Iterable[Sequence[Said]], count: int) -> list[Any]:
    """All answers in order, once every step is done."""
    found = {said.place: said.answer for step in steps for said in step}
    return [found[place] for place in range(count)]
