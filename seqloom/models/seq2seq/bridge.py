"""The bridge: how the encoder's hidden states become the initial state of a recurrent decoder."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Part, equations, tanh
from seqloom.layers.bidirectional import BidirectionalState
from seqloom.layers.linear import Linear
from seqloom.layers.pooling import mean_pooling
from seqloom.layers.recurrent import Cell
from seqloom.models.seq2seq.settings import Bridge
from seqloom.models.seq2seq.source_encoder import Memory, context_of
from seqloom.models.stage import Stage


@equations
def initial_state(c, *, W, b):
    """The initial state of a decoder, made of the context.

    Paper: K. Cho et al., Learning phrase representations using RNN encoder-decoder for statistical machine
    translation, EMNLP 2014.

    c  (K)     the context: the source as one vector
    W  (K, H)  from the context to the state
    b  (H)     the bias
    """
    s = tanh(c @ W + b)  # the state before the first token is written
    return s


class InitialState(nn.Module):
    """The initial state of a recurrent decoder's layers: a projection of the context, or the encoder's own state."""

    definition = initial_state

    def __init__(self, bridge: Bridge, width: int, cells: list[Cell[Any]]) -> None:
        super().__init__()
        self.bridge = bridge
        zeros = [cell.start(torch.zeros(1, 1, cell.input_size)) for cell in cells]
        self.kinds = [type(state) for state in zeros]
        self.sizes = sizes = [[part.shape[-1] for part in state] for state in zeros]
        made = [] if bridge == "last" else [nn.ModuleList(Linear(width, n) for n in parts) for parts in sizes]
        self.projections = nn.ModuleList(made)

    def forward(self, memory: Memory) -> tuple[Any, ...]:
        if self.bridge == "last":
            return tuple(self.handed_on(memory, number) for number in range(len(self.kinds)))
        context = context_of(memory, self.bridge)
        states = ([torch.tanh(project(context)) for project in layer] for layer in self.projections)  # type: ignore[attr-defined]
        return tuple(kind(*parts) for kind, parts in zip(self.kinds, states, strict=True))

    def handed_on(self, memory: Memory, layer: int) -> Any:
        """The state of the encoder's layer, of its top one if it has another number of layers; both ends in one.

        Where that is of another kind or width, its last hidden state for every part.
        """
        kind, states = self.kinds[layer], memory.states or ()
        if states:
            state = both_ends(states[layer if len(states) == len(self.kinds) else -1])
            if type(state) is kind and [part.shape[-1] for part in state] == self.sizes[layer]:
                return state
        return kind(*(memory.last for _ in kind._fields))

    def stages(self, memory: Memory) -> list[Stage]:
        """How the states of one source are made, as equations; none where they are handed on as they are."""
        if self.bridge == "last":
            return []
        given = {"c": context_of(memory, self.bridge)[0]}
        pooled = Stage("context", Part(mean_pooling), [{}], {"H": memory.hidden[0]})
        found = [pooled] if self.bridge == "all" else []
        for number, (kind, layer) in enumerate(zip(self.kinds, self.projections, strict=True), start=1):
            for letter, project in zip(kind._fields, layer, strict=True):  # type: ignore[call-overload]
                part = Part(initial_state, project.symbols())
                of_layer = f" of layer {number}" * (len(self.kinds) > 1)
                alone = len(self.sizes[0]) == len(self.kinds) == 1  # one state to make
                found.append(Stage("bridge" if alone else f"bridge, {letter}{of_layer}", part, [{}], given))
        return found


def both_ends(state: Any) -> Any:
    """The states of two readers of one kind as one, end to end; that of one reader as it is."""
    if not isinstance(state, BidirectionalState):
        return state
    pairs = zip(state.forward, state.backward, strict=True)
    joined: list[Tensor] = [torch.cat(pair, -1) for pair in pairs]
    return type(state.forward)(*joined)
