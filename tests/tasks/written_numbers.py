"""Pairs that a small model can learn in seconds: numbers as digits, and as words."""

from pathlib import Path

from seqloom.training.run import train
from seqloom.training.run_config import RunConfig
from tests.sizes import load_fitting

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def spoken(number: int) -> str:
    return " ".join(WORDS[int(digit)] for digit in str(number))


def write_pairs(file: Path, numbers: range = range(0, 1000, 3)) -> Path:
    """digits <tab> words, one pair a line."""
    lines = (f"{' '.join(str(number))}\t{spoken(number)}\n" for number in numbers)
    file.write_text("".join(lines), encoding="utf-8")
    return file


SMALL = [
    "tokens.kind=word", "model.embedding=16", "model.encoder_widths=[16]", "model.decoder_widths=[16]", "model.heads=2",
    "model.hidden=32", "train.warmup_steps=5", "train.batch_tokens=400", "train.learning_rate=0.02",
    "train.evaluate_every=100", "train.checkpoint_every=100", "translate.measure=exact",
    "train.choose=false", "train.baseline=false",
]  # fmt: skip


def settings(data: Path, *changes: str, name: str = "rnn-attention", steps: int = 4) -> RunConfig:
    """Of a small translator for them."""
    given = [*SMALL, f"train.steps={steps}", *(["train.warmup_steps=1"] if steps < 10 else []), *changes]
    return load_fitting(given, task="translate", data__train=str(data), model__name=name)


def train_reader(folder: Path) -> None:
    """A model that reads digits well, in the folder's folder `run`."""
    pairs = write_pairs(folder / "pairs.tsv")
    train(settings(pairs, "model.dropout=0", steps=300), folder / "run", quiet=True)
