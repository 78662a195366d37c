"""Products with weights that do not change any more: packed once for the kernel, found again by the weight itself.

On a CPU, oneDNN multiplies several times as fast by a matrix in a layout of its own, most of all where rows are few
(docs/performance.md). Inside `packed_weights(model).used(rows)`, `product` takes weights of that model in that layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.layers.trained_product import trained_product

FEW = 200_000
"""Multiplications up to which the plain product is as fast."""
FEW_FOR_THREADS = 500_000_000
"""Multiplications of a whole step up to which one thread is faster than several that wait for each other."""


class PackedWeights:
    """The weights of a model in the kernel's own layout, each packed when it is used for the first time."""

    def __init__(self, model: nn.Module) -> None:
        weights = list(model.parameters())
        self.weights = weights  # kept: memory that is packed here belongs to no other tensor
        self.size = sum(weight.numel() for weight in weights)
        self.places = [(module._parameters, name) for module in model.modules() for name in module._parameters]
        self.version = self.current_version()
        self.watching = model.register_forward_pre_hook(forget_if_learning)
        self.memory = {weight.untyped_storage().data_ptr() for weight in weights} if can_pack() else set()
        self.packed: dict[Any, Tensor | None] = {}
        self.made: dict[nn.Module, Any] = {}
        """What else is made of the weights once, by the module that it stands for."""

    def current_version(self) -> list[tuple[int, int]]:
        """It changes when a weight is replaced or written into; but not with a step of a fused optimizer."""
        weights = [weight for there, name in self.places if (weight := there[name]) is not None]
        return [(weight.data_ptr(), 0 if weight.is_inference() else weight._version) for weight in weights]

    @contextmanager
    def used(self, rows: int) -> Iterator[None]:
        """Let `product` use them for a while, where no gradients are asked for; on one thread if rows are few."""
        threads = torch.get_num_threads()
        alone = threads > 1 and rows * self.size < FEW_FOR_THREADS
        before = ACTIVE.set(self)
        if alone:
            torch.set_num_threads(1)
        try:
            yield
        finally:
            ACTIVE.reset(before)
            if alone:
                torch.set_num_threads(threads)

    def find(self, weight: Tensor) -> Tensor | None:
        """A weight (F, D) or a view of one, packed; None for what is no weight of this model."""
        key = (weight.data_ptr(), weight.shape, weight.stride())
        if key not in self.packed:
            fits = weight.dtype == torch.float32 and weight.untyped_storage().data_ptr() in self.memory
            self.packed[key] = pack(weight) if fits else None
        return self.packed[key]


ACTIVE: ContextVar[PackedWeights | None] = ContextVar("packed weights", default=None)
KNOWN: WeakKeyDictionary[nn.Module, PackedWeights] = WeakKeyDictionary()


def packed_weights(model: nn.Module) -> PackedWeights:
    """The packed weights of a model; packed anew where the weights have changed since."""
    known = KNOWN.get(model)
    if known is None or known.version != known.current_version():
        if known is not None:
            known.watching.remove()
        known = KNOWN[model] = PackedWeights(model)
    return known


def forget_if_learning(model: nn.Module, inputs: object) -> None:
    """Before each forward pass: one with gradients is about to change the weights, whatever the optimizer."""
    if torch.is_grad_enabled() and (known := KNOWN.pop(model, None)) is not None:
        known.watching.remove()


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x (..., D), weight (F, D), bias (F) -> x @ weight.T + bias (..., F), as `F.linear`."""
    if torch.is_grad_enabled():
        return trained_product(x, weight, bias)
    active = ACTIVE.get()
    if active is None or x.dtype != torch.float32:
        return F.linear(x, weight, bias)
    rows = x.numel() // x.shape[-1] if x.shape[-1] else 0
    if few_rows(rows, weight.numel()) or (packed := active.find(weight)) is None:
        return F.linear(x, weight, bias)
    return packed_product(x, packed, bias)


def few_rows(rows: int, size: int) -> bool:
    """Whether the plain product of so many rows by a weight of so many numbers is as fast."""
    return rows <= 1 or rows * size < FEW


def packed_product(x: Tensor, packed: Tensor, bias: Tensor | None, added: Tensor | None = None) -> Tensor:
    """x (..., D) by a packed weight, with a bias (F) and what is added (..., F) -> (..., F)."""
    found: Tensor
    if added is None:
        found = torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")
    else:
        found = torch.ops.mkldnn._linear_pointwise.binary(x, added, packed, bias, "add")
    return found


def can_pack() -> bool:
    """Whether this build of torch has the kernel."""
    names = ("_linear_pointwise", "_reorder_linear_weight")
    return torch.backends.mkldnn.is_available() and all(hasattr(torch.ops.mkldnn, name) for name in names)


def pack(weight: Tensor) -> Tensor | None:
    """A matrix (F, D) as the kernel wants it; None where it cannot be had, as on another device."""
    if not weight.is_cpu:
        return None
    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous())
    return packed
