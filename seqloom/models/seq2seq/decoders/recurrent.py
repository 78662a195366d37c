"""Recurrent decoders: from a fixed context, or looking at the source in every step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import torch
from torch import Tensor

from seqloom.layers.attention import SoftAttention
from seqloom.layers.base import Symbols
from seqloom.layers.dropout import Dropout
from seqloom.layers.heads import Readout
from seqloom.layers.recurrent import Cell
from seqloom.layers.scores import score_called
from seqloom.layers.stacked import Stacked
from seqloom.models.composed import Draft
from seqloom.models.part import Part
from seqloom.models.registry import find
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.definitions.recurrent import Cells, Order, attentive, from_context
from seqloom.models.seq2seq.memory import Memory, Start, context_of
from seqloom.models.seq2seq.settings import Seq2SeqConfig


def cells_of(config: Seq2SeqConfig, width: int) -> list[Cell[Any]]:
    """The layers of the decoder, the lowest reading rows of this width."""
    make = find(config.decoder, "decoder").make
    assert make is not None
    return [make(a, b) for a, b in pairwise([width, *config.decoder_widths])]


class ContextDecoder(Decoder):
    """Starts from a fixed context; with `every_step` the context is in every gate and in the output too."""

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__()
        self.bridge, self.every_step = config.bridge, config.every_step
        beside = memory_width if self.every_step else 0
        cells = cells_of(config, config.embedding + beside)
        self.layers = Stacked(cells, config.dropout)
        self.first = Start(config.bridge, memory_width, cells)
        self.dropout = Dropout(config.dropout)
        written = config.embedding if self.every_step else 0
        self.output_size = config.decoder_widths[-1] + written + beside

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        return self.write(x, self.start(memory))[0]

    def start(self, memory: Memory) -> Any:
        return self.first(memory), context_of(memory, self.bridge)

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        y, state = self.write(x[:, None], state)
        return y[:, 0], state, ()

    def write(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Any number of words: x (B, T, D) -> (B, T, H)."""
        states, context = state
        if not self.every_step:
            y, states = self.layers(x, states)
            return self.dropout(y), (states, context)
        c = context[:, None].expand(-1, x.shape[1], -1)
        y, states = self.layers(torch.cat([x, c], -1), states)
        return self.dropout(torch.cat([y, x, c], -1)), (states, context)

    def draft(self) -> Draft:
        return from_context(self.layers.stack()[0].definition, len(self.layers.layers), every_step=self.every_step)

    def symbols(self) -> Symbols:
        return cell_symbols(self.layers)

    def begin(self, memory: Memory) -> dict[str, Tensor]:
        states, context = self.start(memory)
        return {**state_letters(self.draft(), states), **({"c": context} if self.every_step else {})}

    def bridge_part(self, memory: Memory) -> Part | None:
        return self.first.part(memory, cells_in(self.layers).states)


class AttentiveDecoder(Decoder):
    """Looks at the source in every step; a subclass says whether before or after its state is made."""

    order: ClassVar[Order]

    def __init__(self, config: Seq2SeqConfig, memory_width: int, fed: int, beside: int) -> None:
        super().__init__()
        top = config.decoder_widths[-1]
        cells = cells_of(config, config.embedding + fed)
        self.layers = Stacked(cells, config.dropout)
        self.first = Start("projected", memory_width, cells)
        self.attention = SoftAttention(score_called(config.score, top, memory_width, config.hidden))
        self.combine = Readout(top + memory_width + beside, top)
        self.dropout = Dropout(config.dropout)
        self.output_size = top

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        state, made = self.start(memory), []
        for word in x.unbind(1):
            parts, state, _ = self.advance(word, state)
            made.append(parts)
        return self.together(*(torch.stack(part, 1) for part in zip(*made, strict=True)))

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        parts, state, a = self.advance(x, state)
        return self.together(*parts), state, [a] if weights else ()

    def advance(self, x: Tensor, state: Any) -> tuple[tuple[Tensor, ...], Any, Tensor]:
        """One word more: x (B, D) -> what the output is made of, the state, and the attention (B, 1, S)."""
        raise NotImplementedError

    def together(self, *parts: Tensor) -> Tensor:
        """State, context, and what else there is: tanh([...] W + b)."""
        return torch.tanh(self.combine(self.dropout(torch.cat(parts, -1))))

    def draft(self) -> Draft:
        cell, score = self.layers.stack()[0].definition, self.attention.score.definition
        return attentive(cell, score, len(self.layers.layers), order=self.order)

    def symbols(self) -> Symbols:
        combined = self.combine.symbols()
        together = {"W_o": combined["W_hy"], "b_o": combined["b_y"]}
        return {**cell_symbols(self.layers), "attention": self.attention.symbols(), **together}

    def begin(self, memory: Memory) -> dict[str, Tensor]:
        states, fed, _ = self.start(memory)
        return {**state_letters(self.draft(), (*states, (fed,))), "H": memory.rows}

    def bridge_part(self, memory: Memory) -> Part | None:
        return self.first.part(memory, cells_in(self.layers).states)


