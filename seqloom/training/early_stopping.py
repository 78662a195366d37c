"""When a run is finished: all steps are done, or early stopping."""

from __future__ import annotations

from seqloom.training.settings import TrainConfig
from seqloom.training.trainer_state import TrainerState


def stop_reason(state: TrainerState, config: TrainConfig) -> str:
    """Why training is finished; empty if it is not.

    >>> stop_reason(TrainerState(step=50, evaluations_since_best=3), TrainConfig(steps=100, patience=3))
    'no better for 3 evaluations'
    """
    if state.step >= config.steps:
        return f"all {config.steps:,} steps are done"
    if config.patience and state.evaluations_since_best >= config.patience:
        return f"no better for {state.evaluations_since_best} evaluations"
    return ""
