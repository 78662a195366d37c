"""For peers that read files and choose their batches: the pairs of a job as files of words, one for each token id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

SPECIAL = 4
"""Ids below are padding, unknown, beginning and end: every tool has its own."""
BATCH_TOKENS, CLIP, RATE, BETAS = 2_048, 1.0, 1e-3, (0.9, 0.98)
"""As `bench.training_jobs` has them."""


def write_pairs(job: dict[str, Any], folder: Path) -> None:
    """`pairs.src`, `pairs.trg` and `vocabulary.txt`: the same pairs, tokens and size of the vocabulary."""
    rows = [row for batch in job["batches"] for row in zip(batch["source"], batch["labels"])]
    for number, ending in enumerate(("src", "trg")):
        lines = (" ".join(words(row[number])) for row in rows)
        (folder / f"pairs.{ending}").write_text("\n".join(lines) + "\n")
    size = job["sizes"]["vocabulary"]
    (folder / "vocabulary.txt").write_text("".join(f"{word}\n" for word in words(range(SPECIAL, size))))


def words(ids: Any) -> Iterator[str]:
    return (f"w{number}" for number in ids if number >= SPECIAL)
