"""Every recipe in configs/ loads and steps, and every comparison in configs/compare/, on small data of its kind."""

from pathlib import Path
from typing import Any

import pytest

import seqloom
from seqloom.comparing import report
from seqloom.comparing.compared_models import compared_models
from seqloom.comparing.settings import CompareConfig
from seqloom.config import check, over, read_toml
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.tasks.drawings import write_drawings
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import write_pairs
from tests.training.reviews import write_reviews

FOLDER = Path(__file__).parents[2] / "configs"
CONFIGS, COMPARISONS = sorted(FOLDER.glob("*.toml")), sorted((FOLDER / "compare").glob("*.toml"))
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


@pytest.mark.parametrize("file", COMPARISONS, ids=lambda file: file.stem)
def test_every_comparison_loads_and_steps(file, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "write_plots", lambda charts, folder: [])
    values = read_toml(file)
    section = values.pop("compare")
    planned = compared_models(values, check(CompareConfig, section, where=str(file)))
    models = [
        {name: value for name, value in one.items() if name not in ("start", "train")} for one in section["models"]
    ]
    assert len(planned) % len(models) == 0
    data = {"train": str(SMALL[values["task"]](tmp_path)), "valid": "", "test": "", "valid_share": 0.2}
    read = {name.removeprefix("data__"): value for name, value in COLUMNS.get(values["task"], {}).items()}
    small = over(values, {"data": {**data, **read}, "train": {"batch_tokens": 500, "warmup_steps": 0, "threads": 1}})
    short = {"models": models, "equal": "steps", "steps": 1, "longest": 0}
    found = seqloom.compare({**small, "compare": short}, out=tmp_path / "out", quiet=True)
    assert [one.steps for one in found.models] == [1] * len(models)


def test_there_are_recipes():
    assert CONFIGS
    assert COMPARISONS
