"""Language models: a long text, and its segments in the order of training."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seqloom.tasks.generate.batch import IGNORED, masked_tokens, next_tokens
from seqloom.tasks.generate.long_text import LongText, to_text, to_tokens
from seqloom.tasks.generate.stream import SegmentStream
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from tests.tasks.generating import CPU, corpus_of, untrained

# --- text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["character", "bpe", "unigram"])
@given(st.lists(st.text("ab \n", max_size=9), max_size=5))
def test_a_text_comes_back_as_it_was(kind, texts):
    tokenizer = Tokenizer.train(["abba ab a b", "ba"], TokenConfig(kind=kind, size=270))
    tokens = to_tokens(tokenizer, texts)
    assert [to_text(tokenizer, row) for row in tokens] == texts
    assert [row.count(tokenizer.eos) for row in tokens] == [text.count("\n") for text in texts]


def test_every_line_break_is_one_token_and_blank_lines_are_kept(song):
    task, _ = untrained(song)
    records = [SimpleNamespace(columns={"text": line}) for line in ["down", "", "a\nrow"]]
    found = task.encode(records)  # type: ignore[arg-type]
    text = "down\n\na\nrow\n"
    assert [len(row) for row in found["text"]] == [5, 1, 6]
    assert sum(int(count[0]) for count in found["characters"]) == len(text)
    assert to_text(task.tokenizer, [int(id) for row in found["text"] for id in row]) == text


# --- segments --------------------------------------------------------------------------------------


def stream(count: int, length: int, stride: int = 0, batch: int = 3, seed: int = 5) -> SegmentStream[Any]:
    return SegmentStream(count, length, stride, batch, seed, lambda segments, generator: segments.tolist())


def epoch_of(stream: SegmentStream[Any], epoch: int) -> list[list[int]]:
    found: list[list[int]] = []
    for batch in stream:
        if stream.epoch > epoch:
            return found
        if stream.epoch == epoch:
            found += batch
    raise AssertionError


@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 2))
def test_an_epoch_foretells_every_token_once(count, length, epoch):
    if count < length:
        return
    segments = epoch_of(stream(count, length), epoch)
    assert sorted(place for start, stop in segments for place in range(start, stop)) == list(range(count))
    assert all(0 < stop - start <= length for start, stop in segments)


def test_every_epoch_has_its_own_cuts_and_its_own_order():
    first, second = epoch_of(stream(200, 16), 0), epoch_of(stream(200, 16), 1)
    assert sorted(first) != sorted(second)
    assert first != sorted(first)
    assert epoch_of(stream(200, 16, seed=6), 0) != first


def test_overlapping_segments_are_whole_and_begin_every_few_tokens():
    found = sorted(epoch_of(stream(100, 60, stride=3), 0))
    assert found == [[start, start + 60] for start in range(0, 41, 3)]


@pytest.mark.parametrize("stride", [0, 4])
def test_a_stream_goes_on_where_it_was(stride):
    whole = stream(57, 8, stride)
    batches = iter(whole)
    for taken in range(20):
        position = whole.position()
        other = stream(57, 8, stride)
        other.seek(position)
        assert next(iter(other)) == next(batches), taken
        assert other.epochs() == whole.epochs()
    assert whole.epoch >= 2


def test_the_masks_of_a_batch_come_back_when_a_stream_goes_on():
    text = LongText(corpus_of(list(range(4, 61))), before=3)

    def make(segments: Any, generator: np.random.Generator) -> Any:
        return masked_tokens(text, segments, CPU, 61, generator, 0.15).tokens

    whole = SegmentStream(57, 8, 0, 3, 5, make)
    batches = iter(whole)
    for _ in range(5):
        other = SegmentStream(57, 8, 0, 3, 5, make)
        other.seek(whole.position())
        assert torch.equal(next(iter(other)), next(batches))


def test_each_token_is_foretold_from_the_one_before_it():
    text = LongText(corpus_of([10, 11, 12, 13, 14, 15, 16]), before=3)
    batch = next_tokens(text, np.array([[0, 3], [5, 7], [3, 5]]), CPU)
    assert batch.tokens.tolist() == [[3, 10, 11], [14, 15, 0], [12, 13, 0]]
    assert batch.targets.tolist() == [[10, 11, 12], [15, 16, IGNORED], [13, 14, IGNORED]]
    assert batch.lengths.tolist() == [3, 2, 2]
    assert batch.select([2]).targets.tolist() == [[13, 14, IGNORED]]
