"""A model small enough to search by hand: logits of the next token depend on the last one and on the source."""

from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.stepper import Step

PAD, UNK, BOS, EOS = range(4)


class Chain:
    """State: the number of the source, and how many tokens were written."""

    def __init__(self, vocab: int = 7, sources: int = 3, seed: int = 0, sharpness: float = 2.0) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.table = torch.randn(sources, 9, vocab, vocab, generator=generator, dtype=torch.double) * sharpness

    def start(self, sources: list[int]) -> Any:
        return torch.tensor(sources), torch.zeros(len(sources), dtype=torch.long)

    def step(self, tokens: Tensor, state: Any) -> Step:
        source, place = state
        logits = self.table[source, place.clamp(max=8), tokens]
        weights = torch.nn.functional.one_hot((place + source) % 5, 5).double()[:, None]
        return Step(logits, (source, place + 1), [weights])

    def select(self, state: Any, rows: Tensor, inputs: Tensor | None = None) -> Any:
        return tuple(part[rows] for part in state)

    def logp(self, source: int, tokens: list[int]) -> float:
        """The log-probability of a whole answer, its <eos> included if it is there."""
        total, before = 0.0, BOS
        for place, token in enumerate(tokens):
            total += float(torch.log_softmax(self.table[source, min(place, 8), before], -1)[token])
            before = token
        return total
