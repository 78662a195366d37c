"""All steps of a gated recurrent unit for training: the backward pass is written by hand.

Left to itself, autograd makes the gradient of the recurrent weights anew in every step and adds them up. Here each step
hands on the gradient of its state alone, and the weights get theirs at the end, in one product for all steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from seqloom.layers.trained_product import multiplied, pays, weight_gradient


class Gates(NamedTuple):
    """What the gates of all steps were, kept for the backward pass."""

    r_z: Tensor  # (T, B, 2H) the reset and the update gate
    h_tilde: Tensor  # (T, B, H) the candidate state
    h_h: Tensor  # (T, B, H) the product that is reset

    @classmethod
    def of_steps(cls, like: Tensor, T: int, B: int, H: int) -> Gates:
        return cls(like.new_empty(T, B, 2 * H), like.new_empty(T, B, H), like.new_empty(T, B, H))

    def advance(self, t: int, from_words: Tensor, from_state: Tensor, h: Tensor, new: Tensor) -> None:
        """One step: from_words, from_state (B, 3H) and h (B, H); the new state is written into `new` (B, H)."""
        H = h.shape[1]
        r_z = torch.add(from_words[:, : 2 * H], from_state[:, : 2 * H], out=self.r_z[t]).sigmoid_()
        h_h = self.h_h[t].copy_(from_state[:, 2 * H :])
        h_tilde = torch.addcmul(from_words[:, 2 * H :], r_z[:, :H], h_h, out=self.h_tilde[t]).tanh_()
        torch.lerp(h_tilde, h, r_z[:, H:], out=new)  # z h + (1 - z) h_tilde

    def back(self, t: int, d_new: Tensor, h: Tensor, d_words: Tensor, d_state: Tensor) -> Tensor:
        """The gradient of one step: that of its new state (B, H) -> what goes straight to the state before (B, H).

        d_words, d_state  (B, 3H)  written: the gradients of from_words and from_state
        """
        H = h.shape[1]
        h_tilde, (r, z) = self.h_tilde[t], self.r_z[t].chunk(2, 1)
        d_kept = d_new * z
        d_candidate = torch.ops.aten.tanh_backward(d_new - d_kept, h_tilde)
        d_words[:, 2 * H :] = d_candidate
        torch.mul(d_candidate, r, out=d_state[:, 2 * H :])
        d_words[:, :H] = torch.ops.aten.sigmoid_backward(d_candidate.mul_(self.h_h[t]), r)
        d_words[:, H : 2 * H] = torch.ops.aten.sigmoid_backward((h - h_tilde).mul_(d_new), z)
        d_state[:, : 2 * H] = d_words[:, : 2 * H]
        return d_kept


def gru_steps(from_words: Tensor, h: Tensor, weight_h: Tensor) -> Tensor:
    """The states of all steps.

    from_words  (T, B, 3H)  what the tokens say to the gates r, z and h, with their bias
    h           (B, H)      the state before the first
    weight_h    (3H, H)     the recurrent weights
    ->          (T, B, H)
    """
    half = torch.is_autocast_enabled("cpu")
    states: Tensor = GRUSteps.apply(from_words.float() if half else from_words, h.to(weight_h.dtype), weight_h, half)
    return states


class GRUSteps(torch.autograd.Function):
    """`gru_steps`; with `half`, products are computed with numbers of 16 bits."""

    @staticmethod
    def forward(ctx: Any, from_words: Tensor, h: Tensor, weight_h: Tensor, half: bool) -> Tensor:
        T, B, H = len(from_words), *h.shape
        gates, states = Gates.of_steps(h, T, B, H), h.new_empty(T + 1, B, H)
        states[0] = h
        weight = shortened(weight_h, half)
        with torch.autocast("cpu", enabled=False):
            for t in range(T):
                gates.advance(t, from_words[t], times(states[t], weight), states[t], states[t + 1])
        ctx.save_for_backward(states, weight_h, *gates)
        ctx.half = half
        return states[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        states, weight_h, *kept = ctx.saved_tensors
        gates, (T, B, H) = Gates(*kept), outer[0].shape
        d_words, d_state = (states.new_empty(T, B, 3 * H) for _ in range(2))
        weight = shortened(weight_h, ctx.half).T
        d_h = torch.zeros_like(states[0])
        for t in reversed(range(T)):
            kept_of = gates.back(t, outer[0][t] + d_h, states[t], d_words[t], d_state[t])
            d_h = kept_of + times(d_state[t], weight)
        d_weight = gradient_of_weight(d_state, states[:-1], ctx.half)
        return d_words, d_h, d_weight, None


def shortened(weight: Tensor, half: bool) -> Tensor:
    """A weight as all steps multiply by it: dense, with `half` in numbers of 16 bits."""
    return (weight.bfloat16() if half else weight).contiguous()


def times(x: Tensor, weight: Tensor) -> Tensor:
    """x (R, D), weight (F, D) -> x @ weight.T (R, F), in the type of x, multiplied in that of the weight."""
    if weight.dtype != x.dtype:
        return F.linear(x.to(weight.dtype), weight).to(x.dtype)
    return multiplied(x, weight) if pays(x, weight) else F.linear(x, weight)


def gradient_of_weight(d_out: Tensor, x: Tensor, half: bool) -> Tensor:
    """The gradient of a weight over all steps: d_out (T, B, F), x (T, B, D) -> (F, D)."""
    rows, inputs = d_out.flatten(0, 1), x.flatten(0, 1)
    if half:
        return (rows.bfloat16().T @ inputs.bfloat16()).to(x.dtype)
    return weight_gradient(rows, inputs) if pays(rows.T, inputs.T) else rows.T @ inputs
