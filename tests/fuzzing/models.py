"""Small models of every kind, to be mutated and to be asked."""

from pathlib import Path

import seqloom
from seqloom.training.run import train
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import settings, write_pairs


def make_exported(place: Path, mood: Path) -> None:
    """A translator in CTranslate2 and a classifier in ONNX."""
    pairs = write_pairs(place / "pairs.tsv")
    train(settings(pairs, "model.dropout=0", name="transformer-tiny", steps=2), place / "translator", quiet=True)
    seqloom.load(place / "translator").export(place / "numbers", "ctranslate2")
    seqloom.load(mood).export(place / "graph", "onnx")


def make_several(place: Path, reviews: Path) -> None:
    """One encoder with two heads."""
    words = write_tagged(place / "words.conll")
    sets = [
        {"tag": "mood", "task": "classify", "train": str(reviews)},
        {"tag": "pos", "task": "tag", "train": str(words)},
    ]
    seqloom.train(
        {"task": "multitask", "data": {"sets": sets}, "model": {"name": "gru", "embedding": 8, "widths": [8]},
         "train": {"steps": 2, "warmup_steps": 1}},
        out=place / "several", quiet=True,
    )  # fmt: skip
