"""A comparison that is made once."""

from pathlib import Path

import pytest

import seqloom
from tests.once import once
from tests.training.reviews import QUICK, write_reviews

SMALL = [change for change in QUICK if not change.startswith(("model.widths", "train.steps"))]


def rows_in(file: Path) -> list[list[str]]:
    return [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]


def begin(place: Path) -> None:
    rows = rows_in(write_reviews(place / "reviews.tsv"))
    seqloom.compare(
        {"compare": {"longest": 64}}, task="classify", data=rows, out=place / "out", quiet=True,
        models=["logistic", {"name": "lstm", "widths": [9]}, "min_gru:min_gru", {"name": "transformer", "heads": 2}],
        equal="steps", steps=20, settings=SMALL, sentence="a warm and lovely film",
    )  # fmt: skip


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reviews, and four models compared on them; one is a cell of a user's own."""
    return once(tmp_path_factory, "comparison", begin)


@pytest.fixture
def report_html(place: Path) -> str:
    """The page of that comparison."""
    return (place / "out" / "report.html").read_text(encoding="utf-8")
