"""The processes that train together: one, or as many as `torchrun` has started."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from seqloom.errors import ConfigError


@dataclass(frozen=True)
class ProcessGroup:
    """This process (`rank`) among `world_size`; the main process alone writes files and prints."""

    rank: int
    world_size: int
    device: torch.device

    @property
    def is_main(self) -> bool:
        return self.rank == 0

    def wrap(self, model: nn.Module) -> nn.Module:
        """The model as it is called in training: with others, its gradients are shared while they are made."""
        return DistributedDataParallel(model) if self.world_size > 1 else model

    def all_reduce(self, *numbers: float) -> list[float]:
        """The sum of each number over all processes."""
        if self.world_size == 1:
            return [*numbers]
        totals = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        dist.all_reduce(totals)
        return totals.tolist()

    def broadcast(self, wish: bool) -> bool:
        """The value of the main process, in every process: so that all do the same where a clock decides."""
        return self.all_reduce(wish and self.is_main) != [0]

    def restarted(self) -> bool:
        """Whether `torchrun` has started these processes anew after one of them, on whatever host, was lost."""
        return self.all_reduce(int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))) != [0]

    def barrier(self) -> None:
        """Wait for all processes."""
        if self.world_size > 1:
            dist.barrier()

    def close(self) -> None:
        """Leave the group."""
        if self.world_size > 1:
            dist.destroy_process_group()


def init_processes(device: str) -> ProcessGroup:
    """Join the processes that `torchrun` started, or work alone."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    place = find_device(device)
    if size == 1:
        return ProcessGroup(0, 1, place)
    if place.type == "cuda":
        torch.cuda.set_device(place)
    store, rank, size = next(rendezvous("env://"))
    if os.environ.get("LOCAL_WORLD_SIZE") == str(size):
        # torchrun keeps the addresses of processes that are gone; on one host all of them count restarts alike
        store = PrefixStore(f"start {os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}", store)
    dist.init_process_group("nccl" if place.type == "cuda" else "gloo", store=store, rank=rank, world_size=size)
    return ProcessGroup(rank, size, place)


def find_device(name: str) -> torch.device:
    """The device of this process; `auto` takes the fastest there is."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    if name == "cuda" and "LOCAL_RANK" in os.environ:
        name = f"cuda:{os.environ['LOCAL_RANK']}"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(
            "settings", [("train.device", f"{name}: {reason}", "use cpu, cuda, cuda:1, mps or auto")]
        ) from None
    return device
