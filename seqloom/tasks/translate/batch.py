"""Pairs side by side, as a model that writes reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from seqloom.layers.masks import lengths_to_mask
from seqloom.tasks.batching import tensors
from seqloom.tokens.settings import BOS, EOS


@dataclass(frozen=True)
class Pairs:
    """Sources, and for each place of their targets the word before it and the word to predict."""

    source: Tensor  # (B, S)
    source_lengths: Tensor  # (B)
    written: Tensor  # (B, T) <bos> first
    following: Tensor  # (B, T) <eos> last
    target_lengths: Tensor  # (B)

    @property
    def lengths(self) -> Tensor:
        return self.source_lengths + self.target_lengths

    @property
    def real(self) -> Tensor:
        """Where a word is to be predicted (B, T)."""
        return lengths_to_mask(self.target_lengths, self.written.shape[1])

    def select(self, rows: Sequence[int]) -> Pairs:
        chosen = list(rows)
        return Pairs(
            self.source[chosen], self.source_lengths[chosen], self.written[chosen], self.following[chosen],
            self.target_lengths[chosen],
        )  # fmt: skip


def pairs(sources: Sequence[Any], targets: Sequence[Any], device: torch.device) -> Pairs:
    """From rows of token numbers, without <bos> and <eos>."""
    source, source_lengths = tensors([[*row, EOS] for row in sources], device)
    written, _ = tensors([[BOS, *row] for row in targets], device)
    following, target_lengths = tensors([[*row, EOS] for row in targets], device)
    return Pairs(source, source_lengths, written, following, target_lengths)