class LookFirst(AttentiveDecoder):
    """Bahdanau: the state before looks, and the new state is made of the word and of what it saw."""

    order: ClassVar[Order] = "look-first"

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__(config, memory_width, fed=memory_width, beside=config.embedding)

    def start(self, memory: Memory) -> Any:
        states = self.first(memory)
        return states, states[-1][0], self.attention.prepare(memory.rows, memory.mask)

    def advance(self, x: Tensor, state: Any) -> tuple[tuple[Tensor, ...], Any, Tensor]:
        states, top, prepared = state
        c, a = self.attention.look(top[:, None], prepared)
        y, states = self.layers(torch.cat([x[:, None], c], -1), states)
        y, c = y[:, 0], c[:, 0]
        return (y, c, x), (states, y, prepared), a


class StateFirst(AttentiveDecoder):
    """Luong's order: the new hidden state first, then attention; the context goes into the next state."""

    order: ClassVar[Order] = "state-first"

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        self.fed = config.decoder_widths[-1] if config.input_feeding else memory_width
        super().__init__(config, memory_width, fed=self.fed, beside=0)

    def start(self, memory: Memory) -> Any:
        nothing = memory.rows.new_zeros(len(memory.rows), self.fed)
        return self.first(memory), nothing, self.attention.prepare(memory.rows, memory.mask)

    def advance(self, x: Tensor, state: Any) -> tuple[tuple[Tensor, ...], Any, Tensor]:
        states, fed, prepared = state
        y, states = self.layers(torch.cat([x, fed], -1)[:, None], states)
        c, a = self.attention.look(y, prepared)
        y, c = y[:, 0], c[:, 0]
        return (y, c), (states, c, prepared), a


class InputFeeding(StateFirst):
    """Luong: what was made of state and context goes into the next step, so outputs are made one by one."""

    order: ClassVar[Order] = "input-feeding"

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        state, rows = self.start(memory), []
        for word in x.unbind(1):
            row, state, _ = self.step(word, state, weights=False)
            rows.append(row)
        return torch.stack(rows, 1)

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        row, (states, _, prepared), attention = super().step(x, state, weights=weights)
        return row, (states, row, prepared), attention


def cells_in(layers: Stacked) -> Cells:
    return Cells(layers.stack()[0].definition, len(layers.stack()))


def cell_symbols(layers: Stacked) -> dict[str, Any]:
    """The weights of each layer, under the names that the definitions give them."""
    return {name: cell.symbols() for name, cell in zip(cells_in(layers).groups, layers.stack(), strict=True)}


def state_letters(draft: Draft, states: Iterable[Iterable[Tensor]]) -> dict[str, Tensor]:
    """The parts of all states under their letters, in order; what the definition does not take is left out."""
    names = (name for name in draft.inputs if name in draft.returns)
    return dict(zip(names, (part for state in states for part in state), strict=False))


def recurrent_decoder(config: Seq2SeqConfig, memory_width: int) -> Decoder:
    """Layers of any cell that is registered, with a fixed context or attention."""
    if config.bridge != "attention":
        return ContextDecoder(config, memory_width)
    if config.order == "look-first":
        return LookFirst(config, memory_width)
    return (InputFeeding if config.input_feeding else StateFirst)(config, memory_width)
