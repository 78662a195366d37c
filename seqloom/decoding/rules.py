"""What an answer may not say next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from seqloom.decoding.answer import Node


@dataclass(frozen=True)
class Rules:
    """Tokens that are never written, and those that are not written yet or not again."""

    eos: int
    never: tuple[int, ...] = ()
    min_length: int = 0
    no_repeat: int = 0
    prefix: Sequence[int] = ()

    def apply(self, logp: Tensor, nodes: Sequence[Node | None]) -> Tensor:
        """logp (R, V) after each of these -> with -inf for what may not come."""
        place = nodes[0].length if nodes and nodes[0] is not None else 0  # all rows have written as much
        if place < len(self.prefix):
            forced = torch.full_like(logp, -torch.inf)
            wanted = self.prefix[place]
            forced[:, wanted] = logp[:, wanted]
            return forced
        logp = logp.clone()
        logp[:, list(self.never)] = -torch.inf
        if place < self.min_length:
            logp[:, self.eos] = -torch.inf
        if self.no_repeat:
            for row, node in enumerate(nodes):
                logp[row, self.repeats(node)] = -torch.inf
        logp[logp.amax(-1) == -torch.inf, self.eos] = 0.0  # where nothing may come, the answer ends
        return logp

    def repeats(self, node: Node | None) -> list[int]:
        """Tokens that would end a run of `no_repeat` tokens that was written before."""
        tokens = node.tokens() if node is not None else []
        n = self.no_repeat
        if len(tokens) < n:
            return []
        end = tokens[len(tokens) - n + 1 :]
        return [tokens[k + n - 1] for k in range(len(tokens) - n + 1) if tokens[k : k + n - 1] == end]
