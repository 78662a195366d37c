"""The models that `bench.training` trains: their settings, and the same batches for every peer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from seqloom.config import check
from seqloom.data.source import open_source
from seqloom.tasks.registry import find_task
from seqloom.tasks.trainable import Trainable
from seqloom.tasks.translate.task import Translate
from seqloom.training.distributed import ProcessGroup
from seqloom.training.loop import Trainer
from seqloom.training.run import Run
from seqloom.training.run_config import run_config

PAIRS = 4_000
"""Pairs of Multi30k that batches are drawn from."""
TRAIN = {"choose": False, "baseline": False, "learning_rate": 1e-3, "warmup_steps": 0, "schedule": "constant"}
MARIAN = {"norm": "after", "tied": "all", "length": 100}
"""A Transformer as `MarianMTModel` is one."""
SUBWORDS = {"kind": "bpe", "size": 6000, "lower": True}


@dataclass(frozen=True)
class Job:
    """One model to be trained: in the settings of seqloom, and in plain numbers for the others."""

    task: str
    model: Mapping[str, Any]
    tokens: Mapping[str, Any]
    batch_tokens: int
    smoothing: float = 0.0

    def config(self, data: Path, precision: str, threads: int, seed: int = 1) -> Any:
        train = {
            **TRAIN, "batch_tokens": self.batch_tokens, "label_smoothing": self.smoothing, "precision": precision,
            "threads": threads, "device": "cpu", "seed": seed,
        }  # fmt: skip
        given = {
            "task": self.task, "data": {"train": str(data / f"{self.task}.tsv"), "valid_share": 0},
            "model": dict(self.model), "tokens": dict(self.tokens), "train": train,
        }  # fmt: skip
        if self.task == "generate":
            given["data"] = {"train": str(data / "generate.txt"), "valid_share": 0}
        return check(run_config(find_task(self.task)), given, where="bench")


JOBS = {
    "tiny": Job("translate", {"name": "transformer-tiny", **MARIAN}, SUBWORDS, 2_048, 0.1),
    "small": Job("translate", {"name": "transformer", **MARIAN}, SUBWORDS, 2_048, 0.1),
    "GRU with attention": Job(
        "translate",
        {"name": "rnn-attention", "embedding": 256, "widths": [512], "hidden": 512, "tied": "none", "length": 100},
        SUBWORDS,
        2_048,
        0.1,
    ),
    "LSTM classifier": Job(
        "classify", {"name": "lstm", "embedding": 128, "widths": [256], "pooling": "last"}, SUBWORDS, 2_048
    ),
    "character LSTM": Job(
        "generate",
        {"name": "lstm", "embedding": 128, "widths": [512], "length": 128},
        {"kind": "character", "size": 200},
        4_096,
    ),
}


def write_data(folder: Path, data: str) -> None:
    """Multi30k as each task reads it: pairs; texts with their language as the label; all texts of one language."""
    records = open_source(data, task=Translate.columns, languages=("en", "de"))
    pairs = [tuple(str(record.columns[side]) for side in ("source", "target")) for record in islice(records, PAIRS)]
    labelled = [line for en, de in pairs for line in (f"english\t{en}\n", f"german\t{de}\n")]
    (folder / "translate.tsv").write_text("source\ttarget\n" + "".join(f"{en}\t{de}\n" for en, de in pairs))
    (folder / "classify.tsv").write_text("label\ttext\n" + "".join(labelled))
    (folder / "generate.txt").write_text("".join(f"{en}\n" for en, _ in pairs))


def opened(
    job: Job, folder: Path, precision: str, threads: int, seed: int = 1, group: ProcessGroup | None = None
) -> tuple[Trainer[Any], Trainable[Any]]:
    """seqloom's own trainer in the state before the first step, as `seqloom train` has it."""
    group = group or ProcessGroup(0, 1, torch.device("cpu"))
    run = Run(job.config(folder, precision, threads, seed), folder / job.task, group)
    task = run.task()
    trainable = run.trainable(task)
    return run.trainer(folder / job.task, task, trainable), trainable


def full_batches(job: Job, trainable: Trainable[Any], count: int) -> Iterator[Any]:
    """The first batches; of a long text those whose segments are all of one length."""
    stream = iter(trainable.stream)
    while count:
        batch = next(stream)
        if job.task != "generate" or bool((batch.targets >= 0).all()):
            count -= 1
            yield batch


def plain(job: Job, batch: Any) -> dict[str, Any]:
    """A batch as lists of token ids: what the other peers train on, and how many tokens it counts for."""
    fields = {
        "translate": ("source", "source_lengths", "decoder_input", "labels"), "classify": ("x", "lengths", "targets"),
        "generate": ("tokens", "targets"),
    }[job.task]  # fmt: skip
    found: dict[str, Any] = {name: as_list(getattr(batch, name)) for name in fields}
    counted = batch.target_lengths if job.task == "translate" else batch.lengths
    return {**found, "count": int(counted.sum())}


def as_list(tensor: Tensor) -> Any:
    return tensor.tolist()


def sizes(job: Job, trainer: Trainer[Any]) -> dict[str, Any]:
    """What the other peers build their model from."""
    config, model = job.config(Path("."), "float32", 1).model, trainer.model
    embedding: Any = model.get_submodule("embedding")
    vocabulary = len(getattr(embedding, "table", embedding).E)
    return {**config.model_dump(mode="json"), "vocabulary": vocabulary, "smoothing": job.smoothing}
