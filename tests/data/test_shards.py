"""Corpora on disk: the same numbers as went in, made once, finished when they were begun."""

from pathlib import Path

import numpy as np
import pytest

from seqloom.data.shards import Chunk, Corpus, fingerprint, prepare

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


def test_an_empty_corpus_is_one(tmp_path: Path):
    assert len(prepare(tmp_path / "c", [], encode)) == 0
    assert Corpus(tmp_path / "c").lengths("text").tolist() == []
