"""How fast this machine multiplies matrices, and how many multiplications a training step asks for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

SIZE = 1024
SECONDS = 0.25


def matrix_speed(precision: str, clock: str) -> float:
    """Operations per second of square matrices, by the fastest product that torch has for them."""
    x, y = (torch.randn(SIZE, SIZE).to(getattr(torch, precision)) for _ in range(2))
    ways: list[Callable[[], Tensor]] = [lambda: x @ y]
    if hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        ways.append(lambda: torch.ops.mkldnn._linear_pointwise(x, y, None, "none", [], ""))
    return max(repeated(way, clock) for way in ways)


def repeated(product: Callable[[], Tensor], clock: str) -> float:
    now = time.process_time if clock == "processor" else time.perf_counter
    product()
    began, count = now(), 0
    while now() - began < SECONDS:
        product()
        count += 1
    return 2 * SIZE**3 * count / (now() - began)


def operations(step: Callable[[], object]) -> int:
    """Operations of all matrix products in a step, without those inside kernels of attention."""
    linear: Any = torch.ops.mkldnn._linear_pointwise

    def count(x: Any, weight: Any, *rest: Any, **options: Any) -> int:
        rows = 1
        for size in x[:-1]:
            rows *= size
        return int(2 * rows * x[-1] * weight[0])

    with FlopCounterMode(display=False, custom_mapping={linear: count, linear.default: count}) as counted:
        step()
    return int(counted.get_total_flops())
