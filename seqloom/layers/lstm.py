"""Long short-term memory."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from seqloom.equations import equations, sigmoid, tanh
from seqloom.layers.base import layer
from seqloom.layers.packed_weights import product
from seqloom.layers.recurrent import SATURATE, Gated, at_end, fused


@equations
def lstm(x, h, c, *, W_i, U_i, b_i, W_f, U_f, b_f, W_g, U_g, b_g, W_o, U_o, b_o):
    """Long short-term memory.

    Paper: S. Hochreiter, J. Schmidhuber, Long short-term memory, Neural Computation 9, 1997; with the
    forget gate of F. Gers et al., 2000.

    x    (D)     the embedding of the current token
    h    (H)     the hidden state
    c    (H)     the cell state: the long-term memory
    W_*  (D, H)  input weights of a gate
    U_*  (H, H)  recurrent weights of a gate
    b_*  (H)     the bias of a gate
    """
    i = sigmoid(x @ W_i + h @ U_i + b_i)  # the input gate: how much of the candidate is written
    f = sigmoid(x @ W_f + h @ U_f + b_f)  # the forget gate: how much of the old cell state is kept
    g = tanh(x @ W_g + h @ U_g + b_g)  # the candidate for the cell state
    o = sigmoid(x @ W_o + h @ U_o + b_o)  # the output gate: how much of the cell state is shown
    c = f * c + i * g  # the new cell state: part of the old, part of the candidate
    h = o * tanh(c)  # the new hidden state, passed to the layer above
    return h, c


class LSTMState(NamedTuple):
    """The hidden state h and the cell state c, (B, H) each."""

    h: Tensor
    c: Tensor


@layer(lstm)
class LSTM(Gated[LSTMState]):
    """`lstm` on torch's fused kernel, which has the same order of gates: i, f, g, o."""

    state_type = LSTMState
    gates = "ifgo"
    symbol_names = ("W_{}", "U_{}", "b_{}")

    def reset_parameters(self) -> None:
        """As for every gated cell, with a forget bias of 1: a new cell forgets little (Gers et al., 2000)."""
        super().reset_parameters()
        nn.init.ones_(self.by_gate(self.bias)[1])

    def read(self, x: Tensor, state: LSTMState, real: Tensor | None) -> tuple[Tensor, LSTMState]:
        if real is None:
            return self.run(x, state, self.weight_x)
        # The kernel shows c after the last step only. One more input, 1 at padding, makes i = 0 and f = 1
        # there: c stays, to the bit. Packing instead costs up to ten times as much on a CPU.
        none = self.weight_x.new_zeros(self.output_size, 1)
        hold = torch.cat([none - SATURATE, none + SATURATE, none, none])
        x = torch.cat([x, ~real], dim=2)
        y, end = self.run(x, state, torch.cat([self.weight_x, hold], dim=1))
        return y, LSTMState(at_end(y, state.h, real), end.c)

    def run(self, x: Tensor, state: LSTMState, weight_x: Tensor) -> tuple[Tensor, LSTMState]:
        if x.shape[1] == 1:  # a decoder's single step: the kernel for many would first rearrange the weights
            gates = product(x[:, 0], weight_x, self.bias) + product(state.h, self.recurrent_weight())
            to_i, to_f, to_g, to_o = gates.chunk(4, dim=1)
            c = torch.sigmoid(to_f) * state.c + torch.sigmoid(to_i) * torch.tanh(to_g)
            h = torch.sigmoid(to_o) * torch.tanh(c)
            return h[:, None], LSTMState(h, c)
        start = (state.h[None], state.c[None])
        y, h, c = fused(torch.lstm, x, start, weight_x, self.recurrent_weight(), self.bias)
        return y, LSTMState(h[0], c[0])
