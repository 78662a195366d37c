"""How far two readings of the same words, each with dropout of its own, are apart."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from seqloom.equations import equations, exp, log_softmax
from seqloom.layers.base import Layer, layer
from seqloom.layers.cross_entropy import AT_ONCE


@equations
def disagreement(z, s):
    """Disagreement of two readings: what R-Drop makes small.

    Paper: L. Wu et al., R-Drop: Regularized dropout for neural networks, NeurIPS 2021.

    z  (V)  the scores of one reading
    s  (V)  the scores of another, with other entries dropped
    """
    l = log_softmax(z)  # log-probabilities of the one
    m = log_softmax(s)  # and of the other
    p = exp(l)  # the shares of the one
    q = exp(m)  # and of the other
    loss = (p - q) @ (l - m) / 2  # the mean of both Kullback-Leibler divergences
    return loss


@layer(disagreement)
class Disagreement(Layer):
    """Disagreement, the mean over words."""

    def forward(self, z: Tensor, s: Tensor) -> Tensor:
        """How far apart two readings are.

        z  (B, T, V)  scores of the one; or any axes before V
        s  (B, T, V)  scores of the other
        -> loss  ()   the mean over words; 0 where there are none
        """
        rows = z.flatten(0, -2)
        return divergence(torch.cat([rows, s.flatten(0, -2)])) / max(len(rows), 1)


def divergence(z: Tensor) -> Tensor:
    """The sum of disagreements between the first half of the rows and the second: z (2R, V) -> ().

    The gradient is made together with the loss, some rows at a time, as in `cross_entropy.surprise`.
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
