"""What the tests of vectors share: files written on the spot, and the real ones where this machine has them."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
REQUIRED = os.environ.get("CI") == "true"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, bytes | str], Path]:
    """Write a file, packed if its name ends in .gz."""

    def write(name: str, content: bytes | str) -> Path:
        raw = content.encode() if isinstance(content, str) else content
        file = tmp_path / name
        file.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return file

    return write


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets."""
    if not SHARED.is_dir():
        pytest.fail(f"no data sets in {SHARED}", pytrace=False)
    return SHARED


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests on real data where there is none, unless it is required."""
    if SHARED.is_dir() or REQUIRED:
        return
    left_out = [item for item in items if "shared_data" in getattr(item, "fixturenames", ())]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
