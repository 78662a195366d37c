"""The gated recurrent unit, with the reset before the product and after it."""

from typing import NamedTuple

import torch
from torch import Tensor

from seqloom.equations import equations, sigmoid, tanh
from seqloom.layers.base import layer
from seqloom.layers.gru_steps import gru_steps
from seqloom.layers.packed_weights import product
from seqloom.layers.recurrent import SATURATE, Gated, at_end, fused


@equations
def gru(x, h, *, W_xr, W_hr, b_r, W_xz, W_hz, b_z, W_xh, W_hh, b_h):
    """Gated recurrent unit, reset before the product.

    Paper: K. Cho et al., Learning phrase representations using RNN encoder-decoder for statistical
    machine translation, EMNLP 2014.

    x     (D)     the embedding of the current token
    h     (H)     the hidden state
    W_x*  (D, H)  input weights of a gate
    W_h*  (H, H)  recurrent weights of a gate
    b_*   (H)     the bias of a gate
    """
    r = sigmoid(x @ W_xr + h @ W_hr + b_r)  # the reset gate: how much of the old state the candidate sees
    z = sigmoid(x @ W_xz + h @ W_hz + b_z)  # the update gate: how much of the old state is kept
    h_tilde = tanh(x @ W_xh + (r * h) @ W_hh + b_h)  # the candidate state
    h = z * h + (1 - z) * h_tilde  # the new hidden state: between the old state and the candidate
    return h


@equations
def gru_reset_after(x, h, *, W_xr, W_hr, b_r, W_xz, W_hz, b_z, W_xh, W_hh, b_h):
    """Gated recurrent unit, reset after the product: the form of fused kernels.

    Paper: K. Cho et al., Learning phrase representations using RNN encoder-decoder for statistical
    machine translation, first version, 2014; the order of cuDNN, torch.nn.GRU and Keras, without the
    second bias that these have inside the reset.

    x     (D)     the embedding of the current token
    h     (H)     the hidden state
    W_x*  (D, H)  input weights of a gate
    W_h*  (H, H)  recurrent weights of a gate
    b_*   (H)     the bias of a gate
    """
    r = sigmoid(x @ W_xr + h @ W_hr + b_r)  # the reset gate: how much of the old state the candidate sees
    z = sigmoid(x @ W_xz + h @ W_hz + b_z)  # the update gate: how much of the old state is kept
    h_tilde = tanh(x @ W_xh + r * (h @ W_hh) + b_h)  # the candidate state: what the new one could be
    h = z * h + (1 - z) * h_tilde  # the new hidden state: between the old state and the candidate
    return h


class GRUState(NamedTuple):
    """The hidden state h (B, H)."""

    h: Tensor


@layer(gru)
class GRU(Gated[GRUState]):
    """`gru`, for which no kernel is made: all tokens in one product, then two products a step."""

    state_type = GRUState
    gates = "rzh"

    def read(self, x: Tensor, state: GRUState, real: Tensor | None) -> tuple[Tensor, GRUState]:
        H = self.output_size
        from_words = product(x, self.weight_x, self.bias)
        if real is not None:  # z = 1 at padding: the state stays, to the bit
            from_words = from_words.masked_fill(~real, SATURATE)
        W_hr_hz, W_hh = self.recurrent_weight().t().split([2 * H, H], dim=1)
        to_gates, to_state = from_words.split([2 * H, H], dim=2)
        h, steps = state.h, []
        for to_r_z, to_h in zip(to_gates.unbind(1), to_state.unbind(1)):
            r, z = torch.addmm(to_r_z, h, W_hr_hz).sigmoid().chunk(2, dim=1)
            h_tilde = torch.addmm(to_h, r * h, W_hh).tanh()
            h = z * h + (1 - z) * h_tilde
            steps.append(h)
        return torch.stack(steps, 1), GRUState(h)


@layer(gru_reset_after)
class GRUResetAfter(Gated[GRUState]):
    """`gru_reset_after` on torch's fused kernel, whose gates stand in the same order; trained on a CPU step by step."""

    state_type = GRUState
    gates = "rzh"

    def read(self, x: Tensor, state: GRUState, real: Tensor | None) -> tuple[Tensor, GRUState]:
        if x.shape[1] == 1 and real is None:  # a decoder's single step: the kernel for many would be slower
            r_z_x, h_x = product(x[:, 0], self.weight_x, self.bias).split([2 * self.output_size, self.output_size], 1)
            r_z_h, h_h = product(state.h, self.recurrent_weight()).split([2 * self.output_size, self.output_size], 1)
            r, z = torch.sigmoid(r_z_x + r_z_h).chunk(2, dim=1)
            new = torch.tanh(torch.addcmul(h_x, r, h_h))
            h = torch.lerp(new, state.h.to(new.dtype), z)  # z h + (1 - z) h_tilde
            return h[:, None], GRUState(h)
        if x.is_cpu and torch.is_grad_enabled() and self.weight_h.requires_grad:
            from_words = product(x.transpose(0, 1), self.weight_x, self.bias)
            y = gru_steps(from_words, state.h, self.recurrent_weight()).transpose(0, 1)
            return y, GRUState(y[:, -1] if real is None else at_end(y, state.h, real))
        y, h = fused(torch.gru, x, state.h[None], self.weight_x, self.recurrent_weight(), self.bias)
        return y, GRUState(h[0] if real is None else at_end(y, state.h, real))
