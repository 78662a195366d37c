"""Corpora on disk: the same numbers as went in, made once, finished when they were begun."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from uuid import uuid4

import numpy as np
import pytest

from seqloom.data import parts, shards
from seqloom.data.record import Place, Record
from seqloom.data.shards import Chunk, Corpus, fingerprint, prepare
from seqloom.errors import ConfigError, DataError, SeqloomError
from tests.data.coding import TEXTS, Codes, Whose, source

SENTENCES = [list(range(k % 7)) for k in range(23)]


def encode(records: list[list[int]]) -> Chunk:
    return {"text": records, "label": [[len(record)] for record in records]}


def test_every_example_comes_back_as_it_went_in(tmp_path):
    corpus = prepare(tmp_path / "c", SENTENCES, encode, size=5)
    assert len(corpus) == 23
    assert [corpus["text", k].tolist() for k in range(23)] == SENTENCES
    assert [corpus["label", k].tolist() for k in range(23)] == [[len(s)] for s in SENTENCES]
    assert corpus.lengths("text").tolist() == [len(s) for s in SENTENCES]


def test_numbers_take_two_bytes_until_they_need_four(tmp_path):
    small = prepare(tmp_path / "small", [[65535]], lambda rs: {"text": rs})
    large = prepare(tmp_path / "large", [[65536]], lambda rs: {"text": rs})
    assert (str(small["text", 0].dtype), str(large["text", 0].dtype)) == ("uint16", "int32")
    assert (small["text", 0][0], large["text", 0][0]) == (65535, 65536)


def test_frames_stay_floating(tmp_path):
    frames = [np.ones((3, 2), np.float32), np.zeros((1, 2), np.float32)]
    corpus = prepare(tmp_path / "c", frames, lambda rs: {"frames": rs})
    assert corpus["frames", 0].shape == (3, 2)
    assert corpus["frames", 1].dtype == np.float32


def test_a_second_run_reads_nothing(tmp_path):
    prepare(tmp_path / "c", SENTENCES, encode, size=5)

    def broken(records: list[list[int]]) -> Chunk:
        raise AssertionError("it is prepared already")

    assert len(prepare(tmp_path / "c", iter(()), broken)) == 23


@pytest.mark.parametrize("stop", [0, 1, 3])
def test_preparing_goes_on_where_it_was_stopped(tmp_path, stop):
    encoded: list[list[list[int]]] = []

    def stopping(records: list[list[int]]) -> Chunk:
        if len(encoded) == stop:
            raise KeyboardInterrupt
        encoded.append(records)
        return encode(records)

    with pytest.raises(KeyboardInterrupt):
        prepare(tmp_path / "c", SENTENCES, stopping, size=5)
    again: list[list[list[int]]] = []
    corpus = prepare(tmp_path / "c", SENTENCES, lambda rs: again.append(rs) or encode(rs), size=5)  # type: ignore[func-returns-value]
    assert len(again) == 5 - stop
    assert [corpus["text", k].tolist() for k in range(23)] == SENTENCES


def test_memory_can_be_given_back(tmp_path):
    corpus = prepare(tmp_path / "c", SENTENCES, encode, size=5)
    before = corpus["text", 6].tolist()
    corpus.forget()
    assert corpus["text", 6].tolist() == before


def test_the_name_of_a_corpus_changes_with_content_and_settings_only(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a b")
    two.write_text("a b")
    assert fingerprint([one], {"lower": True}) == fingerprint([two], {"lower": True})
    assert fingerprint([one], {"lower": True}) != fingerprint([one], {"lower": False})
    two.write_text("a c")
    assert fingerprint([one], {}) != fingerprint([two], {})


def test_a_folder_is_named_by_all_that_is_in_it(tmp_path):
    (tmp_path / "pos").mkdir()
    (tmp_path / "pos" / "1.txt").write_text("a fine film")
    before = fingerprint([tmp_path], {})
    (tmp_path / "pos").rename(tmp_path / "neg")
    renamed = fingerprint([tmp_path], {})
    (tmp_path / "neg" / "1.txt").write_text("a bad film")
    assert len({before, renamed, fingerprint([tmp_path], {})}) == 3


def test_a_text_without_tokens_leaves_the_others_whole_numbers(tmp_path):
    corpus = prepare(tmp_path / "c", [[], [3]], lambda rs: {"text": rs})
    assert (corpus["text", 0].tolist(), corpus["text", 1].tolist()) == ([], [3])
    assert corpus["text", 1].dtype == np.uint16


def test_one_large_number_widens_all_parts(tmp_path):
    corpus = prepare(tmp_path / "c", [[1], [2], [70_000], [-3]], lambda rs: {"text": rs}, size=1)
    assert [corpus["text", k].tolist() for k in range(4)] == [[1], [2], [70_000], [-3]]


def test_lengths_are_the_same_in_any_number_of_blocks(tmp_path, monkeypatch):
    corpus = prepare(tmp_path / "c", SENTENCES, encode, size=5)
    monkeypatch.setattr(shards, "AT_ONCE", 4)
    assert corpus.lengths("text").tolist() == [len(s) for s in SENTENCES]


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells")
def test_reading_shuffled_takes_bounded_memory(tmp_path, monkeypatch):
    row = np.arange(2**18, dtype=np.float32)  # a mebibyte
    monkeypatch.setattr(shards, "REMEMBERED", 4)
    monkeypatch.setattr(shards, "LARGE", 2**20)
    corpus = prepare(tmp_path / "c", [row] * 48, lambda rs: {"frames": rs}, size=8)
    most = 0
    for k in np.random.default_rng(1).permutation(48):
        assert corpus["frames", int(k)][-1] == row[-1]
        assert corpus["frames", int(k)].sum(dtype=np.float64) == row.sum(dtype=np.float64)
        most = max(most, mapped_memory(corpus.folder / "frames.npy"))
    assert 2**20 <= most <= 4 * 2 * 2**21  # each touches two large pages at most


def mapped_memory(file: Path) -> int:
    """Bytes of a mapped file that count as memory of this process."""
    lines = Path("/proc/self/smaps").read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.endswith(str(file)))
    return int(next(line for line in lines[first:] if line.startswith("Rss:")).split()[1]) * 1024


def test_an_empty_corpus_is_one(tmp_path: Path):
    assert len(prepare(tmp_path / "c", [], encode)) == 0
    assert Corpus(tmp_path / "c").lengths("text").tolist() == []


# --- many processes -----------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """Stands in the environment of every process that a test starts."""
    name = f"SEQLOOM_TEST_{uuid4().hex}"
    monkeypatch.setenv(name, "1")
    return name


def wait_until_none_runs(mark: str) -> None:
    """Every process of a crew is gone, or goes now that its parent is: this ends."""
    while any(mark.encode() in environment for environment in crews()):
        time.sleep(0.01)


def crews() -> Iterator[bytes]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"seqloom.data.crew" in (folder / "cmdline").read_bytes():
                yield (folder / "environ").read_bytes()


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


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
    corpus = prepare(tmp_path / "c", SENTENCES, lambda records: encode(records), size=5, workers=3)
    assert len(corpus) == 23
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
from seqloom.data.shards import prepare
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
    parts = tmp_path / "c.5.parts"
    while len(list(parts.glob("*.npz"))) < 3:
        assert process.poll() is None, "it ended before it was killed"
        time.sleep(0.01)
    process.kill()
    process.wait()
    made = {file.name: file.stat().st_mtime_ns for file in parts.glob("*.npz")}
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


def test_long_documents_are_held_a_few_at_a_time(monkeypatch):
    assert [len(chunk) for chunk in parts.chunks(source(), size=50)] == [50, 7]
    monkeypatch.setattr(parts, "HEAVY", 100)
    long = [Record({"text": "x" * 40, "tags": ["A"] * 5, "label": None}, Place("a.txt", k)) for k in range(7)]
    assert [len(chunk) for chunk in parts.chunks(long, size=5)] == [3, 3, 1]
