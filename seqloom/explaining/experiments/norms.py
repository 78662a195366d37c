"""Layer norm against batch norm when sentences are padded."""

from typing import Any

import torch

from seqloom.equations import Equations
from seqloom.explaining.panels import LineChart, Panel, Series
from seqloom.layers.norms import batch_norm, layer_norm

QUESTION = "Why do Transformers use layer norm and not batch norm?"
TOKENS, WIDTH, MOST = 8, 16, 24


def run() -> tuple[str, list[str], list[Panel]]:
    generator = torch.Generator().manual_seed(0)
    sentence = torch.randn(TOKENS, WIDTH, generator=generator) + 1
    padding = range(0, MOST + 1)
    by_batch = [change(batch_norm, sentence, count) for count in padding]
    by_layer = [change(layer_norm, sentence, count) for count in padding]
    text = [
        f"One sentence of {TOKENS} tokens, in batches that pad it more and more. Batch norm takes mean and variance "
        "over all positions, padding among them, so the same sentence comes out differently in every batch: with "
        f"{MOST} padded positions a feature changes by {by_batch[-1]:.2f} on average.",
        f"Layer norm normalises one position at a time. Its change is {by_layer[-1]:.1e}: the rest of the batch "
        "does not matter. seqloom's batch norm leaves padding out of its statistics; its outputs still "
        "depend on the other sentences of the batch.",
    ]
    series = [Series("batch norm", padding, by_batch), Series("layer norm", padding, by_layer)]
    chart = LineChart("How much padding changes a sentence", "padded positions", "mean change of a feature", series)
    return "Layer norm or batch norm", text, [chart]


def change(norm: Equations[..., Any], sentence: torch.Tensor, padding: int) -> float:
    """How far the vectors of a sentence move when so many zero vectors of padding are in the batch."""
    scale, shift = torch.ones(WIDTH), torch.zeros(WIDTH)
    batch = torch.cat([sentence, torch.zeros(padding, WIDTH)])
    alone = norm(sentence, gamma=scale, beta=shift)
    among = norm(batch, gamma=scale, beta=shift)[: len(sentence)]
    return float((alone - among).abs().mean())
