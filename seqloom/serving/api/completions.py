"""A completion while it grows: stop words, what may be sent already, and how it is told in OpenAI's form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seqloom.tasks.generate.answers import GeneratedText
from seqloom.tasks.translate.answers import Translation

UNFINISHED = "\ufffd"
"""What the bytes of a letter look like before the last one is there."""


@dataclass
class Choice:
    """One answer of a request."""

    index: int
    stop: Sequence[str]
    answer: Any = None
    text: str = ""
    sent: int = 0
    """Characters that went out already."""
    finished: str | None = None
    """stop or length, once it is."""
    told: int = 0
    """Tokens whose log-probabilities went out."""
    offset: int = 0
    """Where the next of them begins in the text."""
    reported: bool = False
    """Whether a stream told that it is finished."""

    def grow(self, answer: Any, whole: bool) -> None:
        """Take what is known now; a stop word ends it."""
        if self.finished:
            return
        self.answer, self.text = answer, continuation(answer)
        places = [place for word in self.stop if (place := self.text.find(word)) >= 0]
        if places:
            self.text, self.finished = self.text[: min(places)], "stop"
        elif whole:
            self.finished = "stop" if ended(answer) else "length"

    def news(self) -> str:
        """What can be sent: nothing that a stop word could still take back, nor half a letter."""
        ready = self.text
        if not self.finished:
            ready = ready.rstrip(UNFINISHED)
            held = max((overlap(ready, word) for word in self.stop), default=0)
            ready = ready[: len(ready) - held]
        fresh = ready[self.sent :]
        self.sent = max(self.sent, len(ready))
        return fresh

    def logprobs(self, count: int) -> dict[str, Any]:
        """Tokens of the text that were not told yet, what each was worth, and others in their place."""
        scores = self.answer.scores if isinstance(self.answer, GeneratedText) else self.answer.token_scores
        pieces = [piece.replace("▁", " ") for piece in self.answer.tokens]
        found: dict[str, Any] = {"tokens": [], "token_logprobs": [], "text_offset": []}
        first = self.told
        for piece, score in list(zip(pieces, scores, strict=False))[first:]:
            if self.offset >= max(self.sent, len(self.text) if self.finished else 0):
                break  # it stands in a part that is held back, or behind a stop word
            found["tokens"].append(piece)
            found["token_logprobs"].append(score)
            found["text_offset"].append(self.offset)
            self.offset += len(piece)
            self.told += 1
        likeliest = self.answer.likeliest[first : self.told]
        top = [{token.replace("▁", " "): score for token, score in one.items()} for one in likeliest]
        return {**found, "top_logprobs": top if count else None}


def continuation(answer: GeneratedText | Translation) -> str:
    return answer.continuation if isinstance(answer, GeneratedText) else answer.text


def ended(answer: GeneratedText | Translation) -> bool:
    """Whether the model came to an end by itself; a text that only goes on never does."""
    return isinstance(answer, Translation) and len(answer.token_scores) != len(answer.tokens)


def overlap(text: str, word: str) -> int:
    """How many letters at the end of a text could be the beginning of a word.

    >>> overlap("to be, or", "order")
    2
    """
    return next((size for size in range(min(len(word) - 1, len(text)), 0, -1) if text.endswith(word[:size])), 0)
