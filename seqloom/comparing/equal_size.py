"""Equal parameters: the widths of a model are scaled together until its parameters are as many as asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import torch

from seqloom.comparing.compared_models import ComparedModel
from seqloom.errors import ConfigError, SeqloomError
from seqloom.tasks.registry import find_task
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.run_config import RunConfig, check_run

SCALED = ("embedding", "widths", "encoder_widths", "decoder_widths", "hidden")
"""Settings of [model] that are widths."""
NEAR = 0.05
"""How far from the number asked for a model may be, as a share of it."""
Tokenizers = Mapping[str, Tokenizer]


def parameters_of(config: RunConfig, tokenizers: Tokenizers, facts: Mapping[str, Any]) -> int:
    """The parameters of a model, counted without making them."""
    with torch.device("meta"):
        model = find_task(config.task)(config, tokenizers, facts).make_model()
    return sum(weight.numel() for weight in model.parameters())


def equal_size(
    found: list[ComparedModel], wanted: int, tokenizers: Tokenizers, facts: Mapping[str, Any]
) -> list[ComparedModel]:
    """The models with about so many parameters each; 0: the median of what they have."""

    def count(config: RunConfig) -> int:
        return parameters_of(config, tokenizers, facts)

    wanted = wanted or int(median(count(each.config) for each in found))
    return [ComparedModel(each.label, nearest(each, wanted, count)) for each in found]


def nearest(compared: ComparedModel, wanted: int, count: Callable[[RunConfig], int]) -> RunConfig:
    """The settings whose widths are scaled so that the count is nearest, by bisection of the factor."""
    low, high = 1 / 64, 64.0
    best = compared.config
    for _ in range(24):
        factor = (low * high) ** 0.5
        tried = scaled(compared, factor)
        size = count(tried)
        if abs(size - wanted) < abs(count(best) - wanted):
            best = tried
        low, high = (factor, high) if size < wanted else (low, factor)
    if abs(count(best) - wanted) > NEAR * wanted:
        what = f"{compared.label} cannot have {wanted:,} parameters by its widths; the nearest is {count(best):,}"
        raise SeqloomError(what, remedy="choose another number with --parameters, or --equal time")
    return best


def scaled(compared: ComparedModel, factor: float) -> RunConfig:
    """The settings with every width times the factor, in steps that its heads divide."""
    values = compared.config.model_dump()
    model: Any = compared.config.model  # type: ignore[attr-defined]  # of every task that has architectures
    read = model.settings_read()
    grain = 2 * model.heads if "heads" in read else 2
    for name in SCALED:
        if name in read and name in values["model"]:
            now = values["model"][name]
            values["model"][name] = [width(each, factor, grain) for each in now] if isinstance(now, list) else width(
                now, factor, grain
            )  # fmt: skip
    try:
        found = check_run(values, where=compared.label, saved=True)
    except ConfigError as error:
        raise SeqloomError(f"{compared.label} cannot be scaled: {error}", remedy="use --equal time") from error
    return found.model_copy(update={"data": compared.config.data})  # rows in memory are no plain values


def width(value: int, factor: float, grain: int) -> int:
    return max(round(value * factor / grain), 1) * grain if value else 0
