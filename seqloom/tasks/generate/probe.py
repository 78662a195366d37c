"""A language model held open for attribution: from the tokens before to the score of each token that it wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from seqloom.attribution.probe import Probe, log_odds, output_replaced
from seqloom.models.language_model import LanguageModel
from seqloom.models.observed import shared_copy
from seqloom.tasks.generate.generation import NEVER, write
from seqloom.tasks.generate.long_text import to_tokens
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.tasks.requests import Keys
from seqloom.tasks.stages import read_words

if TYPE_CHECKING:
    from seqloom.tasks.generate.task import Generate

WRITTEN = 12
"""Tokens of a continuation that are attributed; where the context is shorter, fewer."""


def generation_probe(task: Generate, model: LanguageModel, text: str) -> Probe:
    """The log-odds of the most probable continuation, token by token; of a masked model, of what fills the blanks."""
    network: Any = shared_copy(model)
    text = task.accept(text)
    device = next(model.parameters()).device
    row, asked, chosen = blanks_filled(task, network, text) if task.masked else continued(task, network, text)
    tokens = torch.tensor([row], device=device)
    wanted = torch.tensor(chosen, device=device)
    with torch.no_grad():
        x = network.embedding(tokens)[0]

    def scores(x: Tensor, places: Tensor) -> Tensor:
        w = tokens[0][places]
        lengths = torch.full((len(w),), w.shape[1], device=device)
        with output_replaced(network.embedding, x, w):
            logits = network(w, lengths)[:, asked]
        return log_odds(logits, wanted.expand(len(w), -1))

    inputs = [task.shown(token) for token in row]
    before = read_words(task.tokenizer, text, row) if not task.masked else inputs
    known = zip(inputs, before, row, strict=True)
    inputs = [shown if token == task.tokenizer.eos else read for shown, read, token in known]
    return Probe(inputs, [task.shown(token) for token in chosen], x, scores, False)


def continued(task: Generate, network: LanguageModel, text: str) -> tuple[list[int], list[int], list[int]]:
    """A text with its continuation, as far as the model reads back; where each new token is predicted; and these."""
    limit = network.limit or task.config.model.length
    length = max(1, min(WRITTEN, limit - 1))
    prompt = [task.tokenizer.eos, *to_tokens(task.tokenizer, [text])[0]][-(limit - length + 1) :]
    options = GenerateOptions(length=length, temperature=0)
    new: list[int] = []
    for drawn in write(network, [prompt], Keys(0).of([text]), options, lambda _: True):
        new = list(drawn[-1].sequence.tokens)
    return [*prompt, *new[:-1]], list(range(len(prompt) - 1, len(prompt) + len(new) - 1)), new


def blanks_filled(task: Generate, network: LanguageModel, text: str) -> tuple[list[int], list[int], list[int]]:
    """A text with its blanks masked, where they are, and the most probable token for each."""
    row, places = task.with_blanks(text, network.limit)
    device = next(network.parameters()).device
    with torch.no_grad():
        logits = network(torch.tensor([row], device=device), torch.tensor([len(row)], device=device))[0, places]
    logits[:, list(NEVER)] = -torch.inf
    return row, places, logits.argmax(-1).tolist()
