"""The long run: so many mutated model folders and data files, each in a process of its own. `make soak` calls it."""

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from seqloom.training.run import train
from tests.conftest import QUICK
from tests.forked import Outcome, forked
from tests.fuzzing.mutations import mutated_file, mutated_folder, use_file, use_model
from tests.sizes import load_fitting
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import train_reader

MOST = 1 << 30
"""Bytes that a process may have."""


def make_models(place: Path) -> Path:
    (place / "reviews.tsv").write_text("good\ta fine film\nbad\ta poor film\n" * 14)
    train_reader(place)
    (place / "run").rename(place / "digits")
    for name, task, data, model in (
        ("song", "generate", write_song(place / "song.txt"), "gru"),
        ("mood", "classify", place / "reviews.tsv", "lstm"),
        ("words", "tag", write_tagged(place / "tagged.conll"), "gru"),
    ):
        train(load_fitting(QUICK, task=task, data__train=str(data), model__name=model), place / name, quiet=True)
    return place


def many(count: int, what: str, one: Callable[[int], Outcome]) -> bool:
    """Run so many, and say how they ended."""
    ends, slowest, largest, bad = Counter[str](), 0.0, 0, 0
    began = time.monotonic()
    for seed in range(count):
        found = one(seed)
        ends[found.kind] += 1
        slowest, largest = max(slowest, found.seconds), max(largest, found.peak)
        if found.kind not in ("answer", "error") or found.peak > MOST:
            bad += 1
            print(f"{what} {seed}: {found.kind}, {found.peak / 1e6:.0f} MB\n{found.text}", flush=True)
    print(
        f"{count:,} {what}: {dict(ends)}, slowest {slowest:.1f} s, largest {largest / 1e6:.0f} MB, "
        f"{time.monotonic() - began:.0f} s in all",
        flush=True,
    )
    return bad == 0


def folder_of(models: Path, seed: int) -> Outcome:
    with tempfile.TemporaryDirectory() as place:
        name, folder = mutated_folder(models, Path(place) / "model", seed)
        return forked(lambda: use_model(name, folder))


def file_of(seed: int) -> Outcome:
    with tempfile.TemporaryDirectory() as place:
        file = mutated_file(Path(place), seed)
        return forked(lambda: use_file(file, seed))


def main() -> int:
    count = int(sys.argv[1])
    files = many(count, "mutated data files", file_of)
    with tempfile.TemporaryDirectory() as place:
        models = make_models(Path(place))
        folders = many(count, "mutated model folders", lambda seed: folder_of(models, seed))
    return 0 if files and folders else 1


if __name__ == "__main__":
    sys.exit(main())
