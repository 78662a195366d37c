"""What a model costs: the time and memory of a training step by the length of a sequence, and of a step on real data.

Memory is counted where tensors are allocated and freed, so it is the same on every machine and holds no libraries: it
is what a step needs beside what is there before it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

from seqloom.training.distributed import init_processes
from seqloom.training.model import Model
from seqloom.training.run import Run
from seqloom.training.run_config import RunConfig

SHORTEST = 32
REPEATS = 3
SECONDS, BYTES = 2.0, 1_000_000_000
"""A curve ends where a step takes longer, or more memory: the next length would take up to four times as much."""
ADAM = 2
"""Moments that the optimizer keeps of every weight."""


@dataclass(frozen=True)
class Cost:
    """What something takes for one sequence: a training step (forward and backward), if nothing else is said."""

    length: int
    seconds: float
    bytes: int


def costs_by_length(network: Any, longest: int) -> list[Cost]:
    """Time and memory of a step at lengths 32, 64, ... up to the longest.

    Nothing of a model that brings no `example_batch`, as one of somebody else's task may not.
    """
    if not hasattr(network, "example_batch"):
        return []
    found: list[Cost] = []
    for length in lengths_up_to(longest):
        found.append(cost_of(partial(train_once, network, length), length))
        if found[-1].seconds > SECONDS or found[-1].bytes > BYTES:
            break
    return found


def lengths_up_to(longest: int) -> Iterator[int]:
    """32, 64, ... up to the longest."""
    length = SHORTEST
    while length <= longest:
        yield length
        length *= 2


def train_once(network: Any, length: int) -> None:
    """Forward and backward pass of one sequence of so many tokens."""
    network(*network.example_batch(1, length, length)).sum().backward()
    network.zero_grad(set_to_none=True)


def cost_of(run: Callable[[], object], length: int, clock: Callable[[], float] = time.perf_counter) -> Cost:
    """The time of the fastest of some runs, and the memory of one."""
    run()  # the first one is slow
    return Cost(length, min(timed(run, clock) for _ in range(REPEATS)), peak_memory(run))


def long_enough(model: Model, longest: int) -> nn.Module:
    """The same model with fresh weights, for sequences up to the longest."""
    config: Any = model.config
    settings: Any = getattr(config, "model", None)
    if hasattr(settings, "length"):
        config = config.model_copy(update={"model": settings.model_copy(update={"length": longest + 2})})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network: nn.Module = type(model.task)(config, model.task.tokenizers, model.task.facts).make_model()
    return network.to(model.device).train()


def timed(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    run()
    return clock() - began


def training_memory(model: Model, config: RunConfig, folder: Path) -> int:
    """Bytes of weights, their moments, and everything that one training step on the first batch needs at once."""
    group = init_processes("cpu")
    try:
        trainable = Run(config, folder, group).trainable(model.task)
        batch = trainable.split(next(iter(trainable.stream)), config.train.accumulate)[0]
    finally:
        group.close()
    network = model.network.train()

    def step() -> None:
        trainable.loss(network, batch).total.backward()  # type: ignore[no-untyped-call]
        network.zero_grad(set_to_none=True)

    try:
        step()
        kept = sum(weight.numel() * weight.element_size() for weight in network.parameters())
        return (1 + ADAM) * kept + peak_memory(step)
    finally:
        network.eval()


def peak_memory(run: Callable[[], object]) -> int:
    """The most bytes of tensors that were there at once, beyond those that were there before."""
    with silent(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        run()
    assert recorded.profiler is not None and recorded.profiler.kineto_results is not None
    events: Any = recorded.profiler.kineto_results.events()
    memory = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    now = most = 0
    for _, change in memory:
        now += change
        most = max(most, now)
    return most


@contextmanager
def silent() -> Iterator[None]:
    """The profiler of torch writes lines of its own to the standard error; they say nothing to a user."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
