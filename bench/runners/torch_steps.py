"""A training step as one writes it with torch, for every model that is called with a batch; its optimizer fused."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn

Batches = list[dict[str, Tensor]]


def batches_of(job: dict[str, Any]) -> Batches:
    """The batches of a job as tensors."""
    return [{name: torch.tensor(values) for name, values in batch.items()} for batch in job["batches"]]


def steps(
    job: dict[str, Any], model: nn.Module, loss: Callable[[dict[str, Tensor]], Tensor]
) -> tuple[dict[str, Any], Callable[[int], float]]:
    """What a runner answers with, and the step: forward, backward, clipping, AdamW."""
    model.train()
    batches = batches_of(job)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def step(number: int) -> float:
        half = torch.autocast("cpu", torch.bfloat16) if job["precision"] == "bfloat16" else nullcontext()
        with half:
            mean = loss(batches[number])
        mean.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return mean.item()

    parameters = sum(weight.numel() for weight in model.parameters())
    return {"parameters": parameters, "versions": {"torch": torch.__version__}}, step
