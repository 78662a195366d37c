"""Distillation: a student is pulled to the distribution of its teacher, beside the right answers."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from seqloom.equations import equations, exp, log_softmax
from seqloom.layers.base import Layer, layer
from seqloom.layers.cross_entropy import AT_ONCE, total_cross_entropy


@equations
def distillation(z, s, y, tau, alpha):
    """Distillation: what a student minimises that learns from a teacher.

    Paper: G. Hinton, O. Vinyals, J. Dean, Distilling the knowledge in a neural network, 2015.

    z      (V)  the logits of the student
    s      (V)  the logits of the teacher
    y      ()   index, the id of the right token
    tau    ()   the temperature: above 1, what is unlikely counts for more
    alpha  ()   the share of the teacher
    """
    l = log_softmax(z)  # the log-probabilities of the student
    m = log_softmax(z / tau)  # the same, softened
    t = log_softmax(s / tau)  # the softened log-probabilities of the teacher
    p = exp(t)  # the softened probabilities of the teacher
    d = p @ (t - m)  # the Kullback-Leibler divergence of the student from the teacher
    c = -l[y]  # the cross-entropy with the right token
    k = tau**2 * d  # the temperature squared keeps gradients as large as they were
    loss = c + alpha * (k - c)  # between the two: 1 - alpha of the first and alpha of the second
    return loss


@layer(distillation)
class Distillation(Layer):
    """Distillation, the mean over tokens."""

    def __init__(self, temperature: float = 2.0, share: float = 0.5) -> None:
        super().__init__()
        self.temperature, self.share = temperature, share

    def forward(self, z: Tensor, s: Tensor, y: Tensor) -> Tensor:
        """The mean loss of logits beside those of a teacher and the right token ids.

        z  (B, T, V)  logits of the student; or any axes before V
        s  (B, T, V)  logits of the teacher
        y  (B, T)     the right token ids
        -> loss  ()   the mean over tokens; 0 where there are none
        """
        rows, taught = z.flatten(0, -2), s.flatten(0, -2)
        right = total_cross_entropy(rows, y.flatten())
        return total_distillation(right, rows, taught, self.temperature, self.share) / max(len(rows), 1)


def total_distillation(right: Tensor, z: Tensor, s: Tensor, temperature: float, share: float) -> Tensor:
    """The sum of `distillation` over rows, from the summed loss of the right answers.

    right  ()      the sum of c: the cross-entropy, or what a task minimises in its place
    z      (R, V)  logits of the student
    s      (R, V)  logits of the teacher
    """
    return (1 - share) * right + share * softened_divergence(z, s, temperature)


def softened_divergence(z: Tensor, s: Tensor, temperature: float) -> Tensor:
    """The sum of tau² KL(teacher || student), both softened: logits z (R, V) and s (R, V) -> ().

    The teacher has no gradient. That of the student is made together with the loss, as in `total_cross_entropy`.
    """
    total: Tensor = SoftenedDivergence.apply(z, s, temperature)
    return total


class SoftenedDivergence(torch.autograd.Function):
    """`softened_divergence` with its gradient: tau times the difference of the softened probabilities."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, s: Tensor, temperature: float) -> Tensor:
        exact = torch.float32 if z.dtype in (torch.bfloat16, torch.float16) else z.dtype
        gradient = torch.empty_like(z)
        total = torch.zeros((), dtype=torch.float64, device=z.device)
        with torch.autocast(z.device.type, enabled=False):
            for first in range(0, len(z), AT_ONCE):
                rows = slice(first, first + AT_ONCE)
                student, teacher = (one[rows].to(exact).div(temperature).log_softmax(-1) for one in (z, s))
                p, q = teacher.exp(), student.exp()
                total += (p * teacher.sub_(student)).sum()
                gradient[rows] = q.sub_(p).mul_(temperature)
        ctx.save_for_backward(gradient)
        return (total * temperature**2).to(exact)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return gradient * outer[0].to(gradient.dtype), None, None
