"""A classifier looked at while it reads one input: which tokens mattered for its answer, and its attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from seqloom.models.observed import Observed
from seqloom.tasks.classify.text_inputs import TextInputs
from seqloom.tasks.inspection import MOST_TOKENS, Inspection, InspectOptions, self_attention
from seqloom.tasks.requests import TaskRequest, answers
from seqloom.tasks.stages import read_words
from seqloom.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    from seqloom.tasks.classify.task import Classify

LEFT_OUT = 128
"""Tokens up to which each is left out once."""


def inspect_classification(
    task: Classify, model: nn.Module, given: Any, options: InspectOptions
) -> Iterator[Inspection | None]:
    """The answer; of a text also the tokens, how much each mattered, and self-attention."""
    observed = Observed(model, options.heads_off)
    (answer,) = answers(task.answer_steps(observed.network, [TaskRequest(given)], None), 1)
    yield None
    record = task.inputs.record(given)
    if not isinstance(task.inputs, TextInputs):
        yield Inspection(answer, {})
        return
    tokens = [int(token) for token in task.inputs.encode([record])[0]]
    words = words_of(task.inputs.tokenizer, task.inputs.shown(record), tokens)
    attention = self_attention(observed, "self", "text", words)
    device = next(model.parameters()).device
    features = torch.from_numpy(task.features(record)).to(device)[None] if len(task.features) else None
    importance: dict[str, list[float]] = {}
    if 1 < len(tokens) <= LEFT_OUT:
        importance["left_out"] = left_out(observed.network, tokens, features, device)
        yield None
    if tokens:
        importance["gradient"] = gradient(observed.network, tokens, features, device)
    shown = words[:MOST_TOKENS]
    importance = {name: values[:MOST_TOKENS] for name, values in importance.items()}
    yield Inspection(
        answer, {"text": shown}, attention if len(shown) == len(words) else [], importance=importance,
        cut=bool(answer.cut) or len(shown) < len(words),
    )  # fmt: skip


def words_of(tokenizer: Tokenizer, text: str, tokens: Sequence[int]) -> list[str]:
    return read_words(tokenizer, text, tokens) if tokens else []


def margin(logits: Tensor, best: int) -> Tensor:
    """The logit of the answer less the logits of the others taken together (B); of a single logit, its size."""
    if logits.shape[1] == 1:
        return logits[:, 0] * best
    others = torch.cat([logits[:, :best], logits[:, best + 1 :]], dim=1)
    return logits[:, best] - others.logsumexp(-1)


def answer_of(logits: Tensor) -> int:
    """The answer of logits (1, V); of a single one, its side: 1 or -1."""
    return int(logits.argmax()) if logits.shape[1] > 1 else (1 if float(logits) >= 0 else -1)


def left_out(network: nn.Module, tokens: Sequence[int], features: Tensor | None, device: torch.device) -> list[float]:
    """For each token, by how much the margin of the answer falls when the model reads the text without it."""
    rows = [list(tokens), *([*tokens[:place], *tokens[place + 1 :]] for place in range(len(tokens)))]
    padded = torch.zeros(len(rows), len(tokens), dtype=torch.int64, device=device)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = torch.tensor(row, device=device)
    lengths = torch.tensor([len(row) for row in rows], device=device)
    with torch.inference_mode():
        beside = None if features is None else features.expand(len(rows), -1)
        logits = network(padded, lengths, beside)
    margins = margin(logits, answer_of(logits[:1]))
    return [float(value) for value in margins[0] - margins[1:]]


def gradient(network: Any, tokens: Sequence[int], features: Tensor | None, device: torch.device) -> list[float]:
    """Gradient times input: how the margin of the answer moves with the embedding of each token."""
    row, length = torch.tensor([tokens], device=device), torch.tensor([len(tokens)], device=device)
    read: list[Tensor] = []

    def embedded(_: nn.Module, __: Any, x: Tensor) -> Tensor:
        read.append(x.detach().requires_grad_())
        return read[-1]

    hook = network.embedding.register_forward_hook(embedded)
    try:
        with torch.enable_grad():
            logits = network(row, length, features)
            (slope,) = torch.autograd.grad(margin(logits, answer_of(logits)).sum(), read[-1])
    finally:
        hook.remove()
    return [float(value) for value in (slope * read[-1].detach()).sum(-1)[0]]
