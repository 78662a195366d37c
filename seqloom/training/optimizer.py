"""The optimizer, gradient clipping, and the state of the optimizer as plain tensors by parameter name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from seqloom.training.layer_rates import LayerRates
from seqloom.training.schedules import Schedule
from seqloom.training.settings import TrainConfig


def make_optimizer(model: nn.Module, config: TrainConfig, rates: LayerRates) -> torch.optim.Optimizer:
    """Adam or AdamW on fused kernels; matrices decay, biases and norms do not. A group for each depth of layers."""
    trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    groups: dict[tuple[int, bool], list[Tensor]] = {}
    for name, weight in trained.items():
        groups.setdefault((rates.depth(name), weight.dim() <= 1), []).append(weight)
    filled = [
        {"params": weights, "weight_decay": 0.0 if small else config.weight_decay, "depth": depth}
        for (depth, small), weights in sorted(groups.items(), key=lambda group: group[0])
    ]
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    return kind(filled, lr=0.0, betas=(0.9, config.beta_2), eps=1e-9, fused=True)


def optimizer_state(optimizer: torch.optim.Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """The state of the optimizer by name: `decoder.weight:exp_avg` and so on."""
    names: dict[Tensor, str] = {weight: name for name, weight in model.named_parameters()}
    return {
        f"{names[weight]}:{key}": value
        for weight, state in optimizer.state.items()
        for key, value in state.items()
        if isinstance(value, Tensor)
    }


def load_optimizer_state(optimizer: torch.optim.Optimizer, model: nn.Module, state: Mapping[str, Tensor]) -> None:
    """Restore a saved state, to the last bit."""
    weights = dict(model.named_parameters())
    optimizer.state.clear()
    for entry, value in state.items():
        name, _, key = entry.rpartition(":")
        weight = weights[name]
        place = weight.device if key != "step" or value.dim() else value.device
        optimizer.state[weight][key] = value.clone().to(place)


def clip_gradients(weights: Sequence[Tensor], norm: float) -> None:
    """Gradient clipping: scale the gradients so that their norm over all parameters is at most this; 0: not at all."""
    if norm:
        nn.utils.clip_grad_norm_(weights, norm, foreach=True)


def set_learning_rate(optimizer: torch.optim.Optimizer, schedule: Schedule, rates: LayerRates, step: int) -> None:
    """The rate of a step, counted from 1, for every layer."""
    for group in optimizer.param_groups:
        group["lr"] = schedule.rate(step) * rates.factor(group["depth"], step)
