"""The section [train] of a configuration."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.training.durations import parse_duration


class TrainConfig(Config):
    """How a model is trained."""

    steps: PositiveInt = 2_000
    """Optimizer steps in total."""
    budget: str = ""
    """The time to train for, as 45m, 1h30m or 3600s: it decides `steps`, by the speed measured here; empty for none."""
    epochs: NonNegativeFloat = 0.0
    """Passes over the training data: they decide `steps`, with a budget at most so many; 0: `steps` is as it says."""
    batch_tokens: PositiveInt = 4_096
    """Tokens in a batch, padding among them, over all processes and accumulated parts together."""
    accumulate: PositiveInt = 1
    """Parts that a batch is cut into, one after the other, so that it fits into memory."""
    optimizer: Literal["adamw", "adam"] = "adamw"
    """AdamW decays weights by themselves; Adam adds the decay to the gradient."""
    learning_rate: PositiveFloat = 1e-3
    """The highest learning rate: what the schedule reaches after the warm-up."""
    schedule: Literal["inverse-sqrt", "cosine", "constant", "plateau"] = "inverse-sqrt"
    """How the learning rate falls after the warm-up."""
    warmup_steps: NonNegativeInt = 100
    """Steps over which the learning rate climbs from zero; less than `steps`: unsaid, a tenth of so few."""
    weight_decay: NonNegativeFloat = 0.01
    """How strongly weights are pulled to zero; biases and norms are left alone."""
    beta_2: float = Field(0.98, gt=0, lt=1)
    """Decay rate of the second moment of gradients in Adam."""
    clip: NonNegativeFloat = 1.0
    """Gradients are clipped to this norm over all parameters; 0 for no clipping."""
    label_smoothing: float = Field(0.0, ge=0, lt=1)
    """Label smoothing: the probability that is spread over all labels or words."""
    r_drop: NonNegativeFloat = 0.0
    """How strongly two forward passes of a batch, each with its own dropout, are pulled together (R-Drop, 1 to 5): for
    little data, at twice the time for a step; 0 for one pass."""
    average: float = Field(0.0, ge=0, lt=1)
    """Evaluate and keep a running average of the weights that forgets at this rate (0.999); 0 for none."""
    evaluate_every: PositiveInt = 200
    """Steps between two evaluations on validation data."""
    patience: NonNegativeInt = 0
    """Evaluations without a better score before training stops early; 0 for never."""
    checkpoint_every: PositiveInt = 200
    """Steps between two checkpoints."""
    keep: PositiveInt = 2
    """The newest checkpoints that are kept; the best one is always kept."""
    log_every: PositiveInt = 10
    """Steps between two lines in metrics.jsonl and on the display."""
    tensorboard: bool = False
    """Whether the metrics of metrics.jsonl are written for TensorBoard too, into the folder tensorboard of the run."""
    choose: bool = True
    """Whether settings that are not given are chosen from the data (docs/defaults.md); false: they are as listed."""
    baseline: bool = True
    """Whether a simple baseline is trained too, in seconds, and its score shown beside that of the model."""
    seed: NonNegativeInt = 1
    """Decides everything that is random."""
    threads: NonNegativeInt = 0
    """Threads on a CPU; 0: one for each core that is free when the run begins, and the same when it goes on."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps; auto takes the fastest there is."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """bfloat16 computes faster where the device has it; weights stay in float32."""

    @model_validator(mode="after")
    def budget_is_a_time(self) -> Self:
        try:
            if self.budget:
                parse_duration(self.budget)
        except ValueError:
            raise problem("budget", f"{self.budget!r} is no time", remedy="write it like 45m, 1h30m or 3600s") from None
        return self

    @model_validator(mode="before")
    @classmethod
    def a_short_training_warms_up_shortly(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "warmup_steps" in given:
            return given
        steps = given.get("steps")
        if not isinstance(steps, int) or steps > cls.model_fields["warmup_steps"].default:
            return given
        return {**given, "warmup_steps": max(steps // 10, 0)}

    def with_steps(self, steps: int) -> TrainConfig:
        """The same with that many steps, and a warm-up that ends before them."""
        return self.model_copy(update={"steps": steps, "warmup_steps": min(self.warmup_steps, steps // 10)})

    @model_validator(mode="after")
    def warmup_ends_before_training_does(self) -> Self:
        if self.warmup_steps >= self.steps and not (self.budget or self.epochs):
            raise problem(
                "warmup_steps",
                f"{self.warmup_steps} is not below train.steps = {self.steps}",
                remedy=f"set it under {self.steps}, or train for longer",
            )
        return self
