"""Corpora made by many processes: the same bytes, the same errors, and nobody left behind."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from uuid import uuid4

import pytest

from seqloom.data.corpus import Corpus, prepare
from seqloom.data.record import Place, Record
from seqloom.errors import ConfigError, DataError, SeqloomError
from tests.data.coding import TEXTS, Codes, Whose, content, source
from tests.waits import eventually


@pytest.fixture(autouse=True)
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """Stands in the environment of every process that a test starts."""
    name = f"SEQLOOM_TEST_{uuid4().hex}"
    monkeypatch.setenv(name, "1")
    return name


def wait_until_none_runs(mark: str) -> None:
    """Every worker process is gone, or goes now that its parent is: this ends."""
    eventually(lambda: not any(mark.encode() in environment for environment in worker_environments()))


def worker_environments() -> Iterator[bytes]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"first_worker" in (folder / "cmdline").read_bytes():
                yield (folder / "environ").read_bytes()


@pytest.mark.parametrize("workers", [None, 2, 3])
def test_any_number_of_processes_writes_the_same_bytes(tmp_path, workers):
    alone = prepare(tmp_path / "alone", source(), Codes().encode, size=5, workers=1)
    together = prepare(tmp_path / "together", source(), Codes().encode, size=5, workers=workers)
    assert [chr(code) for code in together["text", 8]] == list(TEXTS[8])
    assert content(together.folder) == content(alone.folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "together"]


def test_others_do_the_work(tmp_path):
    prepare(tmp_path / "c", source(), Whose().encode, size=5, workers=3)
    corpus = Corpus(tmp_path / "c")
    who = {int(corpus["process", k][0]) for k in range(len(corpus))}
    assert os.getpid() not in who
    assert 1 <= len(who) <= 3


def test_what_others_cannot_load_is_done_here(tmp_path):
    corpus = prepare(tmp_path / "c", source(), lambda records: Codes().encode(records), size=5, workers=3)
    assert len(corpus) == 57
    local = Codes("no such text")
    object.__setattr__(local, "lock", Lock())
    assert len(prepare(tmp_path / "d", source(), local.encode, size=5, workers=2)) == 57


def test_a_mistake_in_the_data_is_the_same_error_wherever_it_is_found(tmp_path, mark):
    task = Codes(refused=TEXTS[33])
    messages = []
    for workers in (1, 2):
        with pytest.raises(ConfigError, match=r"a\.txt:34: 1 setting cannot be used") as found:
            prepare(tmp_path / "c", source(), task.encode, size=5, workers=workers)
        assert found.value.mistakes == [("text", "refused", "mend it")]
        messages.append(str(found.value))
    assert messages[0] == messages[1]
    wait_until_none_runs(mark)
    assert len(prepare(tmp_path / "c", source(), Codes().encode, size=5)) == 57


def test_a_mistake_of_ours_shows_where_it_was_made(tmp_path, mark):
    with pytest.raises(RuntimeError, match=r"(?s)in encode.*KeyError: 'text'"):
        prepare(tmp_path / "c", [Record({}, Place("a.txt", 1))], Codes().encode, workers=2)
    wait_until_none_runs(mark)


def test_a_process_that_dies_is_a_clear_error(tmp_path, mark):
    with pytest.raises(SeqloomError, match="a process that prepared the data has died"):
        prepare(tmp_path / "c", source(), Codes(fatal=TEXTS[41]).encode, size=5, workers=2)
    wait_until_none_runs(mark)


def test_an_error_while_reading_leaves_nothing_running(tmp_path, mark):
    def broken() -> Iterator[Record]:
        yield from source()
        raise DataError("the disk is gone", where="a.txt:58")

    with pytest.raises(DataError, match=r"a\.txt:58: the disk is gone"):
        prepare(tmp_path / "c", broken(), Codes().encode, size=5, workers=2)
    wait_until_none_runs(mark)


SLOW = """
import sys, time
from pathlib import Path
from seqloom.data.corpus import prepare
from tests.data.coding import Codes, source
def slowly():
    for record in source():
        time.sleep(0.02)
        yield record
prepare(Path(sys.argv[1]), slowly(), Codes().encode, size=5, workers=2)
"""


def test_preparing_goes_on_after_a_kill(tmp_path, mark):
    folder = tmp_path / "c"
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(folder)], cwd=Path(__file__).parents[2])
    parts = tmp_path / "c.5.chunks"
    eventually(lambda: len(list(parts.glob("*.sha256"))) >= 3, process)  # written last
    process.kill()
    process.wait(timeout=60)
    made = {file.name: file.stat().st_mtime_ns for one in parts.glob("*.sha256") for file in [one.with_suffix(".npz")]}
    assert 3 <= len(made) < 12
    assert not folder.exists()

    def kept() -> Iterator[Record]:
        yield from source()
        assert {name: (parts / name).stat().st_mtime_ns for name in made} == made, "these were made before"

    corpus = prepare(folder, kept(), Codes().encode, size=5, workers=2)
    alone = prepare(tmp_path / "alone", source(), Codes().encode, size=5, workers=1)
    assert content(corpus.folder) == content(alone.folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "c"]
    wait_until_none_runs(mark)
