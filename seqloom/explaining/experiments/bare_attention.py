"""Bare self-attention: softmax(X Xᵀ) X without a single weight."""

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
    vectors = ExampleInputs(bare_self_attention, words).value("X", 0)
    values = trace(bare_self_attention, vectors).values
    weights = torch.as_tensor(values["A"])
    own = [int(row.argmax()) == place for place, row in enumerate(weights)]
    text = [
        "Take a vector for each token. X Xᵀ compares every vector with every other: the larger the dot product, the "
        "more alike the two. Softmax turns each row into attention weights, and the last product averages the vectors "
        "with these weights. Nothing is learned anywhere: all that happens comes from the tokens themselves.",
        f"{sum(own)} of {len(words)} tokens attend most to themselves{drawn_away(words, weights)}. The dot "
        "product rewards long vectors as well as alike ones; `cosine` leaves the length out.",
        "What training adds are three matrices, one each for queries, keys and values: what a token looks for, what it "
        "is found by, and what it passes on. See `self-attention`.",
    ]
    maps: list[Panel] = [
        HeatMap("X: a vector for each token", value_of(vectors, words)),
        HeatMap("X Xᵀ: how alike every two are", value_of(values["A.2"], words, words)),
        HeatMap("A = softmax(X Xᵀ): attention weights, each row sums to 1", value_of(values["A"], words, words)),
        HeatMap("A X: each token, averaged with those like it", value_of(values["Y"], words)),
    ]
    return f"Bare self-attention on {sentence}", text, maps


def drawn_away(words: list[str], weights: torch.Tensor) -> str:
    """The first token that attends more to another than to itself, if there is one."""
    for place, row in enumerate(weights):
        other = int(row.argmax())
        if words[other] != words[place]:
            return f"; {words[place]} gives {float(row[other]):.0%} to {words[other]}, whose vector is longer"
    return ""
