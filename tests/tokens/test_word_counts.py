"""Counting: bounded in memory."""

from seqloom.tokens.word_counts import WordCounter


def test_when_there_are_too_many_words_the_rarest_are_forgotten():
    counted = WordCounter(str.split, None, most=6)
    for text in ["a a a b b", "c d", "e f g"]:
        counted.add(text)
    assert counted.sorted() == {"a": 3, "b": 2, "c": 1}
    counted.add("b b c")
    assert counted.sorted() == {"b": 4, "a": 3, "c": 2}


def test_equals_are_sorted_by_the_alphabet():
    counted = WordCounter(str.split, str.lower)
    counted.add("z B a A z b c")
    assert list(counted.sorted().items()) == [("a", 2), ("b", 2), ("z", 2), ("c", 1)]
