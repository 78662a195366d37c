"""Every recipe in configs/ loads and steps, on data of its kind that is small."""

from pathlib import Path
from typing import Any

import pytest

from seqloom.config import read_toml
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.tasks.drawings import write_drawings
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import write_pairs
from tests.training.reviews import write_reviews

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.toml"))
SMALL = {
    "caption": lambda folder: write_drawings(folder / "data", times=1),
    "classify": lambda folder: write_reviews(folder / "data.tsv", count=40),
    "generate": lambda folder: write_song(folder / "data.txt"),
    "tag": lambda folder: write_tagged(folder / "data.conll"),
    "translate": lambda folder: write_pairs(folder / "data.tsv"),
}
"""Makes data for a task."""
COLUMNS: dict[str, dict[str, Any]] = {
    "translate": {"data__columns": {"source": 1, "target": 2}, "data__format": "tsv", "data__header": False},
    "caption": {"data__columns": {"image": 1, "caption": 2}},
}
"""Where they stand in it."""


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_every_recipe_loads_and_steps(file, tmp_path):
    task = read_toml(file)["task"]
    data = str(SMALL[task](tmp_path))
    read = COLUMNS.get(task, {})
    short = ["train.steps=2", "train.warmup_steps=1", "train.batch_tokens=500"]
    config = load_run(file, short, data__train=data, data__valid=data, start__model="", start__vectors="", **read)
    assert train(config, tmp_path / "run", quiet=True).step == 2


def test_there_are_recipes():
    assert CONFIGS
