"""Position matters: self-attention permutes its outputs with its inputs, until positions are added."""

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
    vectors = inputs.value("X", 0)
    encodings = positions(len(words), 8)
    shuffled = torch.arange(len(words)).flip(0)
    without = difference(vectors, vectors[shuffled], shuffled)
    with_positions = difference(vectors + encodings, vectors[shuffled] + encodings, shuffled)
    waves = positions(2 * FARTHEST + 1, WIDTH)
    products = waves @ waves[FARTHEST]
    text = [
        f"Read the words backward: {' '.join(words[place] for place in shuffled)}. Without positions every token "
        f"comes out as before, only in the new order: up to rounding (largest difference {without:.1e}) nothing "
        "changes. Attention sees a bag of words.",
        f"With a positional encoding added to each token, the outputs differ by up to {with_positions:.2f}: now order "
        "matters.",
        "Sinusoidal encodings make distance visible: their dot product is largest for the same position, falls quickly "
        "with distance, and then only ripples. It is the same to the left and to the right, so by itself it tells the "
        "distance, never the direction; that has to be learned by `W_Q` and `W_K`.",
    ]
    panels: list[Panel] = [
        Table(
            "Largest difference after reading backward",
            ["", "difference"],
            [["without positions", f"{without:.1e}"], ["with positions", f"{with_positions:.3f}"]],
        ),
        LineChart(
            f"Dot product of two positional encodings (width {WIDTH})",
            "distance",
            "dot product",
            [Series("P₀ Pₜᵀ", range(-FARTHEST, FARTHEST + 1), products.tolist())],
        ),
        HeatMap("The encodings of the first 16 positions, width 16", value_of(positions(16, 16))),
    ]
    return "Position matters", text, panels


def positions(count: int, width: int) -> Tensor:
    """The encodings of the first positions: (count, width)."""
    encodings: Tensor = Sinusoidal(width)(count)
    return encodings


def difference(before: Tensor, after: Tensor, shuffled: Tensor) -> float:
    """How far the outputs of the shuffled tokens are from the shuffled outputs of the tokens."""
    return float((bare_self_attention(after) - bare_self_attention(before)[shuffled]).abs().max())
