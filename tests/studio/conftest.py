"""A model whose training data is still where it was."""

from pathlib import Path

import pytest

import seqloom
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.conftest import QUICK
from tests.sizes import load_fitting


@pytest.fixture(scope="session")
def moods(tmp_path_factory: pytest.TempPathFactory) -> Model:
    place: Path = tmp_path_factory.mktemp("moods")
    lines = [f"{mood}\tit was a {word} film" for mood, word in (("good", "fine"), ("bad", "poor"), ("good", "great"))]
    (place / "reviews.tsv").write_text("\n".join(lines * 20), encoding="utf-8")
    config = load_fitting(QUICK, task="classify", data__train=str(place / "reviews.tsv"), model__name="lstm")
    train(config, place / "run", quiet=True)
    return seqloom.load(place / "run")
