"""Models that write, held open for attribution: from what they read to the score of each token that they wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.attribution.probe import log_odds
from seqloom.decoding.hypotheses import DecodedSequence
from seqloom.tokens.settings import BOS, EOS


def written_tokens(found: DecodedSequence) -> list[int]:
    """The tokens of an answer, with <eos> if it ended by itself."""
    return [*found.tokens, *([EOS] if found.ended else [])]


def written_scores(network: Any, tokens: Sequence[int], device: torch.device) -> Callable[[Tensor, Tensor], Tensor]:
    """sources (B, ...) with lengths (B) -> the log-odds of these tokens (B, T), each after those before it."""
    written = torch.tensor([[BOS, *tokens[:-1]]], device=device)
    wanted = torch.tensor([tokens], device=device)

    def scores(source: Tensor, lengths: Tensor) -> Tensor:
        before = written.expand(len(source), -1)
        logits = network(source, lengths, before, torch.ones_like(before, dtype=torch.bool))
        return log_odds(logits.view(*before.shape, -1), wanted.expand(len(source), -1))

    return scores
