"""Values that run over a whole vocabulary: shown for the few most probable tokens, never for eight thousand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch

from seqloom.equations.trace import Number, Trace
from seqloom.explaining.values import Value, part_of, value_of
from seqloom.models.stage import VocabularyAxis

BEST = 10
"""Tokens whose probabilities are shown."""
Names: TypeAlias = Sequence[list[str] | None]
FIRST = 3
"""Tokens of a step whose weights are shown, where the sentence has none of its own."""


@dataclass(frozen=True)
class ShownTokens:
    """The tokens of a vocabulary, or labels, that are shown in each step."""

    axis: VocabularyAxis
    used: Sequence[int]
    best: Sequence[Sequence[int]] = ()  # for each step, the most probable first

    @property
    def size(self) -> int:
        return len(self.axis.tokens)

    def axes(self, id: str, shape: tuple[int, ...]) -> list[int]:
        """The axes of a value that run over the vocabulary."""
        speaks_of_it = self.is_table(id) or id.split("/")[0].split(".")[0] in self.axis.lines
        return [axis for axis, length in enumerate(shape) if length == self.size] if speaks_of_it else []

    def is_table(self, id: str) -> bool:
        return id.rpartition("/")[2] in (self.axis.table, self.axis.table.lower())

    def value(self, step: int, id: str, number: Number, limit: int | None, words: Names) -> Value | None:
        """A value with an axis that runs over the vocabulary; None for any other. `words` stand along its axes."""
        tensor = torch.as_tensor(number).detach()
        axes = self.axes(id, tuple(tensor.shape))
        if not axes:
            return None
        if tensor.ndim == 2 and axes[-1] == 1 and len(self.best) == len(tensor) and words[0]:
            tensor = tensor[step]  # of all positions, the one that is looked at
        if tensor.ndim == 1 and self.best:
            chosen = list(self.best[step])
            value = value_of(tensor[chosen][:, None], [self.axis.tokens[token] for token in chosen])
            note = (
                f"the most probable {len(chosen)} of {self.size:,}"
                if len(chosen) < self.size
                else "most probable first"
            )
            return replace(value, of=(self.size,), note=note)
        axis = axes[0] if id.rpartition("/")[2] == self.axis.table else axes[-1]
        names: list[list[str] | None] = [None] * tensor.ndim
        names[axis] = [self.axis.tokens[token] for token in self.used]
        value = part_of(tensor.index_select(axis, torch.tensor(list(self.used), dtype=torch.int64)), names, limit)
        note = f"for {len(self.used)} of {self.size:,}" + (f"; {value.note}" if value.note else "")
        return replace(value, of=tuple(tensor.shape), note=note)


def shown_tokens(axis: VocabularyAxis, traces: Sequence[Trace]) -> ShownTokens:
    """The most probable tokens of each step; where the sentence has none, the first of them stand for its own."""
    if not axis.probabilities:
        return ShownTokens(axis, axis.used)
    count = min(BEST, len(axis.tokens))
    best = []
    for step, traced in enumerate(traces):
        p = torch.as_tensor(traced.values[axis.probabilities])
        best.append((p[step if len(traces) == len(p) else -1] if p.ndim > 1 else p).topk(count).indices.tolist())
    first = sorted({token for tokens in best for token in tokens[:FIRST]})
    return ShownTokens(axis, axis.used or first, best)
