"""What a comparison found: plain data about every model, and about every two neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seqloom.attention.attention_weights import AttentionMap
from seqloom.comparing.cost import Cost
from seqloom.comparing.structure import DefinitionDifference
from seqloom.evaluating.bootstrap import ConfidenceInterval, SystemComparison
from seqloom.evaluating.by_length import LengthBucket

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Curve:
    """A quantity while a model learns: at which steps, after how many seconds (None: not known)."""

    steps: Sequence[int]
    seconds: Sequence[float | None]
    values: Sequence[float]

    def json(self) -> dict[str, Any]:
        return {"steps": list(self.steps), "seconds": list(self.seconds), "values": list(self.values)}


@dataclass(frozen=True)
class Forgetting:
    """The mean influence of a token on the last state of the encoder, by its distance from the end."""

    trained: Sequence[float]
    untrained: Sequence[float]


@dataclass(frozen=True)
class ModelResult:
    """All that was measured of one model."""

    label: str
    name: str
    """The architecture."""
    settings: Mapping[str, Any]
    """Settings in which the models of the comparison differ."""
    folders: Sequence[str]
    parameters: int
    steps: int
    seconds: float | None
    """Of training, evaluations included."""
    measure: str
    quality: ConfidenceInterval
    by_seed: Sequence[float]
    metrics: Mapping[str, float]
    by_length: Sequence[LengthBucket]
    loss: Curve
    validation: Curve
    validated_by: str
    """The metric on validation data that selects a checkpoint."""
    tokens_per_second: float | None
    """In training."""
    answers_per_second: float
    """Many inputs together."""
    latency: float
    """Seconds for one input alone."""
    memory: int
    """Bytes that a training step needs."""
    costs: Sequence[Cost]
    forgetting: Forgetting | None
    recurrent_layers: int
    answer: str
    attention: AttentionMap | None
    adds: Sequence[DefinitionDifference]
    """To the model before it."""
    against: SystemComparison | None = None
    """The model before it, on the same examples; None of the first."""

    @property
    def attends(self) -> bool:
        return self.attention is not None

    @property
    def significant(self) -> bool | None:
        """Whether it differs from the model before it by more than chance; None where nothing can be said."""
        return None if self.against is None else self.against.randomisation_p < SIGNIFICANT

    def row(self) -> dict[str, Any]:
        """One row of a table: what can be put into a single cell."""
        return {
            "model": self.label,
            self.measure: self.quality.value,
            "low": self.quality.low,
            "high": self.quality.high,
            "p": None if self.against is None else self.against.randomisation_p,
            "parameters": self.parameters,
            "steps": self.steps,
            "seconds": self.seconds,
            "tokens_per_second": self.tokens_per_second,
            "answers_per_second": self.answers_per_second,
            "latency": self.latency,
            "memory": self.memory,
        }

    def json(self) -> dict[str, Any]:
        return {
            **self.row(),
            "architecture": self.name,
            "settings": dict(self.settings),
            "runs": list(self.folders),
            "by_seed": list(self.by_seed),
            "metrics": dict(self.metrics),
            "by_length": [bucket.json() for bucket in self.by_length],
            "loss": self.loss.json(),
            "validation": {"metric": self.validated_by, **self.validation.json()},
            "costs": [vars(cost) for cost in self.costs],
            "forgetting": None if self.forgetting is None else vars(self.forgetting),
            "recurrent_layers": self.recurrent_layers,
            "answer": self.answer,
            "attention": None if self.attention is None else self.attention.json(),
            "against_the_model_before": None if self.against is None else self.against.json(),
            "adds": [
                {"name": one.name, "change": one.change, "lines": [(line.fate, line.plain) for line in one.lines]}
                for one in self.adds
            ],
        }


@dataclass(frozen=True)
class Findings:
    """A whole comparison."""

    task: str
    data: str
    part: str
    """The split that quality is measured on."""
    examples: int
    measure: str
    lower_is_better: bool
    equal: str
    allotted: str
    """What each model got, in words: `1:10 of training`."""
    example: str
    models: Sequence[ModelResult]
    varied: Sequence[str] = ()
    """The settings that the user asked to vary."""
    facts: Sequence[tuple[str, str]] = field(default_factory=list)
    """How it was made: machine, versions, settings that all share."""

    @property
    def best(self) -> ModelResult:
        pick = min if self.lower_is_better else max
        return pick(self.models, key=lambda one: one.quality.value)

    def json(self) -> dict[str, Any]:
        return {
            "task": self.task, "data": self.data, "part": self.part, "examples": self.examples,
            "measure": self.measure, "lower_is_better": self.lower_is_better, "equal": self.equal,
            "allotted": self.allotted, "example": self.example, "facts": dict(self.facts),
            "models": [one.json() for one in self.models],
        }  # fmt: skip
