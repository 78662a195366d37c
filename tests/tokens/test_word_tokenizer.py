"""WordTokenizer: where they begin and end, which are known, how they make a sentence again."""

import pytest

from seqloom.errors import SeqloomError
from seqloom.tokens import TokenConfig, Tokenizer
from seqloom.tokens.detokenizer import detokenize
from seqloom.tokens.pretokenization import pretoken_pattern, word_pattern
from seqloom.tokens.stop_words import STOP_WORDS


@pytest.mark.parametrize(
    "text, words",
    [
        ("The cat, the dog.", "The|cat|,|the|dog|."),
        ("Don't say l’homme!", "Don't|say|l’homme|!"),
        ("'quoted' rock'n'roll", "'|quoted|'|rock'n'roll"),
        ("well-known 3.50 1,000 U2 a_b", "well|-|known|3.50|1,000|U2|a_b"),
        ("我爱Python3!", "我|爱|Python3|!"),
        ("ひらカナ 한국어 말", "ひ|ら|カ|ナ|한국어|말"),
        ("हिन्दी में cafe\u0301", "हिन्दी|में|cafe\u0301"),
        ("👍🏽❤️👨‍👩‍👧🇩🇪🇫🇷", "👍🏽|❤️|👨‍👩‍👧|🇩🇪|🇫🇷"),
        ("...?!", ".|.|.|?|!"),
        ("𝒳 𠀀𠀁", "𝒳|𠀀|𠀁"),
    ],
)
def test_words_and_punctuation_stand_apart(text, words):
    assert "|".join(word_pattern().findall(text)) == words


def test_a_long_run_is_cut():
    assert [len(word) for word in word_pattern().findall("a" * 130)] == [64, 64, 2]
    assert max(map(len, pretoken_pattern().findall("=" * 500 + " " * 500 + "漢" * 500 + "x" * 500))) == 65


@pytest.mark.parametrize(
    "text",
    [
        "The cat, the dog; (a well-known one) isn't here.",
        'He said: "no"! Then "yes".',
        "It costs $5, 50% of 3.50.",
        "早上好，我爱你。",
        "我有3个Python。",
        "and/or [x] {y} “so” ‘it’ is…",
    ],
)
def test_words_make_the_sentence_they_came_from(text):
    assert detokenize(word_pattern().findall(text)) == text


def test_the_vocabulary_is_sorted_by_frequency_then_by_the_alphabet():
    tokenizer = Tokenizer.train(["c c c b a b a d"], TokenConfig(kind="word"))
    assert tokenizer.vocabulary[4:] == ("c", "a", "b", "d")
    assert tokenizer.frequency == (0, 0, 0, 0, 3, 2, 2, 1)


def test_the_top_is_kept_and_the_rest_is_unknown():
    tokenizer = Tokenizer.train(["c c c b a b a d"], TokenConfig(kind="word", size=6))
    assert tokenizer.vocabulary[4:] == ("c", "a")
    assert tokenizer.frequency[tokenizer.unk] == 3
    assert tokenizer.tokenize("a b c d") == ["a", "<unk>", "c", "<unk>"]


@pytest.mark.parametrize("kind", ["word", "character"])
def test_rare_ones_are_not_kept(kind):
    tokenizer = Tokenizer.train(["c c c b a b a d"], TokenConfig(kind=kind, min_frequency=3))
    assert tokenizer.vocabulary[4:] == (("c",) if kind == "word" else (" ", "c"))


@pytest.mark.parametrize("kind, token, most", [("word", "word", 3), ("character", "character", 7)])
def test_a_frequency_that_nothing_has_is_an_error(kind, token, most):
    with pytest.raises(SeqloomError) as raised:
        Tokenizer.train(["c c c b a b a d"], TokenConfig(kind=kind, min_frequency=9))
    assert str(raised.value) == (
        f"no {token} was seen 9 times: the most frequent one has a count of {most}\n"
        f"    -> set tokens.min_frequency to {most} or less"
    )


def test_stop_words_are_left_out_in_any_case():
    config = TokenConfig(kind="word", stop_words="english")
    tokenizer = Tokenizer.train(["The cat and THE dog, tHe end"], config)
    assert sorted(tokenizer.vocabulary[4:]) == [",", "cat", "dog", "end"]
    assert tokenizer.tokenize("the The tHe THE cat isn't it") == ["cat", "<unk>"]
    assert [(piece.text, piece.start, piece.word) for piece in tokenizer.pieces("the cat and the dog")] == [
        ("cat", 4, 0),
        ("dog", 16, 1),
    ]
    assert tokenizer.encode("the and of") == []


def test_stop_words_of_ones_own():
    tokenizer = Tokenizer.train(["the cat sat"], TokenConfig(kind="space", stop_words=("Cat",)))
    assert tokenizer.tokenize("the cat sat") == ["the", "sat"]


def test_no_stop_word_denies():
    assert not {"no", "not", "never", "nothing", "don't"} & set(STOP_WORDS["english"])
    assert len(set(STOP_WORDS["english"])) == len(STOP_WORDS["english"]) > 100


def test_nothing_but_stop_words_is_an_error():
    with pytest.raises(SeqloomError, match=r'every word is a stop word\n    -> set tokens\.stop_words = "none"'):
        Tokenizer.train(["the and"], TokenConfig(kind="word", stop_words="english"))


def test_a_line_without_spaces_is_no_word():
    config = TokenConfig(kind="space", mend_typos=True)
    line = "a" * 1_000_000
    tokenizer = Tokenizer.train(["a b", line], config)
    assert tokenizer.vocabulary[4:] == ("a", "b")
    assert tokenizer.frequency[tokenizer.unk] == 1
    assert tokenizer.tokenize(f"a {line}") == ["a", "<unk>"]
    with pytest.raises(SeqloomError, match=r'every word has more than 100 letters\n    -> set tokens\.kind = "bpe"'):
        Tokenizer.train([line], config)


def test_text_cut_by_others_keeps_its_words():
    tokenizer = Tokenizer.train(["a <unk> U.S. @-@ based , <unk>"], TokenConfig(kind="space"))
    assert tokenizer.tokenize("U.S.  @-@\tbased") == ["U.S.", "@-@", "based"]
    assert tokenizer.encode("<unk> nothing")[1] == tokenizer.unk != tokenizer.encode("<unk>")[0]
