"""The simpler simple recurrent unit: a recurrence without a matrix, for fast decoders."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from seqloom.equations import equations, relu, sigmoid
from seqloom.layers.base import layer
from seqloom.layers.packed_weights import product
from seqloom.layers.recurrent import Cell


@equations
def ssru(x, c, *, W, W_f, b_f):
    """Simpler simple recurrent unit.

    Paper: Y. Kim et al., From research to production and back: ludicrously fast neural machine
    translation, WNGT 2019; after T. Lei et al., Simple recurrent units for highly parallelizable
    recurrence, EMNLP 2018.

    x    (D)     the embedding of the current token
    c    (H)     the cell state
    W    (D, H)  input weights of the cell state
    W_f  (D, H)  input weights of the forget gate
    b_f  (H)     the bias of the forget gate
    """
    f = sigmoid(x @ W_f + b_f)  # the forget gate: computed from the token alone
    c = f * c + (1 - f) * (x @ W)  # the new cell state: what is not kept comes from the token
    h = relu(c)  # the output, passed to the layer above
    return h, c


class SSRUState(NamedTuple):
    """The cell state c (B, H)."""

    c: Tensor


@layer(ssru)
class SSRU(Cell[SSRUState]):
    """`ssru`: all tokens in one product; each step is left with element-wise operations.

    weight (2*H, D) holds W above W_f; bias (H) is that of the forget gate.
    """

    state_type = SSRUState

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size)
        self.weight = nn.Parameter(torch.empty(2 * hidden_size, input_size))
        self.bias = nn.Parameter(torch.empty(hidden_size))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw the weights: Glorot, each matrix by itself."""
        for part in self.weight.chunk(2):
            nn.init.xavier_uniform_(part)
        nn.init.zeros_(self.bias)

    def read(self, x: Tensor, state: SSRUState, real: Tensor | None) -> tuple[Tensor, SSRUState]:
        from_word, to_f = product(x, self.weight).chunk(2, dim=2)
        f = torch.sigmoid(to_f + self.bias)
        if real is not None:  # f = 1 at padding: the state stays, to the bit
            f = f.masked_fill(~real, 1)
        new = (1 - f) * from_word
        c, steps = state.c, []
        for keep, add in zip(f.unbind(1), new.unbind(1)):
            c = torch.addcmul(add, keep, c)
            steps.append(c)
        return torch.relu(torch.stack(steps, 1)), SSRUState(c)

    def symbols(self) -> dict[str, Tensor]:
        W, W_f = (part.t() for part in self.weight.chunk(2))
        return {"W": W, "W_f": W_f, "b_f": self.bias}
