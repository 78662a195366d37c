"""Several processes that want the same thing at the same time: one makes it, and a kill leaves nothing locked."""

import errno
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from seqloom.data.lock import locked
from seqloom.data.shards import prepare
from seqloom.errors import OutputError
from tests.data.coding import Codes, content, source

ROOT = Path(__file__).parents[2]
COUNT = """
import sys
from pathlib import Path
from seqloom.data.lock import locked
lock, counter = map(Path, sys.argv[1:])
for _ in range(200):
    with locked(lock, "counts", lambda text: None):
        counter.write_text(str(int(counter.read_text()) + 1))
"""
HOLD = """
import sys, time
from pathlib import Path
from seqloom.data.lock import locked
with locked(Path(sys.argv[1]), "holds it"):
    print("held", flush=True)
    time.sleep(1000)
"""
PREPARE = """
import sys, time
from pathlib import Path
from seqloom.data.shards import prepare
from tests.data.coding import Logged, source
folder, gate, log = map(Path, sys.argv[1:4])
def gated():
    for record in source():
        while record.place.line == 31 and not gate.exists():
            time.sleep(0.01)
        yield record
prepare(folder, gated(), Logged(log).encode, size=5, workers=int(sys.argv[4]))
"""


Start: TypeAlias = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a Python with a script; none outlives the test."""
    with ExitStack() as ends:

        def start(script: str, *arguments: object) -> subprocess.Popen[str]:
            command = [sys.executable, "-c", script, *map(str, arguments)]
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            ends.enter_context(process)
            ends.callback(process.kill)
            return process

        yield start


def first_line(stream: Any) -> str:
    return str(stream.readline()).strip()


def test_what_is_locked_is_done_by_one_at_a_time(start, tmp_path):
    counter = tmp_path / "counter"
    counter.write_text("0")
    processes = [start(COUNT, tmp_path / "lock", counter) for _ in range(3)]
    for process in processes:
        assert process.communicate() == ("", "")
    assert counter.read_text() == "600"
    assert [file.name for file in tmp_path.iterdir()] == ["counter"]


def test_a_kill_releases_the_lock_and_who_waited_was_told(start, tmp_path):
    lock = tmp_path / "new" / "lock"
    one = start(HOLD, lock)
    assert first_line(one.stdout) == "held"
    two = start(HOLD, lock)
    assert first_line(two.stderr) == f"process {one.pid} holds it; waiting for it (its lock: {lock})"
    one.kill()
    one.communicate()
    assert first_line(two.stdout) == "held"
    assert lock.read_text() == f"{two.pid}\n"
    two.kill()
    two.communicate()
    told: list[str] = []
    with locked(lock, "holds it", told.append):
        assert lock.read_text() == f"{os.getpid()}\n", "what a killed process left is no obstacle"
    assert told == []
    assert not lock.exists()


def test_an_error_releases_the_lock(tmp_path):
    with pytest.raises(KeyboardInterrupt), locked(tmp_path / "lock", ""):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_where_there_are_no_locks_work_goes_on_without(tmp_path, monkeypatch):
    def refuse(number: int) -> None:
        def flock(*_: object) -> None:
            raise OSError(number, "refused")

        monkeypatch.setattr(fcntl, "flock", flock)

    refuse(errno.ENOLCK)
    assert len(prepare(tmp_path / "c", source(), Codes().encode)) == 57
    refuse(errno.EIO)
    with pytest.raises(OSError, match="refused"):
        prepare(tmp_path / "d", source(), Codes().encode)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot write .*/file/\.c\.lock"):
        prepare(tmp_path / "file" / "c", source(), Codes().encode)


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, bytes]:
    """The corpus as a lone process makes it."""
    return content(prepare(tmp_path / "alone" / "c", source(), Codes().encode, size=5, workers=1).folder)


@pytest.mark.parametrize("workers", [1, 2])
def test_another_run_ends_what_a_killed_one_began(start, tmp_path, alone, workers):
    cache = tmp_path / "cache"
    one = start(PREPARE, cache / "c", tmp_path / "never", tmp_path / "one.log", workers)
    parts = cache / "c.5.parts"
    while len(list(parts.glob("*.npz"))) < 4:
        assert one.poll() is None
        time.sleep(0.01)
    (tmp_path / "open").touch()
    two = start(PREPARE, cache / "c", tmp_path / "open", tmp_path / "two.log", workers)
    assert first_line(two.stderr).startswith(f"process {one.pid} is preparing the same data; waiting for it")
    assert not (tmp_path / "two.log").exists()
    one.kill()
    one.communicate()
    assert two.communicate() == ("", "")
    assert two.returncode == 0
    assert content(cache / "c") == alone
    assert [file.name for file in cache.iterdir()] == ["c"]
    chunks = set(map(int, (tmp_path / "two.log").read_text().split()))
    assert 31 in chunks and len(chunks) <= 12 - 4, "what was done is kept"


def test_of_two_runs_one_makes_the_corpus_and_both_have_it(start, tmp_path, alone):
    cache, gate = tmp_path / "cache", tmp_path / "open"
    one = start(PREPARE, cache / "c", gate, tmp_path / "log", 1)
    while not (tmp_path / "log").exists():
        assert one.poll() is None
        time.sleep(0.01)
    two = start(PREPARE, cache / "c", gate, tmp_path / "log", 1)
    assert "waiting for it" in first_line(two.stderr)
    gate.touch()
    for process in (one, two):
        assert process.communicate() == ("", "")
        assert process.returncode == 0
    assert content(cache / "c") == alone
    assert (tmp_path / "log").read_text().split() == [str(line) for line in range(1, 58, 5)], "each chunk once"
    assert [file.name for file in cache.iterdir()] == ["c"]
