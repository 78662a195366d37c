"""Position matters: shuffled words give shuffled outputs, until each knows its place (T4)."""

import torch
from torch import Tensor

from seqloom.explaining.example_inputs import ExampleInputs, split
from seqloom.explaining.panels import HeatMap, LineChart, Panel, Series, Table
from seqloom.explaining.values import value_of
from seqloom.layers.attention_layer import bare_self_attention
from seqloom.layers.positions import Sinusoidal

QUESTION = "Does self-attention know which word comes first?"
SENTENCE = "the dog bites the man"
WIDTH, FARTHEST = 128, 60


def run(sentence: str) -> tuple[str, list[str], list[Panel]]:
    words = split(sentence)
    inputs = ExampleInputs(bare_self_attention, words)
    inputs.sizes["D"] = 8
    rows = inputs.value("X", 0)
    places = positions(len(words), 8)
    shuffled = torch.arange(len(words)).flip(0)
    without = difference(rows, rows[shuffled], shuffled)
    with_places = difference(rows + places, rows[shuffled] + places, shuffled)
    waves = positions(2 * FARTHEST + 1, WIDTH)
    products = waves @ waves[FARTHEST]
    text = [
        f"Read the words backward: {' '.join(words[place] for place in shuffled)}. Without positions every word "
        f"comes out as before, only in the new order: up to rounding (largest difference {without:.1e}) nothing "
        "changes. Attention sees a bag of words.",
        f"With a row for its place added to each word, the outputs differ by up to {with_places:.2f}: now the order "
        "counts.",
        "The sinusoidal rows make nearness visible: their inner product is largest for the same place, falls quickly "
        "with distance, and then only ripples. It is the same to the left and to the right, so by itself it tells "
        "how far, never in which direction; that has to be learned by `W_Q` and `W_K`.",
    ]
    panels: list[Panel] = [
        Table(
            "Largest difference after reading backward",
            ["", "difference"],
            [["without positions", f"{without:.1e}"], ["with positions", f"{with_places:.3f}"]],
        ),
        LineChart(
            f"Inner product of two positions (width {WIDTH})",
            "distance",
            "inner product",
            [Series("P₀ Pₜᵀ", range(-FARTHEST, FARTHEST + 1), products.tolist())],
        ),
        HeatMap("The rows of the first 16 positions, width 16", value_of(positions(16, 16))),
    ]
    return "Position matters", text, panels


def positions(count: int, width: int) -> Tensor:
    """The rows of the first places: (count, width)."""
    rows: Tensor = Sinusoidal(width)(count)
    return rows


def difference(before: Tensor, after: Tensor, shuffled: Tensor) -> float:
    """How far the outputs of the shuffled words are from the shuffled outputs of the words."""
    return float((bare_self_attention(after) - bare_self_attention(before)[shuffled]).abs().max())
