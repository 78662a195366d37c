"""The convolution decoder: windows of what was written, and a look at the source in every layer."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.decoding.stepper import PerInput
from seqloom.equations import Part, append, equations, softmax, tail
from seqloom.layers.attention import SoftAttention, soft_attention
from seqloom.layers.base import Layer, Symbols
from seqloom.layers.convolution import CausalConvolution, convolution
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import embedding
from seqloom.layers.identity import Identity
from seqloom.layers.linear import Linear, linear
from seqloom.layers.masks import none_if_all_true
from seqloom.layers.norms import LayerNorm, layer_norm
from seqloom.layers.output_layers import readout
from seqloom.layers.positions import add_sinusoidal, positions_called
from seqloom.layers.scores import scaled_dot, score_called
from seqloom.models.encoders.transformer import even_if_sinusoidal
from seqloom.models.registry import architecture
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.seq2seq.source_encoder import Memory, SourceView

scaled_dot_attention = soft_attention.bind(score=scaled_dot)


@equations
def convolution_step(
    x,
    U,
    H,
    *,
    source=linear,
    norm=layer_norm,
    W,
    b,
    window,
    widen=linear,
    norm_q=layer_norm,
    norm_h=layer_norm,
    attention=scaled_dot_attention,
    W_c,
    b_c,
):
    """One layer of a convolution decoder, at the last position.

    Paper: J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017, with norms and
    without gates.

    x       (D)             the vector of the last token
    U       (steps, D)      the target so far, normalised
    H       (S, memory)     the hidden states of the encoder
    W       (window, D, H)  a matrix for each place in the window
    b       (H)             the bias
    W_c     (H, H)          from the context to the width of the layer
    b_c     (H)             its bias
    window  int             how many positions are seen at once
    """
    U = append(U, norm(x))  # the target so far, the last token below it
    X = tail(U, window)  # the last few positions: the window
    y = widen(x) + convolution(X, W=W, b=b)  # residual connection around the convolution
    M = norm_h(source(H))  # the source, normalised
    c = attention(norm_q(y), M)  # the context vector
    o = y + c @ W_c + b_c  # residual connection around the attention
    return o, U


@equations
def conv_seq2seq(
    y,
    i,
    U,
    H,
    *,
    embedding=embedding,
    position=add_sinusoidal,
    layers=(convolution_step,),
    norm=layer_norm,
    readout=readout,
):
    """Convolution to convolution: one step of the decoder.

    Paper: J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017.

    y  ()           index, the last token; <bos> at first
    i  ()           index, its position, counted from 0
    U  state        the target so far in each layer
    H  (S, memory)  the hidden states of the encoder
    """
    r = position(embedding(y), i)  # the embedding of the last token, with its position
    for l, layer in enumerate(layers):
        r, U[l] = layer(r, U[l], H)  # each layer sees a window of the one below, then the source
    o = norm(r)  # the output vector, normalised
    z = readout(o)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return U, p


class ConvolutionDecoderLayer(nn.Module):
    """A window over the target so far, then attention to the source; both with residual connections."""

    definition = convolution_step

    def __init__(self, config: Seq2SeqConfig, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = LayerNorm(width)
        self.convolution = CausalConvolution(width, hidden, config.window)
        self.ask, self.source = LayerNorm(hidden), LayerNorm(hidden)
        self.attention = SoftAttention(score_called(config.score, hidden, hidden, config.hidden))
        self.tell = Linear(hidden, hidden)
        self.widen: Layer = Linear(width, hidden) if width != hidden else Identity()
        self.dropout = Dropout(config.dropout)

    def prepare(self, rows: Tensor, mask: Tensor) -> Any:
        """What is attended to in every step: hidden states (B, S, H), mask (B, S)."""
        return self.attention.prepare(self.source(rows), none_if_all_true(mask))

    def forward(self, x: Tensor, before: Tensor, prepared: Any) -> tuple[Tensor, Tensor, Tensor]:
        """x (B, T, D) after the tokens before (B, W, D) -> (B, T, H), the tokens that the next ones still see, a."""
        seen = torch.cat([before, self.norm(x)], dim=1)
        y = self.widen(x) + self.dropout(self.convolution(seen)[:, before.shape[1] :])
        q, sources = self.ask(y), prepared.h.shape[0]
        together = q if q.shape[0] == sources else q.view(sources, -1, q.shape[2])  # W rows for each source, in a step
        c, a = self.attention.attend_to(together, prepared)
        c, a = c.view_as(q), a.view(q.shape[0], q.shape[1], -1)
        return y + self.dropout(self.tell(c)), seen[:, seen.shape[1] - before.shape[1] :], a

    def part(self, source: Part) -> Part:
        """What it computes in one step, with its weights; `source` is how it sees the source."""
        norms = {"norm": self.norm.part(), "norm_q": self.ask.part(), "norm_h": self.source.part()}
        parts = {"source": source, "widen": self.widen.part(), "attention": self.attention.part(), **norms}
        weights = {"W_c": self.tell.W, "b_c": self.tell.b, "window": self.convolution.kernel.shape[-1]}
        return Part(convolution_step, {**parts, **self.convolution.symbols(), **weights})


class ConvolutionDecoder(Decoder):
    """Convolutions on top of each other, each with its own attention to the source."""

    definition = conv_seq2seq

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__()
        widths = config.decoder_widths
        self.positions = positions_called(config.positions, config.places, config.embedding)
        self.layers = nn.ModuleList(
            ConvolutionDecoderLayer(config, a, b) for a, b in pairwise([config.embedding, *widths])
        )
        self.sources = nn.ModuleList(SourceView(config.bridge, memory_width, width) for width in widths)
        self.norm = LayerNorm(widths[-1])
        self.inputs, self.window = [config.embedding, *widths[:-1]], config.window
        self.output_size, self.limit = widths[-1], self.positions.limit

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        y, _, _ = self.write(x, self.start(memory))
        return y

    def start(self, memory: Memory) -> Any:
        nothing = [memory.hidden.new_zeros(memory.hidden.shape[0], self.window - 1, width) for width in self.inputs]
        pairs = zip(self.layers, self.sources, strict=True)
        prepared = [layer.prepare(*sight(memory)) for layer, sight in pairs]  # type: ignore[operator]
        return 0, nothing, PerInput(prepared)

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        y, state, attention = self.write(x[:, None], state)
        return y[:, 0], state, attention if weights else ()

    def write(self, x: Tensor, state: Any) -> tuple[Tensor, Any, list[Tensor]]:
        """Any number of tokens: x (B, T, D) -> (B, T, H)."""
        written, before, prepared = state
        length = x.shape[1]
        x = self.positions(x, written)
        kept, attention = [], []
        for layer, window, source in zip(self.layers, before, prepared.state, strict=True):
            x, window, a = layer(x, window, source)
            kept.append(window)
            attention.append(a)
        return self.norm(x), (written + length, kept, prepared), attention

    def symbols(self) -> Symbols:
        pairs = zip(self.layers, self.sources, strict=True)
        layers = [layer.part(source.part()) for layer, source in pairs]  # type: ignore[operator]
        return {"position": self.positions.part(), "layers": layers, "norm": self.norm.part()}

    def given(self, memory: Memory) -> dict[str, Any]:
        hidden = self.sources[0].hidden(memory)[0]  # type: ignore[operator]
        return {"U": [hidden.new_zeros(0, width) for width in self.inputs], "H": hidden}


@architecture(
    "cnn", "convolutions over windows of tokens", kind="decoder", check=even_if_sinusoidal,
    reads=["decoder_widths", "window", "score", "positions"],
)  # fmt: skip
def convolution_decoder(config: Seq2SeqConfig, memory_width: int) -> Decoder:
    return ConvolutionDecoder(config, memory_width)
