"""One choice of a completion while it is generated: stop sequences, the text that may be sent already, logprobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seqloom.tasks.generate.answers import GeneratedText
from seqloom.tasks.translate.answers import Translation

REPLACEMENT = "\ufffd"
"""How a character decodes before the last of its bytes is there."""


@dataclass
class CompletionChoice:
    """One choice of a completion."""

    index: int
    stop: Sequence[str]
    answer: Any = None
    text: str = ""
    sent: int = 0
    """Characters that were sent."""
    finish_reason: str | None = None
    """stop or length, once it is finished."""
    logprobs_sent: int = 0
    """Tokens whose log-probabilities were sent."""
    offset: int = 0
    """Where the next of them begins in the text."""
    finish_sent: bool = False
    """Whether a stream has sent the finish reason."""

    def update(self, answer: Any, whole: bool) -> None:
        """Take the answer so far; a stop sequence ends it."""
        if self.finish_reason:
            return
        self.answer, self.text = answer, continuation(answer)
        found = [index for word in self.stop if (index := self.text.find(word)) >= 0]
        if found:
            self.text, self.finish_reason = self.text[: min(found)], "stop"
        elif whole:
            self.finish_reason = "stop" if reached_end(answer) else "length"

    def new_text(self) -> str:
        """The text that can be sent: nothing that may still become a stop sequence, no half character."""
        ready = self.text
        if not self.finish_reason:
            ready = ready.rstrip(REPLACEMENT)
            withheld = max((overlap(ready, word) for word in self.stop), default=0)
            ready = ready[: len(ready) - withheld]
        fresh = ready[self.sent :]
        self.sent = max(self.sent, len(ready))
        return fresh

    def logprobs(self, count: int) -> dict[str, Any]:
        """Tokens that were not sent yet, their log-probabilities, and the most likely alternatives."""
        scores = self.answer.scores if isinstance(self.answer, GeneratedText) else self.answer.token_scores
        pieces = [piece.replace("▁", " ") for piece in self.answer.tokens]
        found: dict[str, Any] = {"tokens": [], "token_logprobs": [], "text_offset": []}
        first = self.logprobs_sent
        for piece, score in list(zip(pieces, scores, strict=False))[first:]:
            if self.offset >= max(self.sent, len(self.text) if self.finish_reason else 0):
                break  # it is in text that is held back, or behind a stop sequence
            found["tokens"].append(piece)
            found["token_logprobs"].append(score)
            found["text_offset"].append(self.offset)
            self.offset += len(piece)
            self.logprobs_sent += 1
        likeliest = self.answer.likeliest[first : self.logprobs_sent]
        top = [{token.replace("▁", " "): score for token, score in one.items()} for one in likeliest]
        return {**found, "top_logprobs": top if count else None}


def continuation(answer: GeneratedText | Translation) -> str:
    return answer.continuation if isinstance(answer, GeneratedText) else answer.text


def reached_end(answer: GeneratedText | Translation) -> bool:
    """Whether the model ended the text itself, with its end token; a language model never does."""
    return isinstance(answer, Translation) and len(answer.token_scores) != len(answer.tokens)


def overlap(text: str, word: str) -> int:
    """How many characters at the end of a text could be the beginning of a stop sequence.

    >>> overlap("to be, or", "order")
    2
    """
    return next((size for size in range(min(len(word) - 1, len(text)), 0, -1) if text.endswith(word[:size])), 0)
