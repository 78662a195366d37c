"""The section [compare] of a configuration: which models stand side by side, and what is equal between them."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.training.durations import Duration

Equal = Literal["time", "steps", "parameters"]


class CompareConfig(Config):
    """Which models are compared, and what is equal for all; the other sections apply to every model."""

    models: list[str | dict[str, Any]] = Field(default_factory=list)
    """The models, in order: an architecture by name, your own as package.module:name, or a table with `name`, settings
    of [model], a `label`, and tables `train` and `start` of its own; empty: the default selection of the task."""
    equal: Equal = "time"
    """What is equal for all models: training time, optimizer steps, or parameters (widths are scaled)."""
    budget: Duration = ""
    """Training time per model, e.g. 10m; empty: that of the default selection, or 5m."""
    steps: NonNegativeInt = 0
    """Optimizer steps per model, instead of `budget`; 0: not set."""
    parameters: NonNegativeInt = 0
    """Number of parameters with equal = "parameters"; 0: the median of the models."""
    seeds: PositiveInt = 1
    """Training runs per model, with consecutive seeds starting from train.seed."""
    vary: list[str] = Field(default_factory=list)
    """Settings to vary, e.g. model.heads=1,2,4,8: each model is trained once per value."""
    ablation: str = ""
    """A predefined ablation by name; `seqloom compare --ablations` lists them."""
    evaluate: dict[str, Any] = Field(default_factory=dict)
    """Options of the evaluation, e.g. beam = 5."""
    sentence: str = ""
    """The input whose attention is shown for every model; empty: one from the held-out data."""
    longest: NonNegativeInt = 2048
    """Maximum sequence length for the time and memory measurements, which double from 32; 0: none."""

    @model_validator(mode="after")
    def one_thing_says_how_long(self) -> Self:
        if self.budget and self.steps:
            raise problem("steps", f"compare.budget = {self.budget} says how long to train", remedy="give one of them")
        if self.equal == "steps" and self.budget:
            what = "with equal steps, give steps instead of a time"
            raise problem("budget", what, remedy="pass --steps 2000, or --equal time")
        if self.equal == "time" and self.steps:
            what = "with equal time, give a time instead of steps"
            raise problem("steps", what, remedy="pass --equal steps, or --budget 10m")
        if self.parameters and self.equal != "parameters":
            raise problem("parameters", f"the models are equal in {self.equal}", remedy='say equal = "parameters"')
        return self
