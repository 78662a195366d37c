"""The section [compare] of a configuration: which models stand side by side, and what is equal between them."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.training.durations import parse_duration

Equal = Literal["time", "steps", "parameters"]


class CompareConfig(Config):
    """What is compared, and what is the same for all; the other sections hold for every model."""

    models: list[str | dict[str, Any]] = Field(default_factory=list)
    """Models in their order: a name of `seqloom summary`, your own as package.module:name, or a table with `name`,
    settings of [model], and a `label`; empty: the default line of the task."""
    equal: Equal = "time"
    """What every model gets alike: training time, optimizer steps, or parameters (widths are scaled to agree)."""
    budget: str = ""
    """Training time of each model, as 10m; empty: what the default line takes, or 5m."""
    steps: NonNegativeInt = 0
    """Optimizer steps of each model, instead of `budget`; 0: not said."""
    parameters: NonNegativeInt = 0
    """With equal = "parameters" how many; 0: the median of the models as they are."""
    seeds: PositiveInt = 1
    """How often each model is trained, with seeds that count up from train.seed."""
    vary: list[str] = Field(default_factory=list)
    """Settings that vary, as model.heads=1,2,4,8: each model is there once for every value."""
    ablation: str = ""
    """A ready-made choice of models and `vary`, by name; `seqloom compare --ablations` lists them."""
    evaluate: dict[str, Any] = Field(default_factory=dict)
    """Options of the evaluation, as beam = 5."""
    sentence: str = ""
    """The input that is shown going through every model; empty: one of the held-out data."""
    longest: NonNegativeInt = 2048
    """Sequence length up to which time and memory are measured, from 32 on by doubling; 0: not at all."""

    @model_validator(mode="after")
    def one_thing_says_how_long(self) -> Self:
        if self.budget and self.steps:
            raise problem("steps", f"compare.budget = {self.budget} says how long to train", remedy="give one of them")
        if self.equal == "steps" and self.budget:
            what = "with equal steps it is the steps that are given, not the time"
            raise problem("budget", what, remedy="say --steps 2000, or --equal time")
        if self.equal == "time" and self.steps:
            what = "with equal time it is the time that is given, not the steps"
            raise problem("steps", what, remedy="say --equal steps, or --budget 10m")
        if self.parameters and self.equal != "parameters":
            raise problem("parameters", f"the models are equal in {self.equal}", remedy='say equal = "parameters"')
        return self

    @model_validator(mode="after")
    def budget_is_a_time(self) -> Self:
        try:
            if self.budget:
                parse_duration(self.budget)
        except ValueError:
            raise problem("budget", f"{self.budget!r} is no time", remedy="write it like 45m, 1h30m or 3600s") from None
        return self
