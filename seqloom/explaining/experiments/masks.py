"""Masks: no query attends to padding, and a decoder never to later positions."""

import torch

from seqloom.explaining.example_inputs import ExampleInputs, split
from seqloom.explaining.panels import HeatMap, Panel, Table
from seqloom.explaining.values import value_of
from seqloom.layers.masks import causal_mask, padding_mask
from seqloom.layers.multi_head import scaled_dot_product

QUESTION = "Which positions may a query attend to?"
SENTENCE = "the cat sat down"
PADDING = 2


def run(sentence: str) -> tuple[str, list[str], list[Panel]]:
    words = split(sentence)
    padded = [*words, *["<pad>"] * PADDING]
    length = len(padded)
    vectors = ExampleInputs(scaled_dot_product, padded).value("Q", 0)
    real = padding_mask(torch.tensor(len(words)), S=length).expand(length, length)
    before = causal_mask(T=length)
    allowed = {"padding": real, "causal": before, "both": real & before}
    weights = {name: attention_weights(vectors, mask) for name, mask in allowed.items()}
    parallel = scaled_dot_product(vectors, vectors, vectors, before)
    stepwise = torch.cat([one_step(vectors, before, t) for t in range(length)])
    difference = float((parallel - stepwise).abs().max())
    text = [
        "The padding mask hides what stands behind the end of a sentence: padding gets no attention weight, so a "
        "sentence has the same outputs alone and in a batch.",
        "The causal mask hides later positions. It lets a decoder be trained on all positions at once (teacher "
        "forcing), as if it had written token by token: none can see the token it has to predict.",
        f"That the two are the same can be measured: all positions in one product, and one position after the other, "
        f"{f'differ by {difference:.1e}' if difference else 'do not differ at all'}.",
    ]
    panels: list[Panel] = [
        HeatMap("Padding mask: 1 where a query may attend", value_of(real, padded, padded)),
        HeatMap("Causal mask", value_of(before, padded, padded)),
        HeatMap("Attention weights under the padding mask", value_of(weights["padding"], padded, padded)),
        HeatMap("Attention weights under the causal mask", value_of(weights["causal"], padded, padded)),
        HeatMap("Attention weights under both", value_of(weights["both"], padded, padded)),
        Table(
            "Parallel teacher forcing and step by step",
            ["", "largest difference"],
            [["outputs of all positions", f"{difference:.1e}" if difference else "none at all"]],
        ),
    ]
    return "Masks", text, panels


def attention_weights(vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The attention weights, read out by passing unit vectors as values."""
    return scaled_dot_product(vectors, vectors, torch.eye(len(vectors)), mask)  # type: ignore[no-any-return]


def one_step(vectors: torch.Tensor, mask: torch.Tensor, t: int) -> torch.Tensor:
    """What a decoder computes when it has written t tokens and attends to those alone."""
    known = vectors[: t + 1]
    return scaled_dot_product(vectors[t : t + 1], known, known, mask[t : t + 1, : t + 1])  # type: ignore[no-any-return]
