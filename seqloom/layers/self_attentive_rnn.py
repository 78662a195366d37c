"""A recurrent network whose state attends to all states before it."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from seqloom.equations import append, concat, equations, softmax, tanh
from seqloom.errors import ShapeError
from seqloom.layers.base import layer
from seqloom.layers.recurrent import Cell


@equations
def self_attentive_rnn(x, c, H, *, A, b):
    """Self-attentive recurrent network.

    Paper: J. Cheng, L. Dong, M. Lapata, Long short-term memory-networks for machine reading, EMNLP 2016.

    x  (D)         the token read in this step
    c  (H)         the context of the step before
    H  (steps, H)  the hidden states so far, one for each position
    A  (D+H, H)    from the token and the context to the new state
    b  (H)         the bias
    """
    h = tanh(concat(x, c) @ A + b)  # the new state: the token, and the context
    H = append(H, h)  # all states so far, this one among them
    alpha = softmax(h @ H.T)  # how much the new state is like each of them
    c = sum(alpha_i * h_i for alpha_i, h_i in zip(alpha, H))  # what they say together
    return h, c, H


class SelfAttentiveState(NamedTuple):
    """The last context, and all states that can be attended to.

    c     (B, H)         the last context
    H     (B, steps, H)  the states so far; zeros where nothing was seen
    seen  (B, steps)     bool, True for the state at a token, False for one at padding
    """

    c: Tensor
    H: Tensor
    seen: Tensor


@layer(self_attentive_rnn)
class SelfAttentiveRNN(Cell[SelfAttentiveState]):
    """`self_attentive_rnn`: all tokens in one product, then `LookBack` step by step."""

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size)
        self.A = nn.Parameter(torch.empty(input_size + hidden_size, hidden_size))
        self.b = nn.Parameter(torch.empty(hidden_size))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw the weights: Glorot for the input, orthogonal for the context."""
        nn.init.xavier_uniform_(self.A[: self.input_size])
        nn.init.orthogonal_(self.A[self.input_size :])
        nn.init.zeros_(self.b)

    def start(self, x: Tensor) -> SelfAttentiveState:
        B, H = x.shape[0], self.output_size
        return SelfAttentiveState(x.new_zeros(B, H), x.new_zeros(B, 0, H), x.new_zeros(B, 0, dtype=torch.bool))

    def check_state(self, x: Tensor, state: SelfAttentiveState) -> None:
        B, H, steps = len(x), self.output_size, state.seen.shape[-1]
        if [field.shape for field in state] != [(B, H), (B, steps, H), (B, steps)]:
            shapes = ", ".join(str(tuple(field.shape)) for field in state)
            raise ShapeError(
                f"the state has shape {shapes}, SelfAttentiveRNN takes ({B}, {H}), ({B}, steps, {H}), ({B}, steps)",
                remedy="hand on the state of the same layer and the same batch",
            )

    def read(self, x: Tensor, state: SelfAttentiveState, real: Tensor | None) -> tuple[Tensor, SelfAttentiveState]:
        A_x, A_c = self.A.split([self.input_size, self.output_size])
        from_words = F.linear(x, A_x.t(), self.b)
        now = torch.ones_like(x[..., :1], dtype=torch.bool) if real is None else real
        seen = torch.cat([state.seen, now[..., 0]], dim=1)
        c, H, A_c = (value.to(from_words) for value in (state.c, state.H, A_c))
        given = from_words, c, H, A_c, now, seen
        learning = torch.is_grad_enabled() and any(value.requires_grad for value in given)
        H, c = LookBack.apply(*given) if learning else look_back(*given)[:2]
        if real is not None:
            H = H.masked_fill(~seen[..., None], 0)
        return H[:, state.H.shape[1] :], SelfAttentiveState(c, H, seen)

    def symbols(self) -> dict[str, Tensor]:
        return {"A": self.A, "b": self.b}


class LookBack(torch.autograd.Function):
    """The steps, with their gradient by hand.

    Left to itself, torch would keep a copy of H for every step, and take up to three times as long to
    train. Here all steps share one H.
    """

    @staticmethod
    def forward(
        ctx: Any, from_words: Tensor, c: Tensor, H: Tensor, A_c: Tensor, real: Tensor, seen: Tensor
    ) -> tuple[Tensor, Tensor]:
        H, c, look_ups, weights = look_back(from_words, c, H, A_c, real, seen)
        ctx.save_for_backward(H, A_c, real, torch.stack(look_ups[:-1], 1), *weights)
        return H, c

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dH: Tensor, dc: Tensor) -> tuple[Tensor | None, ...]:
        """From the last step to the first; `d` stands before what the loss changes by."""
        H, A_c, real, look_ups, *weights = ctx.saved_tensors
        before, T = H.shape[1] - len(weights), len(weights)
        dH = dH.clone()
        d_from_words = torch.empty_like(look_ups)
        for t in reversed(range(T)):
            end = before + t + 1
            so_far, h, alpha = H[:, :end], H[:, end - 1 : end], weights[t]
            d_new = torch.where(real[:, t], dc, 0)[:, None]  # (B, 1, H)
            d_alpha = d_new @ so_far.mT
            d_score = alpha * (d_alpha - (alpha * d_alpha).sum(-1, keepdim=True))
            # Every state is used twice: its likeness to h is taken, and it is mixed into c.
            dH[:, :end].baddbmm_(torch.cat([alpha, d_score], 1).mT, torch.cat([d_new, h], 1))
            dh = dH[:, end - 1] + (d_score @ so_far)[:, 0]
            d_from_words[:, t] = dh * (1 - h[:, 0].square())
            dc = torch.where(real[:, t], 0, dc) + d_from_words[:, t] @ A_c.t()
        dA_c = look_ups.flatten(0, 1).t() @ d_from_words.flatten(0, 1)
        return d_from_words, dc, dH[:, :before], dA_c, None, None


def look_back(
    from_words: Tensor, c: Tensor, H: Tensor, A_c: Tensor, real: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor, list[Tensor], list[Tensor]]:
    """All states, the last context, and for a gradient all contexts and weights.

    from_words  (B, T, H)        what the tokens say to the new states
    c           (B, H)           the context before
    H           (B, steps, H)    the states before
    A_c         (H, H)           from the context to the new state
    real        (B, T, 1)        bool, True for tokens
    seen        (B, steps+T)     bool, True for the states at tokens
    -> H        (B, steps+T, H)  those at padding are of no account
       c        (B, H)
    """
    before, T = H.shape[1], from_words.shape[1]
    # Finite, so that a sequence of padding only is no division by zero; its exponential is zero.
    shut = torch.zeros_like(seen, dtype=H.dtype).masked_fill(~seen, torch.finfo(H.dtype).min / 2)[:, None]
    H = torch.cat([H, torch.empty_like(from_words)], dim=1)
    look_ups, weights = [c], []
    with torch.autocast(H.device.type, enabled=False):  # one type for both directions
        for t in range(T):
            h = torch.addmm(from_words[:, t], c, A_c).tanh()
            H[:, before + t] = h
            so_far = H[:, : before + t + 1]
            alpha = torch.baddbmm(shut[:, :, : before + t + 1], h[:, None], so_far.mT).softmax(-1)
            c = torch.where(real[:, t], (alpha @ so_far)[:, 0], c)
            look_ups.append(c)
            weights.append(alpha)
    return H, c, look_ups, weights
