"""Python's own library, to learn to write code from: character by character."""

from __future__ import annotations

from collections.abc import Iterable

from seqloom.data.embedded.data_set import EmbeddedDataset, Row, Splits
from seqloom.data.embedded.stdlib import MODULES, source_of


def make() -> Splits:
    """A row is a line; every tenth module is for validation."""
    held_out = MODULES[9::10]
    return {
        "train": lines_of(module for module in MODULES if module not in held_out),
        "valid": lines_of(held_out),
    }


def lines_of(modules: Iterable[str]) -> list[Row]:
    return [(line.rstrip(),) for module in modules for line in source_of(module).split("\n")]


PYTHON_CODE = EmbeddedDataset(
    name="python-code",
    task="generate",
    title="Source of modules of Python's own library",
    licence="PSF License 2.0 (CPython)",
    make=make,
)
