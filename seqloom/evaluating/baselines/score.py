"""The score of a baseline, beside which that of a model is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seqloom.evaluating.tables import metric_text

MOST_EXAMPLES = 20_000
"""Examples that a baseline is trained on; of more data the first ones, so that it takes seconds."""
MOST_MEASURED = 5_000
"""Examples that it is measured on."""


@dataclass(frozen=True)
class BaselineScore:
    """What a simple model reaches by one metric."""

    name: str
    metric: str
    value: float

    def __str__(self) -> str:
        return f"{self.name} {metric_text(self.value)}"


def sentence(scores: Sequence[BaselineScore], best: str = "") -> str:
    """The scores on one line, beside that of the model if it is given.

    >>> sentence([BaselineScore("the most frequent label", "accuracy", 0.5)], "accuracy 0.91")
    'model: accuracy 0.91; baselines (accuracy): the most frequent label 0.5000'
    """
    metric = scores[0].metric
    model = f"model: {best}; " if best else ""
    return f"{model}baselines ({metric}): {', '.join(map(str, scores))}"
