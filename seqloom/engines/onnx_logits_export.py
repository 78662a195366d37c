"""Models that give logits for a whole input, as ONNX graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from seqloom.engines.onnx_quantization import quantized
from seqloom.engines.onnx_trace import grow_positions, need_packages, trace
from seqloom.engines.settings import LOGITS
from seqloom.extras import require

SIZES = ((3, 7, 5), (2, 11, 4), (1, 1, 1), (5, 3, 6))
"""Sizes (batch, tokens, source tokens) of the batch that is traced, and of those that the graph is held to."""


def export_logits(network: Any, folder: Path, length: int, *, int8: bool) -> None:
    """Write the graph of a module that says what its batches look like (`example_batch`).

    length  the most tokens that it reads
    """
    need_packages()
    network = network.eval()
    grow_positions(network, length)
    batches = [batch(network, sizes) for sizes in SIZES]
    names = [f"input_{place}" for place in range(len(batches[0]))]
    model = trace(network, lambda *inputs: [network(*inputs)], batches, names, 1)
    require("onnx", "onnx", "an export to ONNX").save(quantized(model) if int8 else model, str(folder / LOGITS))


def batch(network: Any, sizes: tuple[int, int, int]) -> tuple[Tensor, ...]:
    """A batch of these sizes with inputs of different lengths, since masks of full batches are left out.

    What has no row for each input, as the spellings of words, gets a size of its own.
    """
    words, lengths, *rest = network.example_batch(*sizes)
    random = torch.Generator().manual_seed(7)
    words = draw(words, random)
    lengths = torch.tensor([max(1, int(lengths[0]) - 2 * place) for place in range(len(lengths))])
    beside = (
        one if len(one) == len(words) else one.new_ones(len(one) + sizes[2], one.shape[1] + sizes[2]) for one in rest
    )
    return (words, lengths, *beside)


def draw(x: Tensor, random: torch.Generator) -> Tensor:
    """Token ids that every vocabulary has, or any frames."""
    if x.is_floating_point():
        return torch.randn(x.shape, generator=random)
    return torch.randint(0, 4, x.shape, generator=random)
