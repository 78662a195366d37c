"""Why √d: the variance of dot products grows with the width, until softmax picks a single key."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from seqloom.equations import Equations
from seqloom.explaining.panels import LineChart, Panel, Scale, Series
from seqloom.layers.scores import dot, scaled_dot

QUESTION = "Why does attention divide its scores by √d?"
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
TRIALS, KEYS = 2000, 16


def run() -> tuple[str, list[str], list[Panel]]:
    plain = {width: scores(dot, width) for width in WIDTHS}
    scaled = {width: scores(scaled_dot, width) for width in WIDTHS}
    text = [
        "Queries and keys have components of mean 0 and variance 1. Their dot product sums d products, so its "
        f"variance is d: at width 512 we measure {float(plain[512].var()):.0f}. Divided by √d it is 1 again: "
        f"{float(scaled[512].var()):.2f}.",
        f"Softmax turns large differences into a hard choice: of {KEYS} keys the best one gets "
        f"{largest(plain[512]):.0%} of the attention at width 512, though nothing is known about any of them. "
        f"Scaled, it gets {largest(scaled[512]):.0%}, and hardly less or more at any width from 16 on.",
        "Where softmax is saturated its gradient is nearly zero, and nothing is learned about the other keys: the last "
        "chart shows how much the attention weights still respond to the scores.",
    ]

    def chart(title: str, y_label: str, measure: Callable[[Tensor], float], y_scale: Scale = "linear") -> LineChart:
        series = [
            Series(name, WIDTHS, [measure(found[width]) for width in WIDTHS])
            for name, found in (("q kᵀ", plain), ("q kᵀ / √d", scaled))
        ]
        return LineChart(title, "width d", y_label, series, x_scale="log", y_scale=y_scale)

    charts: list[Panel] = [
        chart("Variance of the scores", "variance", lambda e: float(e.var()), "log"),
        chart("Sharpness of softmax", "largest weight of 16", largest),
        chart("Gradient of softmax", "mean of α (1 − α)", slope),
    ]
    return "Why √d", text, charts


def scores(score: Equations[..., Any], width: int) -> Tensor:
    """Scores of random queries against random keys: (trials, keys)."""
    generator = torch.Generator().manual_seed(width)
    q = torch.randn(TRIALS, width, generator=generator)
    k = torch.randn(TRIALS, KEYS, width, generator=generator)
    pairs: Tensor = torch.vmap(torch.vmap(score, in_dims=(None, 0)))(q, k)
    return pairs


def largest(e: Tensor) -> float:
    return float(torch.softmax(e, -1).max(-1).values.mean())


def slope(e: Tensor) -> float:
    weights = torch.softmax(e, -1)
    return float((weights * (1 - weights)).mean())
