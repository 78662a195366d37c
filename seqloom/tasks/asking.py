"""What a task is asked, and what it says while it works: the same for a call, a batch and a server."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
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


class Keys:
    """What decides the draws for each input: a seed, the input itself, and how often it came before.

    So equal inputs draw differently, and each draws the same whatever others are asked beside it.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.seen: Counter[bytes] = Counter()

    def of(self, inputs: Iterable[Any]) -> list[str]:
        """The keys of the next inputs.

        >>> one, other, again = Keys(7).of(["a", "b", "a"])
        >>> len({one, other, again}), Keys(7).of(["b"]) == [other]
        (3, True)
        """
        return [self.next(given) for given in inputs]

    def next(self, given: Any) -> str:
        text = given if isinstance(given, str) else ""
        name = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self.seen[name] += 1
        return f"{self.seed} {name.hex()} {self.seen[name]}"


def answers(steps: Iterable[Sequence[Said]], count: int) -> list[Any]:
    """All answers in order, once every step is done."""
    found = {said.place: said.answer for step in steps for said in step}
    return [found[place] for place in range(count)]
