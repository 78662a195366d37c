"""A model looked at while it answers one input: tokens, attention, candidates, what mattered; the same for all tasks.

A task fills in what it has (`Task.inspect`); whoever shows it draws what is there and knows no task by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from pydantic import Field, NonNegativeInt
from torch import Tensor

from seqloom.attention.attention_weights import AttentionMap
from seqloom.config import Config
from seqloom.models.observed import Head, Observed

MOST_TOKENS = 512
"""Tokens of an input, or of an answer, that are looked at."""


class InspectOptions(Config):
    """How a prediction is inspected."""

    beam: int = Field(4, ge=1, le=8)
    """Beam size."""
    temperature: float | None = Field(None, ge=0, le=10)
    """Sampling temperature; 0: no sampling; None: the default of the task."""
    seed: NonNegativeInt = 0
    """Random seed of the sampling."""
    length: int = Field(40, ge=1, le=MOST_TOKENS)
    """Number of tokens that a language model generates."""
    prefix: tuple[NonNegativeInt, ...] = Field((), max_length=MOST_TOKENS)
    """Token ids that the answer starts with: those up to a step, and another candidate there."""
    off: tuple[str, ...] = Field((), max_length=256)
    """Attention heads to switch off, e.g. `cross.0.3`: attention, layer and head, counted from 0."""
    candidates: int = Field(8, ge=1, le=20)
    """Number of most probable tokens reported for each step."""

    @property
    def heads_off(self) -> list[Head]:
        return [Head.named(name) for name in self.off]


@dataclass(frozen=True)
class Candidate:
    """A token that could stand at a step."""

    id: int
    token: str
    probability: float


@dataclass(frozen=True)
class TokenStep:
    """A token of the answer, and what else could have stood there."""

    chosen: Candidate
    candidates: Sequence[Candidate]
    given: bool = False
    """Whether it is part of the input, so that nothing was chosen there."""


@dataclass(frozen=True)
class BeamNode:
    """A hypothesis that beam search kept: a token after its parent (its index, -1 at the start)."""

    parent: int
    token: str
    id: int
    probability: float
    total: float
    """The log-probability of all tokens up to it."""
    best: bool = False
    """Whether it leads to the answer."""


@dataclass(frozen=True)
class NamedAttention:
    """Attention weights, and the rows of tokens between which they lie."""

    group: str
    rows: str
    columns: str
    map: AttentionMap


@dataclass(frozen=True)
class SeenPicture:
    """A picture as the model sees it, and the grid of regions that it attends to."""

    png: bytes
    width: int
    height: int
    rows: int
    columns: int


@dataclass(frozen=True)
class Inspection:
    """What was seen. Rows of tokens go by name; whatever a task has nothing to say of stays empty."""

    answer: Any
    rows: Mapping[str, Sequence[str]]
    attention: Sequence[NamedAttention] = ()
    steps: Sequence[TokenStep] = ()
    stepped: str = ""
    """The row that the steps belong to."""
    tree: Sequence[BeamNode] = ()
    importance: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """How much each token of the first row mattered for the answer, by method; signed."""
    temperature: float = 0.0
    """At which the answer was sampled; 0: it was searched for."""
    cut: bool = False
    """Whether the input was longer than is looked at."""
    picture: SeenPicture | None = None
    """What was read, where it is a picture: the row `source` names its regions, row by row."""


def self_attention(observed: Observed, group: str, row: str, tokens: Sequence[str]) -> list[NamedAttention]:
    """The attention of a row of tokens to itself, if the network has any."""
    found = observed.weights.get(group)
    if not found or found[0].shape[-1] != len(tokens):
        return []
    return [NamedAttention(group, row, row, attention_of(found, tokens, tokens))]


def attention_of(layers: Mapping[int, Tensor], rows: Sequence[str], columns: Sequence[str]) -> AttentionMap:
    """Weights (N, T, S) by layer as a map."""
    weights = torch.stack([layers[number] for number in sorted(layers)]).float().cpu().numpy()
    names = tuple(f"layer {number + 1}" for number in sorted(layers))
    return AttentionMap(tuple(columns), tuple(rows), weights, names)


def steps_of(
    logits: Tensor, chosen: Sequence[int], names: Sequence[str], count: int, never: Sequence[int] = (), given: int = 0
) -> list[TokenStep]:
    """What could stand at each step.

    logits (T, V) before each of the chosen tokens (T), of which the first `given` were part of the input
    """
    probabilities = torch.softmax(logits.float(), -1).cpu()
    shown = probabilities.clone()
    shown[:, list(never)] = -1.0
    best = shown.topk(min(count, shown.shape[1] - len(never)), dim=-1)
    steps = []
    for place, token in enumerate(chosen):
        ranked = zip(best.indices[place].tolist(), best.values[place].tolist(), strict=True)
        candidates = [Candidate(id, names[id], p) for id, p in ranked]
        own = Candidate(token, names[token], float(probabilities[place, token]))
        steps.append(TokenStep(own, candidates, place < given))
    return steps
