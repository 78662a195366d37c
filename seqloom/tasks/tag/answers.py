"""The answer of a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

from seqloom.evaluating.tagging import spans
from seqloom.tasks.notebook import ShownInNotebook


@dataclass(frozen=True)
class TaggedText(ShownInNotebook):
    """The words of a text, the tag of each, and how sure it is."""

    text: str
    words: Sequence[str]
    starts: Sequence[int]
    """Where in the text each word begins."""
    tags: Sequence[str]
    scores: Sequence[float]
    """The probability of each tag."""
    marks_spans: bool
    """Whether the tags are BIO."""

    def __str__(self) -> str:
        return " ".join(f"{word}/{tag}" for word, tag in zip(self.words, self.tags))

    def spans(self) -> list[dict[str, Any]]:
        """What BIO tags mark, each text[start:end] of a type."""
        found = []
        for kind, first, behind in spans(self.tags):
            start, end = self.starts[first], self.starts[behind - 1] + len(self.words[behind - 1])
            found.append({"type": kind, "text": self.text[start:end], "start": start, "end": end})
        return found

    def json(self) -> dict[str, Any]:
        found = {"text": self.text, "tokens": list(self.words), "tags": list(self.tags), "scores": list(self.scores)}
        return {**found, "spans": self.spans()} if self.marks_spans else found


class TaggedFrames(TaggedText):
    """The tag of each frame of a sequence, and how sure it is; frames are counted from 1."""

    def __str__(self) -> str:
        """Runs of frames with one tag: `1-4/up 5-9/down`."""
        runs = [(tag, len(list(run))) for tag, run in groupby(self.tags)]
        ends = list(accumulate(length for _, length in runs))
        return " ".join(f"{end - length + 1}-{end}/{tag}" for (tag, length), end in zip(runs, ends, strict=True))

    def spans(self) -> list[dict[str, Any]]:
        return [{"type": kind, "start": first + 1, "end": behind} for kind, first, behind in spans(self.tags)]

    def json(self) -> dict[str, Any]:
        found = {"text": self.text, "frames": len(self.tags), "tags": list(self.tags), "scores": list(self.scores)}
        return {**found, "spans": self.spans()} if self.marks_spans else found
