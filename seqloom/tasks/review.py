"""What a model said of an example whose right answer is known, beside that answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True)
class Reviewed:
    """An example: what is right, what the model says, and how wrong that is."""

    input: Any
    """As `predict` takes it."""
    expected: str
    predicted: str
    loss: float
    """The mean of a token, of a word, or of a label."""
    length: int
    """Tokens, words or frames that were read."""
    right: bool | None
    """None where an answer is not simply right or wrong: a number, a text that goes on."""
    true: Sequence[str] = ()
    """The right labels, one for each that was predicted: what a confusion matrix counts."""
    given: Sequence[str] = ()


def mean_losses(logits: Tensor, targets: Tensor, where: Tensor) -> list[float]:
    """The mean cross-entropy of each row: logits (N, V) and targets (N) of the places (B, T) where there is one."""
    losses = torch.zeros(where.shape, dtype=torch.float64, device=where.device)
    losses[where] = F.cross_entropy(logits.float(), targets, reduction="none").double()
    return (losses.sum(1) / where.sum(1).clamp(min=1)).tolist()
