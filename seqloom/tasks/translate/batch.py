"""Source and target sentences as padded token ids, for teacher forcing."""

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
class TranslationBatch:
    """Sources, and for each position of their targets the token before it and the token to predict."""

    source: Tensor  # (B, S), or what else the model reads
    source_lengths: Tensor  # (B)
    decoder_input: Tensor  # (B, T) <bos> first
    labels: Tensor  # (B, T) <eos> last
    target_lengths: Tensor  # (B)

    @property
    def lengths(self) -> Tensor:
        return self.source_lengths + self.target_lengths

    @property
    def real(self) -> Tensor:
        """The padding mask of the targets (B, T): True where a token is to be predicted."""
        return lengths_to_mask(self.target_lengths, self.decoder_input.shape[1])

    def select(self, rows: Sequence[int]) -> TranslationBatch:
        chosen = list(rows)
        return TranslationBatch(
            self.source[chosen], self.source_lengths[chosen], self.decoder_input[chosen], self.labels[chosen],
            self.target_lengths[chosen],
        )  # fmt: skip


def translation_batch(
    source: Tensor, source_lengths: Tensor, targets: Sequence[Any], device: torch.device
) -> TranslationBatch:
    """From sources as they are read, and the token ids of targets without <bos> and <eos>."""
    decoder_input, _ = tensors([[BOS, *row] for row in targets], device)
    labels, target_lengths = tensors([[*row, EOS] for row in targets], device)
    return TranslationBatch(source, source_lengths, decoder_input, labels, target_lengths)
