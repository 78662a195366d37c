"""A few hundred made-up reviews that anything can learn to tell apart."""

import random
from pathlib import Path
from typing import Any

from seqloom.training.run_config import RunConfig
from tests.sizes import load_fitting

GOOD, BAD = ["fine", "lovely", "warm", "great", "moving"], ["dull", "poor", "cold", "bad", "tedious"]
OTHER = ["the", "a", "film", "story", "and", "of", "it", "very", "with", "cast"]
QUICK = [
    "model.embedding=16", "model.widths=[12]", "model.length=16",
    "train.steps=60", "train.warmup_steps=5", "train.batch_tokens=300", "train.learning_rate=0.01",
    "train.evaluate_every=20", "train.checkpoint_every=10", "train.choose=false", "train.baseline=false",
]  # fmt: skip


def write_reviews(file: Path, count: int = 240, seed: int = 0) -> Path:
    """label <tab> text, one a line."""
    chance = random.Random(seed)
    lines = []
    for number in range(count):
        label, words = (("pos", GOOD), ("neg", BAD))[number % 2]
        text = [chance.choice(OTHER) for _ in range(chance.randint(2, 9))]
        text.insert(chance.randint(0, len(text)), chance.choice(words))
        lines.append(f"{label}\t{' '.join(text)}\n")
    file.write_text("".join(lines), encoding="utf-8")
    return file


def settings(reviews: Path, *changes: str, **flags: Any) -> RunConfig:
    """A short training of a small classifier."""
    return load_fitting([*QUICK, *changes], task="classify", data__train=str(reviews), **flags)
