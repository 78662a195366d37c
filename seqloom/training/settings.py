"""The section [train] of a configuration."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.training.durations import Duration


class TrainConfig(Config):
    """How a model is trained."""

    steps: PositiveInt = 2_000
    """Optimizer steps in total."""
    budget: Duration = ""
    """Training time such as 45m, 1h30m or 3600s: sets `steps` from the speed measured on this machine; empty: none."""
    epochs: NonNegativeFloat = 0.0
    """Passes over the training data: sets `steps`; together with `budget` an upper limit; 0: use `steps`."""
    batch_tokens: PositiveInt = 4_096
    """Tokens per batch including padding, summed over all processes and accumulation steps."""
    accumulate: PositiveInt = 1
    """Gradient accumulation: the number of parts that a batch is processed in, to save memory."""
    optimizer: Literal["adamw", "adam"] = "adamw"
    """AdamW (decoupled weight decay) or Adam (weight decay as part of the gradient)."""
    learning_rate: PositiveFloat = 1e-3
    """Peak learning rate, reached at the end of the warm-up."""
    schedule: Literal["inverse-sqrt", "cosine", "constant", "plateau"] = "inverse-sqrt"
    """Learning-rate schedule after the warm-up."""
    warmup_steps: NonNegativeInt = 100
    """Steps of linear warm-up; must be less than `steps`; in short runs a tenth of `steps` by default."""
    weight_decay: NonNegativeFloat = 0.01
    """Weight decay; not applied to biases and norms."""
    beta_2: float = Field(0.98, gt=0, lt=1)
    """Adam's beta 2: decay rate of the second moment of the gradients."""
    clip: NonNegativeFloat = 1.0
    """Gradient clipping: maximum norm over all parameters; 0: no clipping."""
    label_smoothing: float = Field(0.0, ge=0, lt=1)
    """Label smoothing: the probability mass spread evenly over all labels or tokens."""
    r_drop: NonNegativeFloat = 0.0
    """Weight of the R-Drop loss, the divergence between two forward passes with different dropout (usually 1 to 5):
    helps with little data, doubles the time per step; 0: off."""
    average: float = Field(0.0, ge=0, lt=1)
    """Decay of an exponential moving average of the weights, which is evaluated and saved (e.g. 0.999); 0: off."""
    evaluate_every: PositiveInt = 200
    """Steps between evaluations on the validation data."""
    patience: NonNegativeInt = 0
    """Early stopping: evaluations without improvement before training stops; 0: never."""
    checkpoint_every: PositiveInt = 200
    """Steps between checkpoints."""
    keep: PositiveInt = 2
    """Number of recent checkpoints to keep; the best one is always kept."""
    log_every: PositiveInt = 10
    """Steps between log lines in metrics.jsonl and on the display."""
    tensorboard: bool = False
    """Also log the metrics for TensorBoard, in the folder tensorboard of the run."""
    choose: bool = True
    """Choose settings that are not given from the data (docs/defaults.md); false: use the defaults listed here."""
    baseline: bool = True
    """Also train a simple baseline, which takes seconds, and show its score next to the model's."""
    seed: NonNegativeInt = 1
    """Random seed."""
    threads: NonNegativeInt = 0
    """CPU threads; 0: one per core that is idle when the run starts; a resumed run keeps the number."""
    device: str = "auto"
    """cpu, cuda, cuda:1 or mps; auto: the fastest available."""
    shard: bool = False
    """Under torchrun, split weights, gradients and optimizer state over the processes (FSDP2), for models that do not
    fit on one device; evaluations gather the weights."""
    precision: Literal["auto", "float32", "bfloat16"] = "float32"
    """Precision of the computation: bfloat16 is faster where the device supports it, weights stay in float32; auto:
    bfloat16 there, float32 elsewhere; a resumed run keeps what was chosen."""

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
