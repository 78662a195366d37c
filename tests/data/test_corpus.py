"""Corpora on disk: the same numbers as went in, made once, finished when they were begun."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from seqloom.data import chunks
from seqloom.data import corpus as corpus_module
from seqloom.data.corpus import Chunk, Corpus, fingerprint, prepare
from seqloom.data.record import Place, Record
from seqloom.errors import SeqloomWarning
from tests.data.coding import source

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
    corpus.release_memory()
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
    monkeypatch.setattr(corpus_module, "AT_ONCE", 4)
    assert corpus.lengths("text").tolist() == [len(s) for s in SENTENCES]


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells")
def test_reading_shuffled_takes_bounded_memory(tmp_path, monkeypatch):
    row = np.arange(2**18, dtype=np.float32)  # a mebibyte
    monkeypatch.setattr(corpus_module, "RELEASE_EVERY", 4)
    monkeypatch.setattr(corpus_module, "LARGE", 2**20)
    corpus = prepare(tmp_path / "c", [row] * 48, lambda rs: {"frames": rs}, size=8)
    most = 0
    for k in np.random.default_rng(1).permutation(48):
        assert corpus["frames", int(k)][-1] == row[-1]
        assert corpus["frames", int(k)].sum(dtype=np.float64) == row.sum(dtype=np.float64)
        most = max(most, mapped_memory(corpus.folder / "frames.npy"))
    assert 2**20 <= most <= 4 * 2 * 2**21  # each touches two large pages at most
    batch = [corpus["frames", k] for k in range(48)]
    assert [example[7] for example in batch] == [row[7]] * 48
    assert mapped_memory(corpus.folder / "frames.npy") <= 4 * 2 * 2**21, "what a batch holds is no part of the map"


def mapped_memory(file: Path) -> int:
    """Bytes of a mapped file that count as memory of this process."""
    lines = Path("/proc/self/smaps").read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.endswith(str(file)))
    return int(next(line for line in lines[first:] if line.startswith("Rss:")).split()[1]) * 1024


def test_an_empty_corpus_is_one(tmp_path: Path):
    assert len(prepare(tmp_path / "c", [], encode)) == 0
    assert Corpus(tmp_path / "c").lengths("text").tolist() == []


def test_long_documents_are_held_a_few_at_a_time(monkeypatch):
    assert [len(chunk) for chunk in chunks.chunks(source(), size=50)] == [50, 7]
    monkeypatch.setattr(chunks, "HEAVY", 100)
    long = [Record({"text": "x" * 40, "tags": ["A"] * 5, "label": None}, Place("a.txt", k)) for k in range(7)]
    assert [len(chunk) for chunk in chunks.chunks(long, size=5)] == [3, 3, 1]


def test_a_corpus_in_which_a_bit_was_flipped_is_made_again(tmp_path):
    def encode(records: list[str]) -> Chunk:
        return {"text": [[len(record), 7] for record in records]}

    texts = ["a", "bb", "ccc"]
    prepare(tmp_path / "c", texts, encode)
    for file in sorted((tmp_path / "c").iterdir()):
        whole = file.read_bytes()
        file.write_bytes(whole[:-3] + bytes([whole[-3] ^ 16]) + whole[-2:])
        with pytest.warns(SeqloomWarning, match="was damaged while it lay there; it is made again"):
            corpus = prepare(tmp_path / "c", texts, encode)
        assert [corpus["text", place].tolist() for place in range(3)] == [[1, 7], [2, 7], [3, 7]]


def test_a_chunk_in_which_a_bit_was_flipped_is_made_again(tmp_path):
    def encode(records: list[str]) -> Chunk:
        return {"text": [[len(record)] for record in records]}

    def stopped() -> Iterator[str]:
        yield from ["a", "bb"]
        raise KeyboardInterrupt

    unfinished = tmp_path / "c.1.chunks"
    with pytest.raises(KeyboardInterrupt):
        prepare(tmp_path / "c", stopped(), encode, size=1, workers=1)
    left = {file.name: file.read_bytes() for file in unfinished.iterdir()}
    assert "000000.npz" in left
    for name, whole in left.items():
        for place in range(0, len(whole), 60):
            unfinished.mkdir(exist_ok=True)
            for other, content in left.items():
                (unfinished / other).write_bytes(content)
            (unfinished / name).write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
            corpus = prepare(tmp_path / "c", ["a", "bb"], encode, size=1, workers=1)
            assert [corpus["text", at].tolist() for at in range(2)] == [[1], [2]]
            shutil.rmtree(tmp_path / "c")
