"""Why tanh: a hidden state that is only multiplied vanishes or explodes."""

from typing import Any

import torch

from seqloom.equations import Equations
from seqloom.explaining.panels import LineChart, Panel, Series
from seqloom.layers.simple_rnn import linear_rnn, simple_rnn

QUESTION = "What would happen to a recurrent network without its tanh?"
STEPS, WIDTH = 100, 8


def run() -> tuple[str, list[str], list[Panel]]:
    without = {radius: norms(linear_rnn, radius) for radius in (0.9, 1.0, 1.2)}
    bounded = {radius: norms(simple_rnn, radius) for radius in (0.9, 1.0, 1.2)}
    text = [
        "Without input (x = 0), a linear network multiplies its hidden state by the same matrix again and again: after "
        "100 tokens it is h W¹⁰⁰. Here W rotates the state and scales it by its eigenvalues, which all have the same "
        "absolute value.",
        f"With eigenvalues of 0.9 the state shrinks to {without[0.9][-1]:.1e} of its norm (it vanishes), with 1.2 it "
        f"grows to {without[1.2][-1]:.1e} (it explodes); neither is of use to a later layer.",
        f"With tanh in every step the large one stays at {bounded[1.2][-1]:.2f}: each component is kept between -1 "
        "and 1. What tanh cannot do is keep a small state from vanishing. That is what gates are for: see `lstm`.",
    ]
    charts: list[Panel] = [
        LineChart("Without tanh", "tokens read", "norm of the hidden state", curves(without), y_scale="log"),
        LineChart("With tanh", "tokens read", "norm of the hidden state", curves(bounded), y_scale="log"),
    ]
    return "Why tanh", text, charts


def norms(cell: Equations[..., Any], radius: float) -> list[float]:
    """The norm of the hidden state after each token, from a state of norm 1."""
    generator = torch.Generator().manual_seed(1)
    turn, _ = torch.linalg.qr(torch.randn(WIDTH, WIDTH, generator=generator, dtype=torch.float64))
    h = torch.zeros(WIDTH, dtype=torch.float64)
    h[0] = 1.0
    nothing = torch.zeros(1, dtype=torch.float64)
    weights = {
        "W_xh": torch.zeros(1, WIDTH, dtype=torch.float64),
        "W_hh": radius * turn,
        "b_h": torch.zeros_like(h),
    }
    found = [1.0]
    for _ in range(STEPS):
        h = cell(nothing, h, **weights)
        found.append(float(h.norm()))
    return found


def curves(found: dict[float, list[float]]) -> list[Series]:
    return [Series(f"eigenvalues {radius}", range(STEPS + 1), values) for radius, values in found.items()]
