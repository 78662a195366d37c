"""The requests a task answers, and its replies: the same for a call, a batch and a server."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


class Answer(Protocol):
    """The answer of a model to one input."""

    def __str__(self) -> str:
        """As a line for a person."""
        ...

    def json(self) -> dict[str, Any]:
        """As an object with `text` and all that is known."""
        ...


@dataclass
class TaskRequest:
    """One input that is to be answered."""

    input: Any
    key: str = ""
    """The key of its random numbers: sampling for it depends on nothing else."""
    streaming: bool = False
    """Whether partial answers are wanted while it is generated."""
    wanted: bool = True
    """Set to False by a client that is gone: no further step is computed for it."""


class Reply(NamedTuple):
    """The answer to the request at an index; not `whole` while it is still being generated."""

    place: int
    answer: Answer
    whole: bool = True


class Keys:
    """The keys of random numbers: made of a seed, the input itself, and how often it came before.

    So equal inputs are sampled differently, and each is sampled the same whatever else is in its batch.
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


def answers(steps: Iterable[Sequence[Reply]], count: int) -> list[Any]:
    """All answers in order, once every step is done."""
    found = {reply.place: reply.answer for step in steps for reply in step}
    return [found[place] for place in range(count)]
