"""Where a run is: what the trainer knows of it beside weights and data, as it stands in a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from seqloom.tasks.trainable import ValidationResult

SAVED_AS = {"evaluations_since_best": "no_better"}
"""Fields whose key in a checkpoint is another."""


@dataclass
class TrainerState:
    """Where a run is; all of it is in a checkpoint."""

    step: int = 0
    tokens: int = 0
    loss_sum: float = 0.0  # since the last logged step
    loss_count: float = 0.0
    best: float | None = None
    best_step: int | None = None
    best_metric: str = ""  # the same score as a person reads it
    evaluations_since_best: int = 0
    finished: str = ""  # why, once it is
    settings: dict[str, Any] = field(default_factory=dict)  # what the last step was trained with
    seconds: float = 0.0  # of work, over all resumes; decides nothing
    processor: str = ""  # what the last step was computed with

    def improved(self, result: ValidationResult) -> bool:
        """Whether this is the best score so far; evaluations since the best one are counted."""
        if self.best is None or result.selection_score > self.best:
            self.best, self.best_step, self.evaluations_since_best = result.selection_score, self.step, 0
            self.best_metric = result.selected_by
            return True
        self.evaluations_since_best += 1
        return False

    def saved(self) -> dict[str, Any]:
        """As it is written into a checkpoint."""
        return {SAVED_AS.get(name, name): value for name, value in asdict(self).items()}

    @classmethod
    def load(cls, saved: Mapping[str, Any]) -> TrainerState:
        """The state in a checkpoint."""
        names = {key: name for name, key in SAVED_AS.items()}
        return cls(**{names.get(key, key): value for key, value in saved.items()})
