"""Small language models, trained and fresh, and corpora to read with them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from seqloom.data.corpus import Corpus
from seqloom.tasks.generate.task import Generate
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train
from seqloom.training.run_config import RunConfig
from tests.sizes import load_fitting

CPU = torch.device("cpu")
QUICK = [
    "model.embedding=16", "model.widths=[24]", "model.hidden=32", "model.heads=2", "model.length=20", "model.dropout=0",
    "train.steps=80", "train.warmup_steps=5", "train.batch_tokens=200", "train.learning_rate=0.02",
    "train.evaluate_every=40", "train.checkpoint_every=1000",
]  # fmt: skip


def settings(song: Path, *changes: str, **flags: Any) -> RunConfig:
    return load_fitting([*QUICK, *changes], task="generate", data__train=str(song), **flags)


def trained(song: Path, *changes: str, **flags: Any) -> Model:
    train(settings(song, *changes, **flags), song.parent / "run", quiet=True)
    return load(song.parent / "run")


def untrained(song: Path, *changes: str, **flags: Any) -> tuple[Generate, Any]:
    """A task and its model with fresh weights, in double precision."""
    config = settings(song, *changes, **flags)
    lines = song.read_text().split("\n")[:-1]
    records = [SimpleNamespace(columns={"text": line}) for line in lines]
    task = Generate.learn(config, records, {})  # type: ignore[arg-type]
    return task, task.make_model().double().eval()


def corpus_of(numbers: list[int], characters: int = 0) -> Corpus:
    """A corpus in memory."""
    corpus = Corpus(Path("/nowhere"))
    ends = np.array([len(numbers)])
    corpus.arrays = {"text": np.array(numbers), "text.ends": ends, "characters": np.array([characters])}
    return corpus
