"""A classifier looked at while it reads one input: which tokens mattered for its answer, and its attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from torch import nn

from seqloom.attribution.methods import gradient, leave_one_out
from seqloom.models.observed import Observed
from seqloom.tasks.classify.probe import classification_probe
from seqloom.tasks.classify.text_inputs import TextInputs
from seqloom.tasks.inspection import (
    MOST_TOKENS,
    Inspection,
    InspectOptions,
    NamedAttention,
    attention_of,
    self_attention,
)
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
    if "pooling" in observed.weights:
        pooled = attention_of(observed.weights["pooling"], [str(answer)], words)
        attention.append(NamedAttention("pooling", "target", "text", pooled))
    importance: dict[str, list[float]] = {}
    if tokens:
        probe = classification_probe(task, observed.network, given)
        if 1 < len(tokens) <= LEFT_OUT:
            importance["left_out"] = leave_one_out(probe)[0].tolist()
            yield None
        importance["gradient"] = gradient(probe)[0].tolist()
    shown = words[:MOST_TOKENS]
    importance = {name: values[:MOST_TOKENS] for name, values in importance.items()}
    yield Inspection(
        answer, {"text": shown}, attention if len(shown) == len(words) else [], importance=importance,
        cut=bool(answer.cut) or len(shown) < len(words),
    )  # fmt: skip


def words_of(tokenizer: Tokenizer, text: str, tokens: Sequence[int]) -> list[str]:
    return read_words(tokenizer, text, tokens) if tokens else []
