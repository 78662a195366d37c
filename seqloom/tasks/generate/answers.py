"""The answers of a language model: a continuation, or a text whose blanks are filled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seqloom.errors import SeqloomError, quoted
from seqloom.tasks.notebook import ShownInNotebook

BLANK = re.compile(r"<mask>|_{3,}")


@dataclass(frozen=True)
class GeneratedText(ShownInNotebook):
    """A prompt (`seed`) and its continuation; for each new token its log-probability."""

    text: str
    seed: str
    continuation: str
    tokens: Sequence[str]
    scores: Sequence[float]
    likeliest: Sequence[dict[str, float]] = ()
    """For each new token what could have stood there, if that was asked for."""

    def __str__(self) -> str:
        return self.text

    def json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "seed": self.seed,
            "continuation": self.continuation,
            "tokens": list(self.tokens),
            "scores": list(self.scores),
            **({"likeliest": list(self.likeliest)} if self.likeliest else {}),
        }


@dataclass(frozen=True)
class FilledText:
    """A text with its blanks filled by the best tokens; for each blank, the probabilities of the best few."""

    text: str
    seed: str
    blanks: Sequence[dict[str, float]]

    def __str__(self) -> str:
        return self.text

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "seed": self.seed, "blanks": list(self.blanks)}


def between_blanks(text: str) -> list[str]:
    """The parts of a text around its blanks.

    >>> between_blanks("to be or ___ to <mask>")
    ['to be or ', ' to ', '']
    """
    parts = BLANK.split(text)
    if len(parts) == 1:
        raise SeqloomError(f"no blank in {quoted(text)}", remedy="write ___ or <mask> where a token is missing")
    return parts


def fill(text: str, words: Sequence[str]) -> str:
    """A text with a word in each of its blanks."""
    found = iter(words)
    return BLANK.sub(lambda blank: next(found), text)
