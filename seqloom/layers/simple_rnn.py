"""The simple recurrent network: with two matrices, with one, and without its tanh."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.equations import concat, equations, tanh
from seqloom.layers.base import layer
from seqloom.layers.recurrent import Cell, Gated, at_end, fused


@equations
def simple_rnn(x, h, *, W_xh, W_hh, b_h):
    """Simple recurrent network, two matrices.

    Paper: J. Elman, Finding structure in time, Cognitive Science 14, 1990.

    x     (D)     the embedding of the current token
    h     (H)     the hidden state
    W_xh  (D, H)  input weights
    W_hh  (H, H)  recurrent weights
    b_h   (H)     the bias
    """
    h = tanh(x @ W_xh + h @ W_hh + b_h)  # the new hidden state, each component between -1 and 1
    return h


@equations
def concat_rnn(x, h, *, A, b):
    """Simple recurrent network, one matrix for the hidden state and the token.

    Paper: J. Elman, Finding structure in time, Cognitive Science 14, 1990.

    x  (D)       the embedding of the current token
    h  (H)       the hidden state
    A  (H+D, H)  both weights in one matrix: W_hh above W_xh
    b  (H)       the bias
    """
    h = tanh(concat(h, x) @ A + b)  # the new hidden state, the same as with two matrices
    return h


@equations
def linear_rnn(x, h, *, W_xh, W_hh, b_h):
    """Simple recurrent network without tanh: it vanishes or explodes with the eigenvalues of W_hh.

    Paper: Y. Bengio, P. Simard, P. Frasconi, Learning long-term dependencies with gradient descent
    is difficult, IEEE Transactions on Neural Networks 5, 1994.

    x     (D)     the embedding of the current token
    h     (H)     the hidden state
    W_xh  (D, H)  input weights
    W_hh  (H, H)  recurrent weights
    b_h   (H)     the bias
    """
    h = x @ W_xh + h @ W_hh + b_h  # the new hidden state: nothing keeps it bounded
    return h


class RNNState(NamedTuple):
    """The hidden state h (B, H)."""

    h: Tensor


@layer(simple_rnn)
class SimpleRNN(Gated[RNNState]):
    """`simple_rnn` on torch's fused kernel."""

    state_type = RNNState
    gates = "h"

    def read(self, x: Tensor, state: RNNState, real: Tensor | None) -> tuple[Tensor, RNNState]:
        y, h = fused(torch.rnn_tanh, x, state.h[None], self.weight_x, self.recurrent_weight(), self.bias)
        return y, RNNState(h[0] if real is None else at_end(y, state.h, real))


@layer(concat_rnn)
class ConcatRNN(Cell[RNNState]):
    """`concat_rnn` on torch's fused kernel, which is handed the two halves of the one matrix A (H+D, H)."""

    state_type = RNNState

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size)
        self.A = nn.Parameter(torch.empty(hidden_size + input_size, hidden_size))
        self.b = nn.Parameter(torch.empty(hidden_size))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw the weights: Glorot for the inputs, orthogonal for the state."""
        nn.init.orthogonal_(self.A[: self.output_size])
        nn.init.xavier_uniform_(self.A[self.output_size :])
        nn.init.zeros_(self.b)

    def read(self, x: Tensor, state: RNNState, real: Tensor | None) -> tuple[Tensor, RNNState]:
        weight_h, weight_x = self.A.t().split([self.output_size, self.input_size], dim=1)
        y, h = fused(torch.rnn_tanh, x, state.h[None], weight_x, weight_h, self.b)
        return y, RNNState(h[0] if real is None else at_end(y, state.h, real))

    def symbols(self) -> dict[str, Tensor]:
        return {"A": self.A, "b": self.b}


@layer(linear_rnn)
class LinearRNN(Gated[RNNState]):
    """`linear_rnn`, for which no kernel is made: all tokens in one product, then a product a step."""

    state_type = RNNState
    gates = "h"

    def read(self, x: Tensor, state: RNNState, real: Tensor | None) -> tuple[Tensor, RNNState]:
        from_words = F.linear(x, self.weight_x, self.bias)
        W_hh = self.recurrent_weight().t()
        h, steps = state.h, []
        for t, from_word in enumerate(from_words.unbind(1)):
            new = torch.addmm(from_word, h, W_hh)
            h = new if real is None else torch.where(real[:, t], new, h)  # or it explodes in the padding
            steps.append(h)
        return torch.stack(steps, 1), RNNState(h)
