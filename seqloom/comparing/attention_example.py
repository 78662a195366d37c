"""One input through a model: its answer, and where it attends; found in the traces of its equations, whatever it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seqloom.attention.attention_weights import AttentionMap, attention_map
from seqloom.equations import Equations, nodes
from seqloom.errors import SeqloomError, ShapeError
from seqloom.models.stage import Example, StageExample
from seqloom.training.model import Model


@dataclass(frozen=True)
class AttentionExample:
    """What a model makes of one input."""

    answer: str
    attention: AttentionMap | None
    example: Example | None
    """Stage by stage as equations; None of a model that cannot be opened, or an input too long for it."""


def look(model: Model, given: Any) -> AttentionExample:
    answer = model(given)
    try:
        with torch.no_grad():
            example = model.task.example(model.network, given, model.device)
    except SeqloomError:
        example = None
    own = getattr(answer, "attention", None)
    weights = answer.weights() if own is not None else attention_in(example) if example else None
    return AttentionExample(str(answer), weights, example)


def attention_in(example: Example) -> AttentionMap | None:
    """Every softmax over the words of the input that a model computes, the last stage that has one."""
    for stage in reversed(example.stages):
        if found := weights_of(stage):
            return found
    return None


def weights_of(each: StageExample) -> AttentionMap | None:
    """The softmaxes over the words in one stage, as layers with heads."""
    with torch.no_grad():
        traces = each.stage.traces()
    words = list(each.words)
    layers: list[np.ndarray[Any, Any]] = []
    for id in softmaxes(each.stage.part.bound):
        values = [torch.as_tensor(trace.values[id]) for trace in traces if id in trace.values]
        if len(values) == len(traces) and (found := by_head(values, len(words))) is not None:
            layers.append(found)
    same = [one for one in layers if one.shape == layers[0].shape]
    if not same:
        return None
    rows = same[0].shape[1]
    labels = words if rows == len(words) else [f"step {n + 1}" for n in range(rows)] if rows > 1 else ["answer"]
    try:
        return attention_map(words, labels, np.stack(same))
    except ShapeError:
        return None


def by_head(values: list[Tensor], words: int) -> np.ndarray[Any, Any] | None:
    """The weights of one softmax as (heads, rows, words); None if it is not one over the words."""
    value = values[0] if len(values) == 1 else torch.stack(values, dim=-2) if values[0].ndim < 3 else None
    if value is None or not value.ndim or value.shape[-1] != words or value.ndim > 3:
        return None
    wide = value.reshape((1,) * (3 - value.ndim) + tuple(value.shape)).float().nan_to_num(0.0)
    return wide.numpy()


def softmaxes(definition: Equations[..., Any], prefix: str = "") -> Iterator[str]:
    """The ids of every softmax in a definition and in those that it calls."""
    for _, value, _ in definition.body.statements():
        for node in value.walk():
            if isinstance(node, nodes.Call) and node.function.name == "softmax":
                yield prefix + node.id
    for call in definition.body.calls():
        if call.definition is not None:
            yield from softmaxes(call.definition, f"{prefix}{call.id}/")
