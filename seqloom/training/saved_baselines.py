"""What simple models reached on the validation data of a run, kept beside its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from seqloom.config import Config, check
from seqloom.evaluating.baselines.score import BaselineScore
from seqloom.storage import ModelFiles, write_json

FILE = "baseline.json"


class SavedScore(Config):
    """One score as it is written down."""

    name: str
    metric: str
    value: float


class SavedScores(Config):
    """The file."""

    scores: list[SavedScore]


def write_baselines(folder: Path, scores: Sequence[BaselineScore]) -> None:
    if scores:
        write_json(folder / FILE, {"scores": [asdict(score) for score in scores]})


def read_baselines(files: ModelFiles) -> list[BaselineScore]:
    """The scores; none if they were not asked for."""
    if FILE not in files:
        return []
    saved = check(SavedScores, files.json(FILE), where=str(files.place / FILE))
    return [BaselineScore(**score.model_dump()) for score in saved.scores]
