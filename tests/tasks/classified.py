"""Small models for classify, and made-up sentences to train them with."""

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train
from seqloom.training.run_config import load_run

QUICK = [
    "model.embedding=12", "model.widths=[12]", "model.length=20", "model.name=cnn", "model.dropout=0",
    "train.warmup_steps=5", "train.batch_tokens=400", "train.learning_rate=0.02", "train.evaluate_every=50",
    "train.checkpoint_every=200", "train.steps=100", "train.choose=false", "train.baseline=false",
]  # fmt: skip
FILLERS = ["a", "the", "of", "it", "and"]
THINGS = ["red", "round", "big"]


def trained(data: Path, *changes: str) -> Model:
    quick = [change for change in QUICK if "widths" not in change or "model.name=logistic" not in changes]
    config = load_run(None, [*quick, *changes], task="classify", data__train=str(data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(data.with_name("cache")))
        train(config, data.with_name("run"), quiet=True)
    return load(data.with_name("run"))


def lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def sentence(chance: random.Random, *words: str, length: int = 6) -> str:
    """The words among others that say nothing."""
    found = [*words, *(chance.choice(FILLERS) for _ in range(length - len(words)))]
    chance.shuffle(found)
    return " ".join(found)
