"""Products with weights that are being trained: on a CPU forward and backward by oneDNN instead of MKL.

torch multiplies numbers of 32 bits by MKL, which is slow on processors that are not Intel's; oneDNN has kernels for all
of them (docs/performance.md). It sums in another order, and the same one every time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

MANY = 4_000_000
"""Multiplications from which it pays: below, the call costs more than the product gains."""


def trained_product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x (..., D), weight (F, D), bias (F) -> x @ weight.T + bias (..., F), as `F.linear`."""
    if not pays(x, weight) or not (x.requires_grad or weight.requires_grad):
        return F.linear(x, weight, bias)
    found: Tensor = TrainedProduct.apply(x, weight, bias)
    return found


def pays(x: Tensor, weight: Tensor) -> bool:
    """Whether oneDNN has the product, and it is large enough for that."""
    return (
        x.numel() * len(weight) >= MANY
        and x.is_cpu
        and x.dtype == weight.dtype == torch.float32
        and not torch.is_autocast_enabled("cpu")
        and can_multiply()
    )


def can_multiply() -> bool:
    """Whether this build of torch has the kernel, and would use MKL otherwise."""
    return torch.backends.mkldnn.is_available() and torch.backends.mkl.is_available() and HAS_KERNEL


HAS_KERNEL = hasattr(torch.ops.mkldnn, "_linear_pointwise")


class TrainedProduct(torch.autograd.Function):
    """`trained_product`, with both of its gradients by the same kernel."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return multiplied(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        (gradient,) = outer
        rows, inputs = gradient.flatten(0, -2), x.flatten(0, -2)
        by_input, by_weight, by_bias = ctx.needs_input_grad
        return (
            again(gradient, weight.T) if by_input else None,
            weight_gradient(rows, inputs) if by_weight else None,
            rows.sum(0) if by_bias else None,
        )


def weight_gradient(rows: Tensor, inputs: Tensor) -> Tensor:
    """rows (R, F), inputs (R, D) -> rows.T @ inputs (F, D). The kernel copies its first matrix: the narrower one."""
    if rows.shape[1] <= inputs.shape[1]:
        return again(rows.T, inputs.T)
    return again(inputs.T, rows.T).T


def again(x: Tensor, weight: Tensor) -> Tensor:
    """A product of the backward pass, which has a gradient itself where one is asked for."""
    return trained_product(x, weight) if torch.is_grad_enabled() else multiplied(x, weight)


def multiplied(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """The kernel itself; it is a hundred times slower by a weight that is neither dense nor the transpose of one."""
    dense = weight if weight.is_contiguous() or weight.T.is_contiguous() else weight.contiguous()
    found: Tensor = torch.ops.mkldnn._linear_pointwise(x, dense, bias, "none", [], "")
    return found
