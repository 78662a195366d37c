"""The optimizer, and its memory as plain tensors under the names of the parameters."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from seqloom.training.settings import TrainConfig


def make_optimizer(model: nn.Module, config: TrainConfig) -> torch.optim.Optimizer:
    """Adam or AdamW on fused kernels; matrices decay, biases and norms do not."""
    trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    groups = [
        {"params": [w for w in trained.values() if w.dim() > 1], "weight_decay": config.weight_decay},
        {"params": [w for w in trained.values() if w.dim() <= 1], "weight_decay": 0.0},
    ]
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    filled = [group for group in groups if group["params"]]
    return kind(filled, lr=0.0, betas=(0.9, config.beta_2), eps=1e-9, fused=True)


def memory_of(optimizer: torch.optim.Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """What the optimizer remembers: `decoder.weight:exp_avg` and so on."""
    names: dict[Tensor, str] = {weight: name for name, weight in model.named_parameters()}
    return {
        f"{names[weight]}:{key}": value
        for weight, memory in optimizer.state.items()
        for key, value in memory.items()
        if isinstance(value, Tensor)
    }


def remember(optimizer: torch.optim.Optimizer, model: nn.Module, memory: Mapping[str, Tensor]) -> None:
    """Put a memory back, to the last bit."""
    weights = dict(model.named_parameters())
    optimizer.state.clear()
    for entry, value in memory.items():
        name, _, key = entry.rpartition(":")
        weight = weights[name]
        place = weight.device if key != "step" or value.dim() else value.device
        optimizer.state[weight][key] = value.clone().to(place)


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate
