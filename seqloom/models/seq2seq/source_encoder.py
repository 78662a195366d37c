"""What the encoder hands over, and how a decoder sees it."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Part, equations, tanh
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import Embedding, embedding
from seqloom.layers.identity import Identity
from seqloom.layers.linear import Linear
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.positions import PositionAdded, positioned, positions_called
from seqloom.models.encoders import make_encoder
from seqloom.models.encoders.base import stacked_layers
from seqloom.models.frame_projection import FrameProjection
from seqloom.models.registry import find
from seqloom.models.seq2seq.settings import Bridge, Seq2SeqConfig
from seqloom.models.stage import Stage


@equations
def source_encoder(w, *, embedding=embedding, positions=positioned, encoder=stacked_layers):
    """The encoder of a translator: from token ids, or frames, to hidden states.

    Paper: I. Sutskever, O. Vinyals, Q. Le, Sequence to sequence learning with neural networks, NeurIPS 2014.

    w  (S)  index, the token ids of the source; of sound or sensors, the frames
    """
    X = positions(embedding(w))  # the embedding of each token; with its position, where the encoder has no order
    H = encoder(X)  # the hidden states
    return H


@equations
def projected_context(H, *, W, b):
    """A fixed context in the width of the decoder.

    Paper: K. Cho et al., Learning phrase representations using RNN encoder-decoder for statistical machine
    translation, EMNLP 2014.

    H  (1, K)  the context as the only vector that can be attended to
    W  (K, D)  from the width of the encoder to that of the decoder
    b  (D)     the bias
    """
    M = tanh(H @ W + b)  # the context, projected
    return M


@dataclass(frozen=True)
class Memory:
    """A source that was encoded."""

    hidden: Tensor  # (B, S, H) the hidden states
    mask: Tensor  # (B, S) True for tokens
    last: Tensor  # (B, H) the hidden state that the encoder ended with
    states: Any = None  # of its layers, if it is recurrent


class SourceReader(nn.Module):
    """What a decoder writes from: it turns a text, a picture or anything else into a memory."""

    output_size: int
    """Width of the hidden states of the memory."""

    def forward(self, x: Tensor, lengths: Tensor) -> Memory:
        """x (B, S, ...), of which lengths (B) are real."""
        raise NotImplementedError

    def stage(self, x: Tensor) -> Stage:
        """What it computes for one source x (S, ...), as equations with its weights."""
        raise NotImplementedError

    def example(self, B: int, S: int) -> Tensor:
        """A batch of sources of this size: what `summary` runs."""
        raise NotImplementedError


class SourceEncoder(SourceReader):
    """From token ids of the source, or its frames, to a memory."""

    definition = source_encoder

    def __init__(self, config: Seq2SeqConfig, embedding: Embedding | FrameProjection) -> None:
        super().__init__()
        self.embedding = embedding
        self.dropout = Dropout(config.dropout)
        # others know positions by their order, or bring their own
        added = find(config.encoder, "encoder").adds_positions
        kinds = config.positions, config.length, config.embedding
        self.positions: Layer = positions_called(*kinds) if added else Identity()
        self.encoder = make_encoder(config.encoder_config(), config.embedding)
        self.output_size = self.encoder.output_size

    def forward(self, w: Tensor, lengths: Tensor) -> Memory:
        """w (B, S) token ids, or frames (B, S, F); lengths (B)."""
        x = self.dropout(self.positions(self.embedding(w)))
        hidden, last, states = self.encoder.read(x, lengths)
        return Memory(hidden, lengths_to_mask(lengths, w.shape[1]), last, states)

    def part(self, length: int) -> Part:
        """What it computes for sources of so many tokens, with its weights."""
        added = self.positions
        positions = added.sequence_part() if isinstance(added, PositionAdded) else added.part()
        parts = {"embedding": self.embedding.part(), "positions": positions, "encoder": self.encoder.part(length)}
        return Part(source_encoder, parts)

    def stage(self, w: Tensor) -> Stage:
        return Stage("encoder", self.part(len(w)), [{"w": w}])

    def example(self, B: int, S: int) -> Tensor:
        frames = isinstance(self.embedding, FrameProjection)
        return self.embedding.example(B, S) if frames else torch.zeros(B, S, dtype=torch.int64)  # type: ignore[operator]


def context_of(memory: Memory, bridge: Bridge) -> Tensor:
    """A source as one vector (B, H): the last hidden state, or the mean of all."""
    if bridge != "all":
        return memory.last
    counts = memory.mask.sum(1, keepdim=True).clamp_min(1)
    return memory.hidden.masked_fill(~memory.mask[..., None], 0.0).sum(1) / counts


@layer(projected_context)
class ProjectedContext(Layer):
    """A fixed context in the width of the decoder."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.project = Linear(width, size)

    def forward(self, h: Tensor) -> Tensor:
        """h (B, 1, K) -> (B, 1, D)."""
        return torch.tanh(self.project(h))

    def symbols(self) -> Symbols:
        return self.project.symbols()


class SourceView(nn.Module):
    """What a decoder without an initial state attends to: all hidden states, or a fixed context as the only one."""

    def __init__(self, bridge: Bridge, memory_width: int, width: int) -> None:
        super().__init__()
        self.bridge = bridge
        fixed = bridge in ("projected", "all") or (bridge == "last" and memory_width != width)
        self.project: Layer = ProjectedContext(memory_width, width) if fixed else Identity()
        if bridge == "attention" and memory_width != width:
            self.project = Linear(memory_width, width)

    def forward(self, memory: Memory) -> tuple[Tensor, Tensor]:
        """-> hidden states (B, S, D) in the width of the decoder, mask (B, S)."""
        mask = memory.mask if self.bridge == "attention" else torch.ones_like(memory.mask[:, :1])
        return self.project(self.hidden(memory)), mask

    def hidden(self, memory: Memory) -> Tensor:
        """What is handed over, in the width of the encoder: all hidden states, or the context alone (B, S, K)."""
        return memory.hidden if self.bridge == "attention" else context_of(memory, self.bridge)[:, None]

    def part(self) -> Part:
        return self.project.part()
