"""R-Drop: how far two forward passes over the same tokens, each with its own dropout, are apart."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from seqloom.equations import equations, exp, log_softmax
from seqloom.layers.base import Layer, layer
from seqloom.layers.cross_entropy import AT_ONCE


@equations
def r_drop(z, s):
    """Disagreement of two forward passes: what R-Drop minimises.

    Paper: L. Wu et al., R-Drop: Regularized dropout for neural networks, NeurIPS 2021.

    z  (V)  the logits of one forward pass
    s  (V)  the logits of another, with a different dropout
    """
    l = log_softmax(z)  # the log-probabilities of the first pass
    m = log_softmax(s)  # the log-probabilities of the second
    p = exp(l)  # the probabilities of the first
    q = exp(m)  # the probabilities of the second
    loss = (p - q) @ (l - m) / 2  # the mean of both Kullback-Leibler divergences
    return loss


@layer(r_drop)
class RDrop(Layer):
    """Disagreement, the mean over tokens."""

    def forward(self, z: Tensor, s: Tensor) -> Tensor:
        """How far apart two forward passes are.

        z  (B, T, V)  logits of the first; or any axes before V
        s  (B, T, V)  logits of the second
        -> loss  ()   the mean over tokens; 0 where there are none
        """
        rows = z.flatten(0, -2)
        return divergence(torch.cat([rows, s.flatten(0, -2)])) / max(len(rows), 1)


def divergence(z: Tensor) -> Tensor:
    """The sum of disagreements between the first half of the logits and the second: z (2R, V) -> ().

    The gradient is made together with the loss, some predictions at a time, as in `total_cross_entropy`.
    """
    total: Tensor = Divergence.apply(z)
    return total


class Divergence(torch.autograd.Function):
    """`divergence` with its gradient: for either side p (d - p·d) + p - q, where d is the difference of logarithms."""

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        exact = torch.float32 if z.dtype in (torch.bfloat16, torch.float16) else z.dtype
        gradient = torch.empty_like(z)
        total = torch.zeros((), dtype=torch.float64, device=z.device)
        half = len(z) // 2
        with torch.autocast(z.device.type, enabled=False):
            for first in range(0, half, AT_ONCE):
                here = slice(first, min(first + AT_ONCE, half))
                there = slice(half + here.start, half + here.stop)
                one, other = (z[rows].to(exact).log_softmax(-1) for rows in (here, there))
                p, q = one.exp(), other.exp()
                apart = one.sub_(other)
                change = p - q
                total += (change * apart).sum() / 2
                of_p, of_q = ((share * apart).sum(-1, keepdim=True) for share in (p, q))
                gradient[here] = p.mul_(apart - of_p).add_(change).div_(2)
                gradient[there] = q.mul_(of_q - apart).sub_(change).div_(2)
        ctx.save_for_backward(gradient)
        return total.to(exact)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> Tensor:
        (gradient,) = ctx.saved_tensors
        scaled: Tensor = gradient * outer[0].to(gradient.dtype)
        return scaled
