"""How an encoder-decoder writes: decoding by beam search or sampling, and the scores of tokens that it wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.attribution.probe import log_odds
from seqloom.decoding.beam_search import beam_search
from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import DecodedSequence, DecodingUpdate
from seqloom.decoding.sampling import sample_answers
from seqloom.decoding.settings import DecodingOptions
from seqloom.tasks.prefix import prefix_tokens
from seqloom.tasks.requests import TaskRequest
from seqloom.tokens.settings import BOS, EOS, PAD
from seqloom.tokens.tokenizer import Tokenizer


def write_steps(
    model: Any,
    state: Any,
    lengths: Sequence[int],
    requests: Sequence[TaskRequest],
    tokenizer: Tokenizer,
    options: DecodingOptions,
    device: torch.device,
) -> Iterator[list[DecodingUpdate]]:
    """After each step the answers that are ready, for as long as they are wanted.

    state    of the model before the first token, a row for each request
    lengths  of what each answer is written from, which bounds the answer
    """
    constraints = Constraints(
        EOS, forbidden=(PAD, BOS), min_length=options.min_length, no_repeat=options.no_repeat,
        prefix=prefix_tokens(tokenizer, options.prefix),
    )  # fmt: skip

    def wanted(number: int) -> bool:
        return requests[number].wanted

    if not options.temperature:
        return beam_search(model, state, lengths, BOS, constraints, options, device, wanted=wanted)
    keys = [one.key for one in requests]
    streaming = [one.streaming for one in requests]
    return sample_answers(
        model, state, lengths, BOS, constraints, options, device, keys, wanted, lambda number: streaming[number]
    )


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
