"""What a vocabulary holds and lacks."""

from seqloom.tokens import TokenConfig, Tokenizer, coverage, most_frequent, rarest
from tests.tokens.examples import TEXTS, trained

TOKENIZER = Tokenizer.train(["c c c b b a"], TokenConfig(kind="word", lower=True))


def test_most_frequent_and_rarest_tokens():
    assert most_frequent(TOKENIZER, 2) == [("c", 3), ("b", 2)]
    assert rarest(TOKENIZER, 2) == [("a", 1), ("b", 2)]


def test_bytes_that_were_not_seen_are_not_rare_words():
    assert all(count > 0 for _, count in rarest(trained("bpe"), 1000))


def test_frequencies_of_parts_are_those_of_the_encoded_texts():
    for kind in ("bpe", "unigram", "character", "word"):
        tokenizer = trained(kind)
        ids = [id for row in tokenizer.encode_batch(TEXTS) for id in row]
        assert [ids.count(number) for number in range(tokenizer.size)] == list(tokenizer.frequency), kind


def test_unknown_words_are_counted_as_they_are_read():
    found = coverage(TOKENIZER, ["C X x", "", "y B"])
    assert (found.texts, found.tokens, found.unknown) == (3, 5, 3)
    assert found.words == [("x", 2), ("y", 1)]
    assert found.rate == 3 / 5


def test_no_text_has_no_unknown_words():
    assert coverage(TOKENIZER, []).rate == 0


def test_parts_of_words_know_everything():
    assert coverage(trained("bpe"), ["ξένος 早上好"]).rate == 0
