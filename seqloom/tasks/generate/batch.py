"""Segments of a text as a batch: tokens that are read, and tokens that are to be foretold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from seqloom.tasks.batching import tensors
from seqloom.tasks.generate.stream import Segments
from seqloom.tasks.generate.text import LongText, Tokens
from seqloom.tokens.settings import SPECIALS, UNK

NOTHING = -1
"""Where nothing is to be foretold."""

CHOSEN, HIDDEN, REPLACED = 0.15, 0.8, 0.1
"""The shares of BERT: tokens to be foretold; of these, hidden, and replaced by any other; the rest stay as they are."""

MASK = UNK
"""What stands where a token is hidden: it is not known."""


@dataclass(frozen=True)
class Batch:
    """Segments of a text side by side."""

    tokens: Tensor  # (B, T)
    lengths: Tensor  # (B)
    targets: Tensor  # (B, T), NOTHING where there is none

    def select(self, rows: Sequence[int]) -> Batch:
        chosen = list(rows)
        return Batch(self.tokens[chosen], self.lengths[chosen], self.targets[chosen])


def next_tokens(text: LongText, segments: Segments, device: torch.device) -> Batch:
    """Each token of the segments is foretold from those before it; the first from the one before the segment."""
    rows = [text.read(start - 1, stop) for start, stop in segments.tolist()]
    return batch_of([row[:-1] for row in rows], [row[1:] for row in rows], device)


def masked_tokens(
    text: LongText, segments: Segments, device: torch.device, vocab: int, generator: np.random.Generator
) -> Batch:
    """Some tokens of the segments are foretold from all the others."""
    rows = [mask(text.read(start, stop), vocab, generator) for start, stop in segments.tolist()]
    return batch_of([tokens for tokens, _ in rows], [targets for _, targets in rows], device)


def mask(tokens: Tokens, vocab: int, generator: np.random.Generator) -> tuple[Tokens, Tokens]:
    """Tokens with some of them hidden, and those that were chosen; what is unknown already is not."""
    chosen = (generator.random(len(tokens)) < CHOSEN) & (tokens != UNK)
    what = generator.random(len(tokens))
    others = generator.integers(len(SPECIALS), vocab, len(tokens))
    changed = np.where(what < HIDDEN, MASK, np.where(what < HIDDEN + REPLACED, others, tokens))
    return np.where(chosen, changed, tokens), np.where(chosen, tokens, NOTHING)


def batch_of(tokens: list[Tokens], targets: list[Tokens], device: torch.device) -> Batch:
    read, lengths = tensors(tokens, device)
    wanted, _ = tensors(targets, device)
    padding = torch.arange(read.shape[1], device=device) >= lengths[:, None]
    return Batch(read, lengths, wanted.masked_fill(padding, NOTHING))
