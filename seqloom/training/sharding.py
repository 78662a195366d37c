"""Models that do not fit one device: weights, gradients and optimizer state split over the processes (FSDP2)."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor

from seqloom.errors import ConfigError, DamagedError
from seqloom.layers.block_parts import BlockParts
from seqloom.layers.derived_block import DerivedBlock
from seqloom.models.weights import load_weights, weights_of
from seqloom.storage import flush, new_folder, output_errors, unfinished, write_tensors
from seqloom.training.checkpoint import Checkpoint, folder_of, write_state
from seqloom.training.distributed import ProcessGroup
from seqloom.training.optimizer import load_optimizer_state
from seqloom.training.shards import OFFSETS, Pieces, StoredRows, pieces_of, rows_between, rows_of

BLOCKS = (BlockParts, DerivedBlock)
"""Gathered one after the other; all else of a model is gathered at once."""


class Sharding:
    """A model whose weights are split over all processes; a block is whole only while it computes.

    The processes hold the same weights before; each keeps its rows on its device.
    """

    def __init__(self, model: nn.Module, group: ProcessGroup) -> None:
        check_model(model)
        self.model, self.group = model, group
        mesh = init_device_mesh(group.device.type, (group.world_size,))
        for module in [module for module in model.modules() if isinstance(module, BLOCKS)]:
            fully_shard(module, mesh=mesh)
        fully_shard(model, mesh=mesh)

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """The weights whole in every process for a while, so that each can evaluate and write by itself."""
        parts = [module for module in self.model.modules() if isinstance(module, FSDPModule)]
        for part in parts:
            part.unshard()
            part.set_reshard_after_forward(False, recurse=False)
        try:
            yield
        finally:
            for part in parts:
                part.set_reshard_after_forward(part is not self.model, recurse=False)
                part.reshard()

    def save(self, run: Path, saved: Checkpoint) -> None:
        """Write a checkpoint, every process its own part; it appears whole or not at all."""
        target, group = folder_of(run, saved.step), self.group
        if not group.is_main:
            group.barrier()  # the folder is there
            with output_errors(target):
                write_part(unfinished(target), saved, group)
            return
        shutil.rmtree(target, ignore_errors=True)  # a damaged one of the same step, that the run went back behind
        with new_folder(target) as folder:
            group.barrier()
            write_part(folder, saved, group)
            write_state(folder, saved)

    def restore(self, saved: Checkpoint, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
        """Give the model and its optimizer what a checkpoint holds for this process; returns the averaged weights.

        As many processes as wrote it or another number, or one that was not sharded: each takes its rows.
        """
        weights = weights_of(self.model)
        load_weights(self.model, taken(saved, "model", weights))
        load_optimizer_state(optimizer, self.model, taken(saved, "optimizer", dict(self.model.named_parameters())))
        return taken(saved, "average", weights) if "average" in saved.tensors else {}


def check_model(model: nn.Module) -> None:
    """Raise `ConfigError` if a model has weights that cannot be split, or what would have to be shared beside them."""
    lasting = [
        f"{name}, which is no weight and would differ"
        for name, _ in model.named_buffers()
        if name in model.state_dict()
    ]
    single = [
        f"the single number {name}, which cannot be split"
        for name, weight in model.named_parameters()
        if not weight.dim()
    ]
    if found := [*lasting, *single]:
        raise ConfigError("settings", [("train.shard", f"the model has {found[0]}", "leave it out")])


def write_part(folder: Path, saved: Checkpoint, group: ProcessGroup) -> None:
    """The part of this process; if that of any process cannot be written, all of them raise `OSError`."""
    failed: OSError | None = None
    try:
        flush(write_shard(folder, group.rank, group.world_size, saved.tensors))
    except OSError as error:
        failed = error
    (others,) = group.all_reduce(failed is not None)
    if failed is not None:
        raise failed
    if others:
        raise OSError(errno.EIO, "another process could not write its part")


def taken(saved: Checkpoint, kind: str, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a kind, each split as the weight that it belongs to; a single number is in every process."""
    found = {}
    for entry, pieces in pieces_of(saved.tensors, kind).items():
        name, colon, _ = entry.rpartition(":")
        weight = weights.get(name if colon else entry)
        alone = weight is None or pieces[0].values.dim() == 0
        found[entry] = pieces[0].values.clone() if alone or weight is None else like(pieces, weight, entry)
    return found


def write_shard(folder: Path, rank: int, world_size: int, tensors: Mapping[str, Mapping[str, Tensor]]) -> Path:
    """Write the part of this process; what is not split is in that of the main process."""
    values: dict[str, Tensor] = {}
    offsets: dict[str, dict[str, list[int]]] = {}
    for kind, named in tensors.items():
        for name, tensor in named.items():
            first, part = own_rows(tensor)
            if part.numel() and (rank == 0 or isinstance(tensor, DTensor)):
                values[f"{kind}/{name}"] = part
                offsets[f"{kind}/{name}"] = {"saved_offsets": [first, *[0] * (part.dim() - 1)][: part.dim()]}
    file = folder / f"shard-{rank + 1:05d}-of-{world_size:05d}.safetensors"
    write_tensors(file, values, {OFFSETS: json.dumps(offsets, sort_keys=True)})
    return file


def own_rows(tensor: Tensor) -> StoredRows:
    """What this process has of a tensor."""
    if not isinstance(tensor, DTensor):
        return StoredRows(0, tensor)
    (chunk,) = tensor.__create_chunk_list__()  # type: ignore[no-untyped-call]
    return StoredRows(chunk.offsets[0], tensor.to_local())


def like(pieces: Pieces, tensor: Tensor, name: str) -> Tensor:
    """A tensor with the values of `pieces`, split as another one is: only the rows of this process are read."""
    shape = (rows_of(pieces), *pieces[0].values.shape[1:]) if tensor.dim() else pieces[0].values.shape
    if shape != tuple(tensor.shape):
        what = f"{name} has shape {tuple(shape)} in the checkpoint, and {tuple(tensor.shape)} in the model"
        raise DamagedError(what, remedy="train it again, or with the settings that it was begun with")
    if not isinstance(tensor, DTensor):
        return rows_between(pieces, 0, rows_of(pieces)).to(tensor.device)
    first, part = own_rows(tensor)
    rows = rows_between(pieces, first, first + len(part)).to(part.device)
    return DTensor.from_local(
        rows, tensor.device_mesh, tensor.placements, run_check=False, shape=tensor.shape, stride=tensor.stride()
    )
