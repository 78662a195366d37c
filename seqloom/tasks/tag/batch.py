"""Sentences side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from seqloom.data.padding import pad_sequences
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.tagger import Tagger
from seqloom.tasks.batching import TensorBatch, tensors
from seqloom.tasks.frame_inputs import frame_tensors
from seqloom.tasks.tag.examples import TagExample

IGNORED = -1
"""The tag of what has none: parts of a word but the first, padding."""


@dataclass(frozen=True)
class TagBatch(TensorBatch):
    """Token ids, spellings and tags of sentences, padded."""

    tokens: Tensor  # (B, T), or frames (B, T, F)
    lengths: Tensor  # (B)
    spelled: Tensor  # (B, T)
    spellings: Tensor  # (spellings, letters of a word)
    tags: Tensor  # (B, T)

    shared = frozenset({"spellings"})

    @classmethod
    def of(cls, rows: Sequence[TagExample], device: torch.device) -> TagBatch:
        read = [row.text for row in rows]
        tokens, lengths = (frame_tensors if np.ndim(read[0]) == 2 else tensors)(read, device)
        tags, _ = tensors([row.tags for row in rows], device)
        sizes, _ = pad_sequences([row.sizes for row in rows], tokens.shape[1])
        letters = np.zeros((*sizes.shape, max(int(sizes.max(initial=0)), 1)), np.int64)
        letters[np.arange(letters.shape[-1]) < sizes[..., None]] = np.concatenate([row.letters for row in rows])
        spellings, spelled = np.unique(letters.reshape(sizes.size, -1), axis=0, return_inverse=True)
        places = torch.from_numpy(spelled.reshape(sizes.shape)).to(device)
        return cls(tokens, lengths, places, torch.from_numpy(spellings).to(device), tags + IGNORED)

    def sums(self, model: Tagger) -> Tensor:
        """The sum of the hidden states of each sentence (B, H)."""
        hidden = model.hidden(self.tokens, self.lengths, self.spelled, self.spellings)
        padding = ~lengths_to_mask(self.lengths, hidden.shape[1])
        return hidden.masked_fill(padding[..., None], 0.0).sum(1)

    def logits(self, model: nn.Module) -> Tensor:
        """The logits of the tags at each position (B, T, V)."""
        return model(self.tokens, self.lengths, self.spelled, self.spellings)  # type: ignore[no-any-return]
