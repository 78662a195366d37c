"""What an encoder hands over, and what a decoder starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.layers.bidirectional import BidirectionalState
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import Embedding
from seqloom.layers.heads import Readout
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.positions import Sinusoidal
from seqloom.layers.recurrent import Cell
from seqloom.models.encoders import make_encoder
from seqloom.models.encoders.definitions import placed_word
from seqloom.models.part import Part
from seqloom.models.registry import find
from seqloom.models.seq2seq.definitions.bridge import bridge_with
from seqloom.models.seq2seq.settings import Bridge, Seq2SeqConfig


@dataclass(frozen=True)
class Memory:
    """A source that was read."""

    rows: Tensor  # (B, S, H)
    mask: Tensor  # (B, S) True for words
    last: Tensor  # (B, H) what the reader ended with
    states: Any = None  # of its layers, if it is recurrent


class Reader(nn.Module):
    """From numbers of source words to a memory."""

    def __init__(self, config: Seq2SeqConfig, words: Embedding) -> None:
        super().__init__()
        self.words = words
        self.dropout = Dropout(config.dropout)
        # others know places by their order, or bring their own
        self.places = Placed(config.embedding) if find(config.encoder, "encoder").adds_positions else nn.Identity()
        self.encoder = make_encoder(config.encoder_config(), config.embedding)

    def forward(self, w: Tensor, lengths: Tensor) -> Memory:
        """w (B, S), lengths (B)."""
        x = self.dropout(self.places(self.words(w)))
        rows, last, states = self.encoder.read(x, lengths)
        return Memory(rows, lengths_to_mask(lengths, w.shape[1]), last, states)

    def parts(self, w: Tensor) -> list[Part]:
        """What it computes as equations, with its weights, for one source w (1, S)."""
        x, placed = self.places(self.words(w)), []
        if isinstance(self.places, Placed):
            steps = [{"w": word, "p": torch.tensor(place)} for place, word in enumerate(w[0])]
            placed = [Part("words", placed_word, {"E": self.words.E, "D": x.shape[-1]}, steps)]
        return [*placed, *self.encoder.parts(x)]


class Placed(nn.Module):
    """Words that know where they stand: scaled up to the waves that are added."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.waves, self.scale = Sinusoidal(width), width**0.5

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        placed: Tensor = x * self.scale + self.waves(x.shape[1], start)
        return placed


def context_of(memory: Memory, bridge: Bridge) -> Tensor:
    """A source in one row (B, H): the last state, or the mean of all."""
    if bridge != "all":
        return memory.last
    counts = memory.mask.sum(1, keepdim=True).clamp_min(1)
    return memory.rows.masked_fill(~memory.mask[..., None], 0.0).sum(1) / counts


class Start(nn.Module):
    """The first state of a recurrent decoder's layers, made of a context: tanh(c V) for each part of each state."""

    def __init__(self, bridge: Bridge, width: int, cells: list[Cell[Any]]) -> None:
        super().__init__()
        self.bridge = bridge
        zeros = [cell.start(torch.zeros(1, 1, cell.input_size)) for cell in cells]
        self.kinds = [type(state) for state in zeros]
        self.sizes = sizes = [[part.shape[-1] for part in state] for state in zeros]
        made = [] if bridge == "last" else [nn.ModuleList(Readout(width, n) for n in parts) for parts in sizes]
        self.parts = nn.ModuleList(made)

    def forward(self, memory: Memory) -> tuple[Any, ...]:
        if self.bridge == "last":
            return tuple(self.handed_on(memory, number) for number in range(len(self.kinds)))
        context = context_of(memory, self.bridge)
        states = ([torch.tanh(make(context)) for make in parts] for parts in self.parts)  # type: ignore[attr-defined]
        return tuple(kind(*parts) for kind, parts in zip(self.kinds, states, strict=True))

    def handed_on(self, memory: Memory, layer: int) -> Any:
        """The state of the encoder's layer, of its top one if it has another number of layers; both ends in one.

        Where that is of another kind or width, its last row for every part.
        """
        kind, states = self.kinds[layer], memory.states or ()
        if states:
            state = both_ends(states[layer if len(states) == len(self.kinds) else -1])
            if type(state) is kind and [part.shape[-1] for part in state] == self.sizes[layer]:
                return state
        return kind(*(memory.last for _ in kind._fields))

    def part(self, memory: Memory, states: tuple[str, ...]) -> Part | None:
        """What it computes as equations, with the letters of the states it makes; None where they are handed on."""
        if self.bridge == "last":
            return None
        made = [make for make in self.parts.modules() if isinstance(make, Readout)]
        symbols: dict[str, Tensor] = {}
        for state, make in zip(states, made, strict=True):
            letter = state.replace("_", "")
            symbols |= {f"V_{letter}": make.W_hy, f"b_{letter}": make.b_y}
        of_all = self.bridge == "all"
        step = {"H": memory.rows[0]} if of_all else {"c": memory.last[0]}
        return Part("bridge", bridge_with(states, of_all=of_all), symbols, [step])


def both_ends(state: Any) -> Any:
    """The states of two readers of one kind as one, end to end; that of one reader as it is."""
    if not isinstance(state, BidirectionalState):
        return state
    return type(state.forward)(*(torch.cat(pair, -1) for pair in zip(state.forward, state.backward, strict=True)))
