"""No encoder at all: embeddings as they are. With pooling, the bag of words."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqloom.layers.identity import identity
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.encoders.base import Encoder
from seqloom.models.registry import architecture


@architecture("words", "no encoder: a bag of words", kind="encoder", causal=True, adds_positions=True)
class BagOfWords(Encoder):
    """The embeddings themselves."""

    definition = identity

    def __init__(self, width: int) -> None:
        super().__init__()
        self.output_size = width

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        return x.masked_fill(~lengths_to_mask(lengths, x.shape[1])[..., None], 0.0)

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        return x, None
