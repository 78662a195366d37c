"""What a decoder writes from when it describes a picture: regions that convolutions make of the pixels."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Part, equations
from seqloom.layers.base import Layer, Symbols
from seqloom.layers.dropout import Dropout
from seqloom.layers.identity import identity
from seqloom.layers.picture_convolution import (
    PictureConvolution,
    RegionPositions,
    picture_convolution,
    region_positions,
)
from seqloom.models.encoders import make_encoder
from seqloom.models.picture_settings import PictureModelConfig
from seqloom.models.registry import architecture, built, find
from seqloom.models.seq2seq.source_encoder import Memory, SourceReader
from seqloom.models.stage import Stage


@equations
def convolutions(P, *, layers=(picture_convolution, picture_convolution)):
    """Convolutions over a picture, one on top of the other.

    Paper: Y. LeCun et al., Gradient-based learning applied to document recognition, Proceedings of the IEEE 1998.

    P  (height, width, D)  the picture: a vector for each place, in rows and columns
    """
    for layer in layers:
        P = layer(P)  # each layer sees a wider part of the picture, with fewer rows and columns
    G = P  # the grid of regions
    return G


@equations
def picture_encoder(P, *, reader=convolutions, positions=region_positions, encoder=identity):
    """The encoder of a picture: from pixels to a vector for each region.

    Paper: K. Xu et al., Show, attend and tell: neural image caption generation with visual attention, ICML 2015.

    P  (height, width, D)  the picture: a number from -1 (black) to 1 (white) for each colour of each pixel
    """
    G = reader(P)  # the picture as a grid of regions
    X = positions(G)  # each region with its row and its column, row by row
    H = encoder(X)  # the vectors that a decoder attends to
    return H


class PictureReader(Layer):
    """From pictures to grids of regions; `@architecture(..., kind="picture")` gives one a name."""

    rows: int
    columns: int
    """Of the grid."""

    def forward(self, x: Tensor) -> Tensor:
        """x (B, height, width, colours) -> (B, rows, columns, D)."""
        raise NotImplementedError


@architecture("convolutions", "convolutions, each of which halves the picture", kind="picture", reads=["filters"])
class Convolutions(PictureReader):
    """All layers but the first keep the strongest answer of each square of two by two."""

    definition = convolutions

    def __init__(self, config: PictureModelConfig, height: int, width: int, colours: int) -> None:
        super().__init__()
        sizes = [colours, *config.filters, config.embedding]
        pools = [1] + [2] * len(config.filters)  # fine strokes are seen before anything is left out
        window = config.picture_window
        self.layers = nn.ModuleList(
            PictureConvolution(a, b, window, pool) for (a, b), pool in zip(pairwise(sizes), pools, strict=True)
        )
        self.rows, self.columns = config.grid(height, width)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x

    def symbols(self) -> Symbols:
        return {"layers": [layer.part() for layer in self.layers]}  # type: ignore[operator]


class PictureEncoder(SourceReader):
    """From pictures to a memory: regions, their positions, and any encoder of sequences above them."""

    definition = picture_encoder

    def __init__(self, config: PictureModelConfig, height: int, width: int, colours: int) -> None:
        super().__init__()
        self.shape = (height, width, colours)
        found = find(config.pictures, "picture")
        self.reader: PictureReader = built(found, config=config, height=height, width=width, colours=colours)
        self.positions = RegionPositions(config.embedding, self.reader.rows, self.reader.columns)
        self.dropout = Dropout(config.dropout)
        self.encoder = make_encoder(config.encoder_config(), config.embedding)
        self.output_size = self.encoder.output_size

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of regions."""
        return self.reader.rows, self.reader.columns

    def forward(self, x: Tensor, lengths: Tensor) -> Memory:
        """x (B, height, width, colours) of bytes; all regions of a picture are real, whatever the lengths say."""
        regions = self.dropout(self.positions(self.reader(scaled(x, self.positions.R))))
        count = torch.full((regions.shape[0],), regions.shape[1], device=regions.device)
        hidden, _, states = self.encoder.read(regions, count)
        everywhere = torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device)
        return Memory(hidden, everywhere, hidden.mean(1), states)

    def part(self) -> Part:
        """What it computes, with its weights."""
        count = self.reader.rows * self.reader.columns
        parts: dict[str, Any] = {"reader": self.reader.part(), "positions": self.positions.part()}
        return Part(picture_encoder, {**parts, "encoder": self.encoder.part(count)})

    def stage(self, x: Tensor) -> Stage:
        return Stage("encoder", self.part(), [{"P": scaled(x, self.positions.R)}])

    def example(self, B: int, S: int) -> Tensor:
        return torch.zeros(B, *self.shape, dtype=torch.uint8)


def scaled(picture: Tensor, like: Tensor) -> Tensor:
    """Bytes as numbers from -1 to 1."""
    return picture.to(like.dtype) / 127.5 - 1
