"""Choose the next token: the best one, or one drawn by its share."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import torch
from pydantic import Field, NonNegativeInt
from torch import Tensor

from seqloom.config import Config


class Sampling(Config):
    """How the next token is chosen from its scores."""

    temperature: float = Field(0.0, ge=0, le=100)
    """0 takes the best token; 1 draws by the model's shares; above, more daring, below, more careful."""
    top_k: int = Field(0, ge=0, le=10_000_000)
    """Draw among the best k tokens only; 0 for all."""
    top_p: float = Field(1.0, gt=0, le=1)
    """Draw among the best tokens that together have this share; 1 for all."""
    seed: NonNegativeInt = 0
    """Decides what is drawn: the same seed, the same text."""
    likeliest: int = Field(0, ge=0, le=20)
    """For each token written, so many tokens that could have stood there, the likeliest first."""


def choose(scores: Tensor, sampling: Sampling, draws: Tensor) -> Tensor:
    """scores (R, V), draws (R) uniform in [0, 1) -> the token of each row (R)."""
    if sampling.temperature == 0:
        return scores.argmax(-1)
    beside_the_best = scores.double() - scores.amax(-1, keepdim=True)  # so that no temperature is too low
    all_shares = torch.softmax(beside_the_best / sampling.temperature, -1)
    shares, tokens = torch.sort(all_shares, dim=-1, descending=True, stable=True)
    before = shares.cumsum(-1) - shares
    keep = before < sampling.top_p  # the best token always stays
    if sampling.top_k:
        keep[:, sampling.top_k :] = False
    kept = torch.where(keep, shares, 0.0).cumsum(-1)
    place = torch.searchsorted(kept, draws.double()[:, None] * kept[:, -1:], right=True)
    last = keep.sum(-1, keepdim=True) - 1  # rounding must not lead beyond what was kept
    return tokens.gather(-1, torch.minimum(place, last)).squeeze(-1)


class Draws:
    """Uniform numbers keyed by row and step, so that a text does not depend on what is written beside it."""

    def __init__(self, keys: Sequence[str], device: torch.device) -> None:
        self.generators = [generator_of(key) for key in keys]
        self.device = device

    def next(self, rows: list[int]) -> Tensor:
        """One number for each of these rows (R)."""
        numbers = [torch.rand((), generator=self.generators[row], dtype=torch.float64) for row in rows]
        return torch.stack(numbers).to(self.device) if numbers else torch.zeros(0, device=self.device)


def generator_of(key: str) -> torch.Generator:
    number = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=7).digest(), "big")
    return torch.Generator().manual_seed(number)
