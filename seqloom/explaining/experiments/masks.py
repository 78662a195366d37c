"""Masks: padding is nothing to look at, and the future is not known yet (T6)."""

import torch

from seqloom.explaining.example_inputs import ExampleInputs, split
from seqloom.explaining.panels import HeatMap, Panel, Table
from seqloom.explaining.values import value_of
from seqloom.layers.masks import causal_mask, padding_mask
from seqloom.layers.multi_head import scaled_dot_product

QUESTION = "Who may look at whom?"
SENTENCE = "the cat sat down"
PADDING = 2


def run(sentence: str) -> tuple[str, list[str], list[Panel]]:
    words = split(sentence)
    padded = [*words, *["<pad>"] * PADDING]
    length = len(padded)
    rows = ExampleInputs(scaled_dot_product, padded).value("Q", 0)
    real = padding_mask(torch.tensor(len(words)), S=length).expand(length, length)
    before = causal_mask(T=length)
    looked = {"padding": real, "causal": before, "both": real & before}
    weights = {name: shares(rows, mask) for name, mask in looked.items()}
    parallel = scaled_dot_product(rows, rows, rows, before)
    stepwise = torch.cat([one_step(rows, before, t) for t in range(length)])
    text = [
        "The padding mask hides what stands behind the end of a sentence: padded words get no share, so a sentence "
        "means the same alone and in a batch.",
        "The causal mask hides what comes later. It lets a decoder be trained on all positions at once, as if it had "
        "written word by word: no word can peek at the one it has to guess.",
        f"That the two are the same can be measured: all positions in one product, and one position after the other, "
        f"differ by {float((parallel - stepwise).abs().max()):.1e}.",
    ]
    panels: list[Panel] = [
        HeatMap("Padding mask: 1 where looking is allowed", value_of(real, padded, padded)),
        HeatMap("Causal mask", value_of(before, padded, padded)),
        HeatMap("Shares under the padding mask", value_of(weights["padding"], padded, padded)),
        HeatMap("Shares under the causal mask", value_of(weights["causal"], padded, padded)),
        HeatMap("Shares under both", value_of(weights["both"], padded, padded)),
        Table(
            "Parallel teacher forcing and step by step",
            ["", "largest difference"],
            [["outputs of all positions", f"{float((parallel - stepwise).abs().max()):.1e}"]],
        ),
    ]
    return "Masks", text, panels


def shares(rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The attention weights, read out by handing in unit rows as values."""
    return scaled_dot_product(rows, rows, torch.eye(len(rows)), mask)  # type: ignore[no-any-return]


def one_step(rows: torch.Tensor, mask: torch.Tensor, t: int) -> torch.Tensor:
    """What a decoder computes when it has written t words and looks at those alone."""
    known = rows[: t + 1]
    return scaled_dot_product(rows[t : t + 1], known, known, mask[t : t + 1, : t + 1])  # type: ignore[no-any-return]
