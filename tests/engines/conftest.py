"""A Transformer that was trained for seconds, and the same in CTranslate2."""

from pathlib import Path

import pytest

from seqloom.training.loading import load
from seqloom.training.run import train
from tests.once import once
from tests.tasks.written_numbers import settings, write_pairs


@pytest.fixture(scope="session")
def transformer(tmp_path_factory) -> Path:
    """A Transformer that has learned a little: its answers are near misses, which a search must get right."""

    def make(place: Path) -> None:
        pairs = write_pairs(place / "pairs.tsv")
        train(settings(pairs, "model.dropout=0", name="transformer-tiny", steps=60), place / "run", quiet=True)

    return once(tmp_path_factory, "transformer", make) / "run"


@pytest.fixture(scope="session")
def exported(transformer, tmp_path_factory) -> Path:
    return load(transformer).export(tmp_path_factory.mktemp("engines") / "numbers", "ctranslate2")
