"""Frames that a small model can write down after seconds: a level for each word, held for a few frames."""

import json
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from seqloom.training.run import train
from seqloom.training.run_config import RunConfig
from tests.sizes import load_fitting

LEVELS = {"low": (100.0, 9.0), "middle": (200.0, 3.0), "high": (300.0, 6.0)}


def signal(words: list[str], generator: Generator) -> NDArray[np.float32]:
    """Two to four frames for each word, with noise, and a pause behind it."""
    parts = []
    for word in words:
        count = int(generator.integers(2, 5))
        parts += [np.tile(LEVELS[word], (count, 1)) + generator.normal(size=(count, 2)), np.zeros((1, 2))]
    return np.concatenate(parts).astype(np.float32)


def signals(count: int, seed: int = 1) -> list[tuple[NDArray[np.float32], str]]:
    generator = np.random.default_rng(seed)
    chosen = [[str(word) for word in generator.choice([*LEVELS], size=1 + n % 3)] for n in range(count)]
    return [(signal(words, generator), " ".join(words)) for words in chosen]


def write_signals(file: Path, count: int = 150, seed: int = 1) -> Path:
    rows = ({"frames": frames.tolist(), "target": text} for frames, text in signals(count, seed))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


SMALL = [
    "tokens.kind=word", "model.embedding=12", "model.encoder_widths=[24]", "model.decoder_widths=[24]", "model.heads=2",
    "model.hidden=16", "model.dropout=0", "train.warmup_steps=1", "train.batch_tokens=400", "train.learning_rate=0.01",
    "train.evaluate_every=100", "train.checkpoint_every=100", "translate.measure=exact", "train.choose=false",
    "train.baseline=false",
]  # fmt: skip


def settings(data: object, *changes: str, name: str = "rnn-attention", steps: int = 3) -> RunConfig:
    """Of a small model that writes them down."""
    given = [*SMALL, f"train.steps={steps}", *changes]
    return load_fitting(given, task="translate", data__train=data, model__name=name)


def train_transcriber(folder: Path) -> None:
    """A model that writes them down well, in the folder's folder `run`."""
    data = str(write_signals(folder / "signals.jsonl"))
    train(settings(data, "train.schedule=cosine", steps=180), folder / "run", quiet=True)
