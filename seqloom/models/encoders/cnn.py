"""The convolution encoder: each layer sees a window, a stack of them a wider one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.layers.base import Symbols
from seqloom.layers.convolution import CausalConvolution, Convolution
from seqloom.layers.dropout import Dropout
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.encoders.base import Encoder, stacked_layers
from seqloom.models.registry import architecture
from seqloom.models.settings import ModelConfig


class ConvolutionEncoder(Encoder):
    """Convolutions on top of each other, with a residual connection where the widths agree."""

    definition = stacked_layers

    def __init__(self, config: ModelConfig, width: int, causal: bool) -> None:
        super().__init__()
        kind = CausalConvolution if causal else Convolution
        sizes = [width, *config.widths]
        self.layers = nn.ModuleList(kind(a, b, config.window) for a, b in pairwise(sizes))
        self.dropout = Dropout(config.dropout)
        self.output_size = sizes[-1]
        self.seen = (config.window - 1) * len(config.widths)  # tokens that the newest hidden state still depends on

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        return self.convolve(x, lengths_to_mask(lengths, x.shape[1]))

    def convolve(self, x: Tensor, mask: Tensor | None) -> Tensor:
        for number, layer in enumerate(self.layers):
            y = layer(self.dropout(x) if number else x, mask)  # embeddings have had theirs
            x = x + y if x.shape == y.shape else y
        return x if mask is None else x.masked_fill(~mask[..., None], 0.0)

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        words = x if state is None else torch.cat([state, x], dim=1)
        return self.convolve(words, None)[:, -x.shape[1] :], words[:, -self.seen - 1 :] if self.seen else words[:, -1:]

    def symbols(self, length: int) -> Symbols:
        found = []
        for layer in self.layers:
            assert isinstance(layer, Convolution)
            outputs, inputs, _ = layer.kernel.shape
            found.append(layer.sequence_part(residual=inputs == outputs))
        return {"layers": found}


@architecture(
    "cnn", "convolutions over windows of tokens", kind="encoder", reads=["widths", "window"], adds_positions=True
)
def cnn(config: ModelConfig, width: int, causal: bool) -> Encoder:
    return ConvolutionEncoder(config, width, causal)
