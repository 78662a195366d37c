"""The convolution decoder: windows of what was written, and a look at the source in every layer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.layers.attention import SoftAttention
from seqloom.layers.base import Symbols
from seqloom.layers.convolution import CausalConvolution
from seqloom.layers.dropout import Dropout
from seqloom.layers.heads import Readout
from seqloom.layers.norms import LayerNorm
from seqloom.layers.scores import score_called
from seqloom.models.composed import Draft
from seqloom.models.registry import architecture
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.definitions.convolution import convolutions
from seqloom.models.seq2seq.memory import Memory, Placed
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.seq2seq.sight import Sight
from seqloom.models.settings import even_embedding


class ConvolutionLayer(nn.Module):
    """A window of words before, then a look at the source; both are added to what was there."""

    def __init__(self, config: Seq2SeqConfig, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = LayerNorm(width)
        self.convolution = CausalConvolution(width, hidden, config.window)
        self.ask, self.source = LayerNorm(hidden), LayerNorm(hidden)
        self.attention = SoftAttention(score_called(config.score, hidden, hidden, config.hidden))
        self.tell = Readout(hidden, hidden)
        self.widen = Readout(width, hidden) if width != hidden else nn.Identity()
        self.dropout = Dropout(config.dropout)

    def prepare(self, rows: Tensor, mask: Tensor) -> Any:
        """What is looked at in every step: rows (B, S, H), mask (B, S)."""
        return self.attention.prepare(self.source(rows), mask)

    def forward(self, x: Tensor, before: Tensor, prepared: Any) -> tuple[Tensor, Tensor, Tensor]:
        """x (B, T, D) after the words before (B, W, D) -> (B, T, H), the words that the next ones still see, a."""
        seen = torch.cat([before, self.norm(x)], dim=1)
        y = self.widen(x) + self.dropout(self.convolution(seen)[:, before.shape[1] :])
        c, a = self.attention.look(self.ask(y), prepared)
        return y + self.dropout(self.tell(c)), seen[:, seen.shape[1] - before.shape[1] :], a

    @property
    def widened(self) -> bool:
        return isinstance(self.widen, Readout)

    def symbols(self) -> Symbols:
        widen = {"widen": self.widen.symbols()} if isinstance(self.widen, Readout) else {}
        norms = {"norm": self.norm.symbols(), "ask": self.ask.symbols(), "source": self.source.symbols()}
        looks: Symbols = {"attention": self.attention.symbols(), "W_c": self.tell.W_hy, "b_c": self.tell.b_y}
        return {**widen, **norms, **looks, **self.convolution.symbols(), "window": self.convolution.kernel.shape[-1]}


class ConvolutionDecoder(Decoder):
    """Convolutions on top of each other, each with its look at the source."""

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__()
        widths = config.decoder_widths
        self.places = Placed(config.embedding)
        self.layers = nn.ModuleList(ConvolutionLayer(config, a, b) for a, b in pairwise([config.embedding, *widths]))
        self.sights = nn.ModuleList(Sight(config.bridge, memory_width, width) for width in widths)
        self.norm = LayerNorm(widths[-1])
        self.inputs, self.window = [config.embedding, *widths[:-1]], config.window
        self.output_size = widths[-1]

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        y, _, _ = self.write(x, self.start(memory))
        return y

    def start(self, memory: Memory) -> Any:
        nothing = [memory.rows.new_zeros(len(memory.rows), self.window - 1, width) for width in self.inputs]
        pairs = zip(self.layers, self.sights, strict=True)
        prepared = [layer.prepare(*sight(memory)) for layer, sight in pairs]  # type: ignore[operator]
        return 0, nothing, prepared

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        y, state, attention = self.write(x[:, None], state)
        return y[:, 0], state, attention if weights else ()

    def write(self, x: Tensor, state: Any) -> tuple[Tensor, Any, list[Tensor]]:
        """Any number of words: x (B, T, D) -> (B, T, H)."""
        written, before, prepared = state
        length = x.shape[1]
        x = self.places(x, written)
        kept, attention = [], []
        for layer, window, source in zip(self.layers, before, prepared, strict=True):
            x, window, a = layer(x, window, source)
            kept.append(window)
            attention.append(a)
        return self.norm(x), (written + length, kept, prepared), attention

    def draft(self) -> Draft:
        layers = [layer for layer in self.layers if isinstance(layer, ConvolutionLayer)]
        views = tuple(sight.view for sight in self.sights if isinstance(sight, Sight))
        return convolutions(layers[0].attention.score.definition, tuple(layer.widened for layer in layers), views)

    def symbols(self) -> Symbols:
        found: dict[str, Any] = {"norm": self.norm.symbols(), "D": self.inputs[0]}
        for number, (layer, sight) in enumerate(zip(self.layers, self.sights, strict=True), start=1):
            found[f"layer_{number}"] = layer.symbols()  # type: ignore[operator]
            if projected := sight.symbols():  # type: ignore[operator]
                found[f"sight_{number}"] = projected
        return found

    def begin(self, memory: Memory) -> dict[str, Tensor]:
        _, nothing, _ = self.start(memory)
        states = {f"U_{number}": rows for number, rows in enumerate(nothing, start=1)}
        return {**states, "H": self.sights[0].rows(memory)}  # type: ignore[operator]


@architecture(
    "cnn", "convolutions over windows of words", kind="decoder", check=even_embedding,
    reads=["decoder_widths", "window", "score"],
)  # fmt: skip
def convolution(config: Seq2SeqConfig, memory_width: int) -> Decoder:
    return ConvolutionDecoder(config, memory_width)
