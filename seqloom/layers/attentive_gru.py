"""A GRU that attends before each step, over all steps of training at once: the backward pass is written by hand.

What needs no state is computed for all steps outside; here is what goes from step to step: additive attention by the
state, then the gates. The state is multiplied once, by the weights of both. Gradients of weights and of the source are
made at the end, or added up in place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from seqloom.layers.gru_steps import Gates, gradient_of_weight, shortened, times


class StepWeights(NamedTuple):
    """The weights that every step uses."""

    weight_h: Tensor  # (3H, H) from the state to the gates
    weight_c: Tensor  # (3H, K) from the context to the gates
    weight_q: Tensor  # (A, H) from the state to the query
    v: Tensor  # (A) of the score


def attentive_gru(
    from_words: Tensor, s: Tensor, weights: StepWeights, keys: Tensor, h: Tensor, mask: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The states of all steps, and what each has seen.

    from_words  (T, B, 3H)  what the tokens say to the gates r, z and h, with their bias
    s           (B, H)      the state before the first
    keys        (B, S, A)   the half of the scores that the source makes
    h           (B, S, K)   the hidden states of the source
    mask        (B, 1, S)   bool, True where a state may attend, to one position at least; None: everywhere
    ->          (T, B, H)   the states
                (T, B, K)   the contexts
    """
    half = torch.is_autocast_enabled("cpu")
    exact = weights.v.dtype
    given = (from_words.to(exact), s.to(exact), *weights, keys, h, mask, half)
    states, contexts = AttentiveGRU.apply(*given)
    return states, contexts


class AttentiveGRU(torch.autograd.Function):
    """`attentive_gru`; with `half`, products are computed with numbers of 16 bits, and keys kept in them."""

    @staticmethod
    def forward(
        ctx: Any, from_words: Tensor, s: Tensor, weight_h: Tensor, weight_c: Tensor, weight_q: Tensor, v: Tensor,
        keys: Tensor, h: Tensor, mask: Tensor | None, half: bool,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        T, (B, H), (_, S, A), K = len(from_words), s.shape, keys.shape, h.shape[2]
        gates, states, contexts = Gates.of_steps(s, T, B, H), s.new_empty(T + 1, B, H), s.new_empty(T, B, K)
        seen, attention = keys.new_empty(T, B, S, A), s.new_empty(T, B, S)
        states[0] = s
        by_state, by_context = shortened(torch.cat([weight_q, weight_h]), half), shortened(weight_c, half)
        score, forbidden = v.to(keys.dtype), None if mask is None else ~mask[:, 0]
        with torch.autocast("cpu", enabled=False):
            for t in range(T):
                q, from_state = times(states[t], by_state).split([A, 3 * H], 1)
                u = torch.add(keys, q[:, None].to(keys.dtype), out=seen[t]).tanh_()
                e = (u.view(-1, A) @ score).view(B, S).to(s.dtype)
                if forbidden is not None:
                    e.masked_fill_(forbidden, torch.finfo(e.dtype).min)
                a = torch.softmax(e, -1, out=attention[t])
                contexts[t] = (a[:, None].to(h.dtype) @ h)[:, 0]
                to_gates = times(contexts[t], by_context).add_(from_words[t])
                gates.advance(t, to_gates, from_state, states[t], states[t + 1])
        ctx.save_for_backward(states, contexts, attention, seen, *gates, weight_h, weight_c, weight_q, v, h)
        ctx.half = half
        return states[1:], contexts

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        states, contexts, attention, seen, *kept, weight_h, weight_c, weight_q, v, h = ctx.saved_tensors
        gates, half = Gates(*kept), ctx.half
        (d_states, d_contexts), (T, B, S, A), H = outer, seen.shape, states.shape[2]
        d_words, d_both = states.new_empty(T, B, 3 * H), states.new_empty(T, B, A + 3 * H)
        d_seen = torch.empty_like(contexts)
        d_keys, squared = states.new_zeros(B, S, A), torch.empty_like(seen[0])
        d_scores, d_v = states.new_empty(T, B, S), torch.zeros_like(v)
        by_state = shortened(torch.cat([weight_q, weight_h]), half).T
        by_context = shortened(weight_c, half).T
        d_s = torch.zeros_like(states[0])
        for t in reversed(range(T)):
            u, a = seen[t], attention[t]
            d_kept = gates.back(t, d_states[t] + d_s, states[t], d_words[t], d_both[t, :, A:])
            d_c = torch.add(d_contexts[t], times(d_words[t], by_context), out=d_seen[t])
            d_a = (h @ d_c[:, :, None].to(h.dtype))[..., 0].to(a.dtype)
            d_e = torch.mul(a, d_a - (a * d_a).sum(1, keepdim=True), out=d_scores[t])
            # tanh' = 1 - u^2, and v is the same everywhere: both sums are made without a gradient for each entry of u
            weight = d_e.to(u.dtype)
            d_v += u.view(-1, A).T @ weight.view(-1)
            torch.mul(u, u, out=squared)
            d_keys.addcmul_(squared, weight[..., None], value=-1)
            d_q = d_e.sum(1, keepdim=True) - (weight[:, None] @ squared)[:, 0]
            torch.mul(d_q, v, out=d_both[t, :, :A])
            d_s = d_kept + times(d_both[t], by_state)
        d_keys = (d_keys + d_scores.sum(0)[..., None]).mul_(v)
        d_h = torch.bmm(attention.permute(1, 2, 0).to(h.dtype), d_seen.transpose(0, 1).to(h.dtype))
        d_weight_q, d_weight_h = gradient_of_weight(d_both, states[:-1], half).split([A, 3 * H])
        d_weight_c = gradient_of_weight(d_words, contexts, half)
        return d_words, d_s, d_weight_h, d_weight_c, d_weight_q, d_v, d_keys.to(seen.dtype), d_h, None, None
