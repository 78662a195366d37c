import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqloom.vectors.corpus_chunks import chunks, count_words, without_rare_words


@given(st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=12), st.integers(1, 9))
def test_pieces_hold_every_word_once_in_order_and_cut_only_long_sentences(sentences, size):
    found = list(chunks(sentences, size))
    assert [word for piece in found for word in piece.words] == [word for sentence in sentences for word in sentence]
    assert all(len(piece.words) < 2 * size for piece in found)
    runs = [np.bincount(piece.sentence).tolist() for piece in found]
    whole = [[len(s[start : start + size]) for start in range(0, len(s), size)] for s in sentences]
    assert [length for run in runs for length in run] == [length for cut in whole for length in cut]


def test_counts_and_the_words_that_are_learned():
    count = count_words([[3, 1, 3], [1, 0], (3,)], 5, 2)
    assert count.counts.tolist() == [2, 3]
    assert count.old.tolist() == [1, 3]
    assert count.new.tolist() == [-1, 0, -1, 1, -1]
    assert count.words == 6


def test_rare_words_leave_no_gap():
    sentences = [[3, 0, 1, 3], [1]]
    (piece,) = chunks(sentences)
    part = without_rare_words(piece, count_words(sentences, 4, 2))
    assert part.words.tolist() == [1, 0, 1, 0]
    assert part.sentence.tolist() == [0, 0, 0, 1]
