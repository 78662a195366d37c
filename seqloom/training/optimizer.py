"""The optimizer, and its state as plain tensors under the names of the parameters."""

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


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate
