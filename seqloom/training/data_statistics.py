"""What the rules of `defaults.py` need to know of training data: how much there is, how long, in which letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from seqloom.data.record import Record, Value
from seqloom.data.survey.scripts import script_of
from seqloom.tokens.pretokenization import word_pattern

MOST = 200_000
"""Examples that are counted: whoever has more gets the settings for many."""
LOOKED_AT = 5_000
"""Of them, those whose words are looked at."""
WORDS_OF_LABELS = ("label", "labels", "tags")
INPUTS = ("text", "tokens", "source", "frames")


@dataclass(frozen=True)
class TextStatistics:
    """A column of texts; words are counted as `tokens.kind=word` cuts them."""

    words: float = 0.0
    """Of an example, in the mean."""
    longest: int = 0
    """Words of all examples but the longest hundredth."""
    letters: float = 0.0
    """Characters of an example, in the mean, spaces among them."""
    vocabulary: int = 0
    """Different words of the examples that were looked at."""
    between_spaces: int = 0
    """Different things between spaces in them."""
    script: str = ""


@dataclass(frozen=True)
class DataStatistics:
    """The training data of a run."""

    examples: int
    """At most `MOST`."""
    labels: int = 0
    """Different labels or tags; 0 where there are none."""
    input: TextStatistics = field(default_factory=TextStatistics)
    target: TextStatistics = field(default_factory=TextStatistics)
    """What a translator writes."""
    frames: bool = False
    """Whether it reads vectors instead of text."""
    repeated_inputs: float = 0.0
    """Share of the examples looked at whose input stands there before with another answer."""

    @property
    def words(self) -> float:
        """Of all examples together, about."""
        return self.examples * self.input.words

    @property
    def letters(self) -> float:
        return self.examples * self.input.letters


def measure(records: Iterable[Record]) -> DataStatistics:
    """Read training data once, up to a bound."""
    labels: set[str] = set()
    seen: list[Record] = []
    examples = 0
    for record in islice(records, MOST):
        examples += 1
        for name in WORDS_OF_LABELS:
            labels.update(labels_in(record.columns.get(name)))
        if len(seen) < LOOKED_AT:
            seen.append(record)
    columns = {name: [record.columns.get(name) for record in seen] for name in (*INPUTS, "target")}
    given = next((columns[name] for name in INPUTS if any(value is not None for value in columns[name])), [])
    return DataStatistics(
        examples,
        len(labels),
        text_statistics(given),
        text_statistics(columns["target"]),
        frames=any(isinstance(value, np.ndarray) for value in columns["frames"]),
        repeated_inputs=repeated(columns["source"], columns["target"]),
    )


def labels_in(value: Value) -> Iterable[str]:
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, str) else []


def text_statistics(values: Sequence[Any]) -> TextStatistics:
    """Of texts, or of sentences that are split into words; frames have lengths alone."""
    lengths, letters = [], []
    vocabulary: set[str] = set()
    parts: set[str] = set()
    scripts = ""
    for value in values:
        if isinstance(value, np.ndarray):
            lengths.append(len(value))
        elif isinstance(value, str | list):
            text = value if isinstance(value, str) else " ".join(value)
            words = word_pattern().findall(text) if isinstance(value, str) else value
            lengths.append(len(words))
            letters.append(len(text) + 1)
            vocabulary.update(words)
            parts.update(text.split())
            if len(scripts) < LOOKED_AT:
                scripts += text
    if not lengths:
        return TextStatistics()
    return TextStatistics(
        float(np.mean(lengths)),
        int(np.ceil(np.percentile(lengths, 99))),
        float(np.mean(letters)) if letters else 0.0,
        len(vocabulary),
        len(parts),
        script_of(scripts),
    )


def repeated(sources: Sequence[Any], targets: Sequence[Any]) -> float:
    """Share of the pairs whose source stands there before, with another target."""
    first: dict[str, Any] = {}
    again = 0
    for source, target in zip(sources, targets):
        if isinstance(source, str) and first.setdefault(source, target) != target:
            again += 1
    return again / max(len(sources), 1)
