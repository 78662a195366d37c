"""Segments of a text as a batch: the tokens that are read, and the targets to predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from seqloom.tasks.batching import TensorBatch, tensors
from seqloom.tasks.generate.long_text import LongText, Tokens
from seqloom.tasks.generate.stream import Segments
from seqloom.tokens.settings import SPECIALS, UNK

IGNORED = -1
"""The target where nothing is to be predicted."""

MASKED, REPLACED = 0.8, 0.1
"""As in BERT, of the tokens to be predicted: those masked, and those replaced by any other; the rest stay."""

MASK = UNK
"""What stands where a token is masked: the unknown token."""


@dataclass(frozen=True)
class LanguageModelBatch(TensorBatch):
    """Segments of a text side by side."""

    tokens: Tensor  # (B, T)
    lengths: Tensor  # (B)
    targets: Tensor  # (B, T), IGNORED where there is none


def next_tokens(text: LongText, segments: Segments, device: torch.device) -> LanguageModelBatch:
    """Each token of the segments is predicted from those before it; the first from the one before the segment."""
    rows = [text.read(start - 1, stop) for start, stop in segments.tolist()]
    return batch_of([row[:-1] for row in rows], [row[1:] for row in rows], device)


def masked_tokens(
    text: LongText, segments: Segments, device: torch.device, vocab: int, generator: np.random.Generator, rate: float
) -> LanguageModelBatch:
    """Some tokens of the segments, chosen at this rate, are predicted from all the others."""
    rows = [mask(text.read(start, stop), vocab, generator, rate) for start, stop in segments.tolist()]
    return batch_of([tokens for tokens, _ in rows], [targets for _, targets in rows], device)


def mask(tokens: Tokens, vocab: int, generator: np.random.Generator, rate: float) -> tuple[Tokens, Tokens]:
    """Tokens with a share of them masked, one at least, and the targets; unknown tokens are never chosen.

    Always as many of as many tokens: logits of another size in every step would leave memory in pieces.
    """
    known = np.flatnonzero(tokens != UNK)
    chosen = np.zeros(len(tokens), bool)
    chosen[generator.permutation(known)[: max(round(rate * len(tokens)), 1)]] = True
    what = generator.random(len(tokens))
    others = generator.integers(len(SPECIALS), vocab, len(tokens))
    changed = np.where(what < MASKED, MASK, np.where(what < MASKED + REPLACED, others, tokens))
    return np.where(chosen, changed, tokens), np.where(chosen, tokens, IGNORED)


def batch_of(tokens: list[Tokens], targets: list[Tokens], device: torch.device) -> LanguageModelBatch:
    read, lengths = tensors(tokens, device)
    wanted, _ = tensors(targets, device)
    padding = torch.arange(read.shape[1], device=device) >= lengths[:, None]
    return LanguageModelBatch(read, lengths, wanted.masked_fill(padding, IGNORED))
