"""The long run: so many mutated model folders, data files and runs, each in a process of its own, and so many requests.

`make soak` calls it.
"""

import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seqloom.training.run import train
from tests.conftest import QUICK
from tests.forked import Outcome, forked
from tests.fuzzing.models import make_exported, make_several
from tests.fuzzing.mutations import mutated_file, mutated_folder, mutated_run, use_file, use_model, use_run
from tests.fuzzing.requests import BODIES, HEADERS, METHODS, PATHS, check_bytes, check_json
from tests.serving.conftest import Running
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
    make_exported(place, place / "mood")
    make_several(place, place / "reviews.tsv")
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


def run_of(models: Path, seed: int) -> Outcome:
    with tempfile.TemporaryDirectory() as place:
        folder = mutated_run(models, Path(place) / "run", seed)
        return forked(lambda: use_run(folder))


def requests(count: int, models: Path) -> bool:
    """So many requests of both kinds to one server; it answers to the end, and its log has no traceback."""
    began = time.monotonic()
    folders = [str(models / name) for name in ("digits", "mood", "several")]
    running = Running(folders, "--set", "body_seconds=2", "--set", "work=2000")

    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(path=st.sampled_from(PATHS), body=BODIES)
    def any_json(path: str, body: dict[str, Any]) -> None:
        check_json(running, path, body)

    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(method=st.sampled_from(METHODS), path=st.sampled_from(PATHS), headers=HEADERS, body=st.binary(max_size=60))
    def any_bytes(method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        check_bytes(running, method, path, headers, body)

    sound = True
    try:
        any_json()
        any_bytes()
    except Exception:  # hypothesis has told which request it was
        traceback.print_exc()
        sound = False
    with open(f"/proc/{running.process.pid}/status") as stream:
        peak = next(int(line.split()[1]) for line in stream if line.startswith("VmHWM"))
    code, errors = running.stop()
    sound = sound and code == 0 and "Traceback" not in errors
    took = time.monotonic() - began
    said = "all answered" if sound else f"not sound, exit code {code}\n{errors[-2_000:]}"
    print(
        f"{count:,} requests of JSON and {count:,} of bytes: {said}, largest {peak / 1e3:.0f} MB, {took:.0f} s",
        flush=True,
    )
    return sound


def main() -> int:
    count = int(sys.argv[1])
    sound = [many(count, "mutated data files", file_of)]
    with tempfile.TemporaryDirectory() as place:
        models = make_models(Path(place))
        sound.append(many(count, "mutated model folders", lambda seed: folder_of(models, seed)))
        sound.append(many(count, "mutated runs", lambda seed: run_of(models, seed)))
        sound.append(requests(count, models))
    return 0 if all(sound) else 1


if __name__ == "__main__":
    sys.exit(main())
