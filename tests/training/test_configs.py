"""Every recipe in configs/ loads and steps, on data of its kind that is small."""

from pathlib import Path

import pytest

from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.training.reviews import write_reviews

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.toml"))


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_every_recipe_loads_and_steps(file, tmp_path, monkeypatch):
    monkeypatch.setenv("SEQLOOM_CACHE", str(tmp_path / "cache"))
    data = str(write_reviews(tmp_path / "reviews.tsv", count=40))
    short = ["train.steps=2", "train.warmup_steps=1", "train.batch_tokens=500"]
    config = load_run(file, short, data__train=data, data__valid=data)
    assert train(config, tmp_path / "run", quiet=True).step == 2


def test_there_are_recipes():
    assert CONFIGS
