"""Why tanh: a state that is only multiplied vanishes or explodes (M4)."""

from typing import Any

import torch

from seqloom.equations import Equations
from seqloom.explaining.panels import LineChart, Panel, Series
from seqloom.layers.simple_rnn import linear_rnn, simple_rnn

QUESTION = "What would happen to a recurrent network without its tanh?"
STEPS, WIDTH = 100, 8


def run() -> tuple[str, list[str], list[Panel]]:
    without = {radius: lengths(linear_rnn, radius) for radius in (0.9, 1.0, 1.2)}
    bounded = {radius: lengths(simple_rnn, radius) for radius in (0.9, 1.0, 1.2)}
    text = [
        "When the words say nothing (x = 0), a linear network multiplies its state by the same matrix again and "
        "again: after 100 words it is h W¹⁰⁰. Here W turns the state and scales it by its eigenvalue, all of which "
        "have the same size.",
        f"With eigenvalues of size 0.9 the state shrinks to {without[0.9][-1]:.1e} of its length, with 1.2 it grows "
        f"to {without[1.2][-1]:.1e}; both carry nothing that a later layer could use.",
        f"With tanh in every step the large one stays at {bounded[1.2][-1]:.2f}: each entry is held between -1 and "
        "1. What tanh cannot do is keep a small state from fading. That is what gates are for: see `lstm`.",
    ]
    charts: list[Panel] = [
        LineChart("Without tanh", "words read", "length of the state", curves(without), y_scale="log"),
        LineChart("With tanh", "words read", "length of the state", curves(bounded), y_scale="log"),
    ]
    return "Why tanh", text, charts


def lengths(cell: Equations[..., Any], radius: float) -> list[float]:
    """The length of the state after each word, from a state of length 1."""
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
