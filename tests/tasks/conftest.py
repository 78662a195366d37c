"""What the tests of a task share."""

import random
from pathlib import Path

import pytest

from seqloom.training.model import Model
from tests.tasks.classified import THINGS, sentence, trained
from tests.tasks.songs import write_song


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A thing has every label whose word is in its text; an eighth of them have none."""
    chance, rows = random.Random(3), []
    for number in range(240):
        labels = [thing for bit, thing in enumerate(THINGS) if number >> bit & 1]
        rows.append(f'{sentence(chance, *labels, length=chance.randint(3, 7))},"{",".join(labels)}"\n')
    file = tmp_path_factory.mktemp("several") / "things.csv"
    file.write_text("text,labels\n" + "".join(rows), encoding="utf-8")
    return trained(file, "classify.answer=labels", "model.pooling=max")


@pytest.fixture
def song(tmp_path: Path) -> Path:
    return write_song(tmp_path / "song.txt")
