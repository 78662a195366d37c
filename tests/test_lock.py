"""One process at a time, and a kill leaves nothing locked."""

import errno
import fcntl
import os

import pytest

from seqloom.errors import OutputError
from seqloom.lock import locked

COUNT = """
import sys
from pathlib import Path
from seqloom.lock import locked
lock, counter = map(Path, sys.argv[1:])
for _ in range(200):
    with locked(lock, "counts", lambda text: None):
        counter.write_text(str(int(counter.read_text()) + 1))
"""
HOLD = """
import sys, time
from pathlib import Path
from seqloom.lock import locked
with locked(Path(sys.argv[1]), "holds it"):
    print("held", flush=True)
    time.sleep(1000)
"""


def test_what_is_locked_is_done_by_one_at_a_time(start, tmp_path):
    counter = tmp_path / "counter"
    counter.write_text("0")
    processes = [start(COUNT, tmp_path / "lock", counter) for _ in range(3)]
    for process in processes:
        assert process.communicate(timeout=200) == ("", "")
    assert counter.read_text() == "600"
    assert [file.name for file in tmp_path.iterdir()] == ["counter"]


def test_a_kill_releases_the_lock_and_who_waited_was_told(start, tmp_path):
    lock = tmp_path / "new" / "lock"
    one = start(HOLD, lock)
    assert one.stdout.readline().strip() == "held"
    two = start(HOLD, lock)
    assert two.stderr.readline().strip() == f"process {one.pid} holds it; waiting for it (its lock: {lock})"
    one.kill()
    one.communicate(timeout=200)
    assert two.stdout.readline().strip() == "held"
    assert lock.read_text() == f"{two.pid}\n"
    two.kill()
    two.communicate(timeout=200)
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
    done = False
    with locked(tmp_path / "lock", ""):
        done = True
    assert done
    refuse(errno.EIO)
    with pytest.raises(OutputError, match=r"cannot write .*lock: refused"), locked(tmp_path / "lock", ""):
        pass
