"""What the tests of training share."""

from pathlib import Path

import pytest

from tests.training.reviews import write_reviews


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    return write_reviews(tmp_path / "reviews.tsv")
