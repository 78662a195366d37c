"""Numbers that run over a whole dictionary: shown for the few best words, never for eight thousand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from seqloom.equations.trace import Number, Trace
from seqloom.explaining.values import Value, part_of, value_of

BEST = 10
"""Words whose shares are shown."""
FIRST = 3
"""Words of a step whose weights are shown, where the sentence has none of its own."""


@dataclass(frozen=True)
class Dictionary:
    """The words of a trained model, or its labels, and those that matter in each step."""

    entries: Sequence[str]
    used: Sequence[int]  # those of this sentence
    shares: str = "p"  # the value that says how likely each is; "" if there is none
    lines: tuple[str, ...] = ("z", "p")  # the lines of the definition that speak of all words
    table: str = "E"
    best: Sequence[Sequence[int]] = ()  # for each step, the likeliest first

    def with_best(self, traces: Sequence[Trace]) -> Dictionary:
        """The likeliest words of each step; where none are used, the first of them are."""
        count = min(BEST, len(self.entries))
        best = [torch.as_tensor(traced.values[self.shares]).topk(count).indices.tolist() for traced in traces]
        first = sorted({word for words in best for word in words[:FIRST]})
        return replace(self, best=best, used=self.used or first)

    def value(self, step: int, id: str, number: Number, limit: int | None) -> Value | None:
        """A value with an axis that runs over the dictionary; None for any other."""
        tensor = torch.as_tensor(number).detach()
        size = len(self.entries)
        axes = [axis for axis, length in enumerate(tensor.shape) if length == size]
        if not axes or (id != self.table and id.split("/")[0].split(".")[0] not in self.lines):
            return None
        if tensor.ndim == 1:
            chosen = list(self.best[step])
            value = value_of(tensor[chosen][:, None], [self.entries[word] for word in chosen])
            note = f"the likeliest {len(chosen)} of {size:,}" if len(chosen) < size else "the likeliest first"
            return replace(value, of=(size,), note=note)
        axis = axes[0] if id == self.table else axes[-1]
        names: list[list[str] | None] = [None] * tensor.ndim
        names[axis] = [self.entries[word] for word in self.used]
        value = part_of(tensor.index_select(axis, torch.tensor(list(self.used))), names, limit)
        note = f"for {len(self.used)} of {size:,}" + (f"; {value.note}" if value.note else "")
        return replace(value, of=tuple(tensor.shape), note=note)
