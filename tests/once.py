"""What takes long to make, made once: by the first worker that needs it, for all of them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from seqloom.lock import locked


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that `make` fills; who comes later waits for it and must not change it."""
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each worker has a folder of its own, below one of all
        root = root.parent
    with locked(root / f"{name}.lock", "is making it", tell=lambda _: None):
        if not (root / name).exists():
            (making := root / f"{name}-making").mkdir()
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("SEQLOOM_CACHE", str(making / "cache"))
                make(making)
            making.rename(root / name)
    return root / name
