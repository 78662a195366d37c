"""Bare self-attention: softmax(X Xᵀ) X on three characters, without a single weight (T1)."""

import torch

from seqloom.equations.trace import trace
from seqloom.explaining.example_inputs import ExampleInputs, split
from seqloom.explaining.panels import HeatMap, Panel
from seqloom.explaining.values import value_of
from seqloom.layers.attention_layer import bare_self_attention

QUESTION = "What does attention do before it has learned anything?"
SENTENCE = "早上好"


def run(sentence: str) -> tuple[str, list[str], list[Panel]]:
    words = split(sentence)
    rows = ExampleInputs(bare_self_attention, words).value("X", 0)
    values = trace(bare_self_attention, rows).values
    shares = torch.as_tensor(values["A"])
    own = [int(row.argmax()) == place for place, row in enumerate(shares)]
    text = [
        "Take a row of numbers for each word. X Xᵀ compares every row with every other: the larger the product, "
        "the more alike the two. Softmax makes shares of each line, and the last product mixes the rows by these "
        "shares. There is no weight anywhere: all that happens comes from the words themselves.",
        f"{sum(own)} of {len(words)} words look most at themselves{drawn_away(words, shares)}. The product rewards "
        "long rows as well as alike ones; `cosine` leaves the length out.",
        "What training adds are three matrices: one says what a word asks for, one what it is found by, one what it "
        "hands out. See `self-attention`.",
    ]
    maps: list[Panel] = [
        HeatMap("X: a row for each word", value_of(rows, words)),
        HeatMap("X Xᵀ: how alike every two are", value_of(values["A.2"], words, words)),
        HeatMap("A = softmax(X Xᵀ): shares, each line together 1", value_of(values["A"], words, words)),
        HeatMap("A X: each word, mixed with those like it", value_of(values["Y"], words)),
    ]
    return f"Bare self-attention on {sentence}", text, maps


def drawn_away(words: list[str], shares: torch.Tensor) -> str:
    """The first word that looks more at another than at itself, if there is one."""
    for place, row in enumerate(shares):
        other = int(row.argmax())
        if words[other] != words[place]:
            return f"; {words[place]} gives {float(row[other]):.0%} to {words[other]}, whose row is longer"
    return ""
