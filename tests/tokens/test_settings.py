"""Settings of tokens: a default that works, and every mistake with what to do."""

import pytest

from seqloom.config import check, describe
from seqloom.errors import ConfigError
from seqloom.tokens import TokenConfig, Tokenizer


def test_the_defaults_work_on_any_text():
    tokenizer = Tokenizer.train(["早上好", "good morning"])
    assert tokenizer.config == TokenConfig()
    assert tokenizer.decode(tokenizer.encode("Γειά σου")) == "Γειά σου"


def test_every_setting_is_described_in_one_line():
    for name, _, sentence in describe(TokenConfig):
        assert sentence.endswith(".") and "\n" not in sentence, name


@pytest.mark.parametrize(
    "values, expected",
    [
        (
            {"kind": "word", "size": 4},
            "size: 4 is too small for the 4 special tokens\n      -> set it above 4",
        ),
        (
            {"size": 260},
            "size: 260 is too small for the 4 special tokens and 256 bytes\n      -> set it above 260",
        ),
        (
            {"kind": "word", "stop_words": "klingon"},
            "stop_words: there is no list called 'klingon'\n"
            "      -> there are: none, english; or give the words themselves, as a list",
        ),
        (
            {"stop_words": 3},
            "stop_words: 3: should be a name or a list of words\n"
            '      -> Stop words to remove: "none", a built-in list ("english"), or a list of words.',
        ),
        (
            {"kind": "bpe", "stop_words": ["the"]},
            "stop_words: needs words, and kind is 'bpe'\n      -> set kind = \"word\"",
        ),
        (
            {"kind": "character", "mend_typos": True},
            "mend_typos: needs words, and kind is 'character'\n      -> set kind = \"word\"",
        ),
        (
            {"kind": "space", "chinese": "words"},
            'chinese: "words" needs kind "word", not \'space\'\n      -> set kind = "word"',
        ),
        (
            {"kind": "unigram", "bpe_dropout": 0.1},
            "bpe_dropout: needs merges, and kind is 'unigram'\n      -> set kind = \"bpe\"",
        ),
        (
            {"kind": "unigram", "min_frequency": 2},
            "min_frequency: unigram chooses its parts by likelihood\n      -> leave it out; set size",
        ),
        ({"sise": 300}, "sise: no such setting\n      -> did you mean size?"),
    ],
)
def test_a_mistake_says_what_to_do(values, expected):
    with pytest.raises(ConfigError) as raised:
        check(TokenConfig, values, where="a.toml")
    assert str(raised.value) == f"a.toml: 1 setting cannot be used\n  {expected}"


@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_a_share_is_between_zero_and_one(rate):
    with pytest.raises(ConfigError, match="bpe_dropout"):
        check(TokenConfig, {"bpe_dropout": rate}, where="a.toml")


def test_the_smallest_size_that_is_allowed_has_one_entry():
    assert Tokenizer.train(["a b b"], TokenConfig(kind="word", size=5)).vocabulary[4:] == ("b",)
    assert Tokenizer.train(["a b b"], TokenConfig(size=261)).size == 261
    assert Tokenizer.train(["a b b"], TokenConfig(kind="unigram", size=261)).size == 261
