"""A tagger looked at while it tags one sentence: what else each word could be, and its attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from seqloom.models.observed import Observed
from seqloom.tasks.inspection import MOST_TOKENS, Candidate, Inspection, InspectOptions, TokenStep, self_attention
from seqloom.tasks.requests import TaskRequest, answers
from seqloom.tasks.stages import read_words
from seqloom.tasks.tag.batch import TagBatch
from seqloom.tasks.tag.inputs import WordSequences

if TYPE_CHECKING:
    from seqloom.tasks.tag.task import Tag


def inspect_tagging(task: Tag, model: nn.Module, given: Any, options: InspectOptions) -> Iterator[Inspection | None]:
    """The tags, with the probabilities of the others; self-attention where the sentence is one example."""
    observed = Observed(model, options.heads_off)
    (answer,) = answers(task.answer_steps(observed.network, [TaskRequest(given)], None), 1)
    yield None
    if not isinstance(task.inputs, WordSequences):
        yield Inspection(answer, {})
        return
    read = task.inputs.read(given)
    examples = task.inputs.examples(read.values, [0] * len(read.words))
    attention: list[Any] = []
    steps: list[TokenStep] = []
    if len(examples) == 1:
        batch = TagBatch.of(examples, next(model.parameters()).device)
        with torch.inference_mode():
            probabilities = torch.softmax(batch.logits(observed.network), -1)[0].cpu()
        tagged = probabilities[batch.tags[0].cpu() >= 0]
        steps = [step(row, tag, task.tags, options.candidates) for row, tag in zip(tagged, answer.tags, strict=True)]
        pieces = read_words(task.inputs.tokenizer, read.text, batch.tokens[0].tolist())
        if len(pieces) == len(answer.words):
            attention = self_attention(observed, "self", "text", list(answer.words))
        else:
            attention = self_attention(observed, "self", "pieces", pieces)
    words = list(answer.words[:MOST_TOKENS])
    rows = {"text": words, **{one.rows: list(one.map.source) for one in attention if one.rows != "text"}}
    yield Inspection(answer, rows, attention, steps[:MOST_TOKENS], "text", cut=len(words) < len(answer.words))


def step(probabilities: torch.Tensor, tag: str, tags: Any, count: int) -> TokenStep:
    best = probabilities.topk(min(count, len(tags)))
    ranked = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    own = list(tags).index(tag)
    return TokenStep(
        Candidate(own, tag, float(probabilities[own])), [Candidate(id, tags[id], p) for id, p in ranked], given=True
    )
