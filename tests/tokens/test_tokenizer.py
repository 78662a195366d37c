"""Every kind of tokenizer: round trips, special tokens, the same result every time."""

import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.errors import DataError, SeqloomError
from seqloom.tokens import TokenConfig, Tokenizer
from tests.tokens.examples import KINDS, SUBWORDS, TEXTS, anything, trained

every_kind = pytest.mark.parametrize("kind", KINDS)
subword_kind = pytest.mark.parametrize("kind", SUBWORDS)

HARD = ["", " ", "   ", "\n", "\r\n", " a", "a ", "a  b", "\u2028", "e\u0301", "👨\u200d👩\u200d👧", "▁", "Ġ", "<0x41>"]


@subword_kind
@given(text=anything)
def test_parts_of_words_give_every_text_back(kind, text):
    tokenizer = trained(kind)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@subword_kind
@pytest.mark.parametrize("text", [*HARD, *TEXTS, "<pad><unk><bos><eos>", "a" * 1000, "'" * 200, "a'" * 200, "\x00\x01"])
def test_parts_of_words_give_hard_texts_back(kind, text):
    tokenizer = trained(kind)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(data=st.data())
def test_characters_that_were_seen_come_back(data):
    seen = "".join(sorted(set("".join(TEXTS))))
    tokenizer = trained("character")
    text = data.draw(st.text(seen))
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(words=st.lists(st.sampled_from(sorted(set(" ".join(TEXTS).split())))))
def test_spaced_words_that_were_seen_come_back(words):
    tokenizer = trained("space")
    assert tokenizer.decode(tokenizer.encode(" ".join(words))) == " ".join(words)


@every_kind
@given(texts=st.lists(anything, max_size=4))
def test_a_batch_is_its_texts(kind, texts):
    tokenizer = trained(kind)
    ids = tokenizer.encode_batch(texts)
    assert ids == [tokenizer.encode(text) for text in texts]
    assert all(type(row) is list and all(type(id) is int for id in row) for row in ids)


@every_kind
def test_the_special_tokens_come_first(kind):
    tokenizer = trained(kind)
    assert tokenizer.vocabulary[:4] == ("<pad>", "<unk>", "<bos>", "<eos>")
    assert (tokenizer.pad, tokenizer.unk, tokenizer.bos, tokenizer.eos) == (0, 1, 2, 3)
    assert len(tokenizer.vocabulary) == len(tokenizer.frequency) == tokenizer.size


@every_kind
@given(text=st.lists(st.sampled_from(["<pad>", "<unk>", "<bos>", "<eos>", "<", ">", " ", "eos", "cat"])).map("".join))
def test_no_text_spells_a_special_token(kind, text):
    assert not {0, 2, 3} & set(trained(kind).encode(text))


@pytest.mark.parametrize("kind", KINDS)
def test_a_special_name_that_was_seen_in_training_is_a_word_like_others(kind):
    tokenizer = Tokenizer.train(["<eos> <pad> <unk> a"] * 3, TokenConfig(kind=kind, size=300))
    ids = tokenizer.encode("<eos> <pad> <unk>")
    assert min(ids) > 3
    assert tokenizer.decode(ids).replace(" ", "") == "<eos><pad><unk>"


@every_kind
def test_special_tokens_say_nothing_and_the_unknown_is_shown(kind):
    tokenizer = trained(kind)
    ids = tokenizer.encode("cat")
    assert tokenizer.decode([2, *ids, 3, 0, 0]) == tokenizer.decode(ids)
    assert tokenizer.decode([1]) == "<unk>"


@every_kind
def test_an_impossible_id_is_an_error(kind):
    tokenizer = trained(kind)
    for number in (-1, tokenizer.size):
        with pytest.raises(SeqloomError, match=f"no token {number}: the vocabulary has {tokenizer.size} tokens"):
            tokenizer.decode([5, number])


@every_kind
@given(text=anything)
def test_pieces_are_the_tokens_in_their_places(kind, text):
    tokenizer = trained(kind)
    pieces = tokenizer.pieces(text)
    assert [piece.id for piece in pieces] == tokenizer.encode(text)
    assert [piece.text for piece in pieces] == tokenizer.tokenize(text)
    words = [piece.word for piece in pieces]
    assert words == sorted(words) and set(words) == set(range(len(set(words))))
    assert all(0 <= piece.start < piece.end <= len(text) for piece in pieces)
    if kind in ("character", *SUBWORDS):  # they lose nothing
        covered = {place for piece in pieces for place in range(piece.start, piece.end)}
        assert covered == set(range(len(text)))
    if kind in ("word", "space"):
        for piece in pieces:
            assert piece.id == tokenizer.unk or text[piece.start : piece.end] == piece.text


@pytest.mark.parametrize("kind", ["character", *SUBWORDS])
def test_words_of_pieces(kind):
    text = "the dogs isn't 上早 abc好!"
    words: dict[int, str] = {}
    for piece in trained(kind).pieces(text):
        start = max(piece.start, sum(map(len, words.values())))  # the bytes of one character are several pieces
        words[piece.word] = words.get(piece.word, "") + text[start : piece.end]
    assert list(words.values()) == ["the", " dogs", " isn't", " 上", "早", " abc", "好", "!"]


def test_a_person_sees_spaces_and_bytes():
    tokenizer = Tokenizer.train(["the cat the cat"], TokenConfig(size=300))
    assert tokenizer.tokenize("the cat é") == ["the", "▁cat", "▁", "<0xC3>", "<0xA9>"]


@every_kind
def test_words_that_are_already_cut_are_encoded_one_by_one(kind):
    tokenizer = trained(kind)
    ids = tokenizer.encode_words(["The", "cat", "sat"])
    assert len(ids) == 3
    joined = "Thecatsat" if kind == "character" else "The cat sat"
    assert [id for word in ids for id in word] == tokenizer.encode(joined)


@every_kind
def test_any_order_of_texts_gives_the_same_tokenizer(kind, tmp_path):
    config = TokenConfig(kind=kind, size=340)
    first, second = Tokenizer.train(TEXTS, config), Tokenizer.train(iter(TEXTS[::-1]), config)
    first.save(tmp_path / "1")
    second.save(tmp_path / "2")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert first == second and hash(first) == hash(second)
    assert first != Tokenizer.train(TEXTS[1:], config)


SCRIPT = """
import sys
from seqloom.tokens import TokenConfig, Tokenizer
texts = ["to be or not to be that is the question", "whether tis nobler in the mind to suffer", "tobe notto"]
for kind in ("word", "space", "character", "bpe", "unigram"):
    print(Tokenizer.train(texts, TokenConfig(kind=kind, size=300, mend_typos=kind == "word", typo_ratio=2)).fingerprint)
assert "torch" not in sys.modules
"""


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=True,
        timeout=200,
    )


def test_another_process_learns_the_same_without_torch():
    first, second = (run(SCRIPT, PYTHONHASHSEED=seed).stdout.split() for seed in "12")
    assert first == second
    assert len(set(first)) == 5


def test_a_forked_process_encodes_without_a_word():
    script = """
import os
from seqloom.tokens import TokenConfig, Tokenizer
tokenizer = Tokenizer.train(["the cat sat on the mat"] * 9, TokenConfig(size=300))
before = tokenizer.encode_batch(["the cat", "a mouse"])
child = os.fork()
if child == 0:
    os._exit(0 if tokenizer.encode_batch(["the cat", "a mouse", "a new word"])[:2] == before else 1)
print(os.waitpid(child, 0)[1])
"""
    done = run(script, PYTHONWARNINGS="ignore")
    assert (done.stdout, done.stderr) == ("0\n", "")


@every_kind
def test_it_can_be_sent_to_another_process(kind):
    tokenizer = trained(kind)
    sent = pickle.loads(pickle.dumps(tokenizer))
    assert sent == tokenizer
    assert sent.encode_batch(TEXTS) == tokenizer.encode_batch(TEXTS)


@every_kind
@pytest.mark.parametrize("texts", [[], [""]])
def test_no_text_is_an_error(kind, texts):
    with pytest.raises(SeqloomError) as raised:
        Tokenizer.train(texts, TokenConfig(kind=kind))
    assert str(raised.value) == ("there is no text to learn a vocabulary from\n    -> give texts with words in them")


def test_one_text_in_the_place_of_many_is_an_error():
    with pytest.raises(SeqloomError, match="got one text instead of a list"):
        Tokenizer.train("the cat")
    with pytest.raises(SeqloomError, match="got one text instead of a list"):
        trained("word").encode_batch("the cat")


def test_what_is_no_text_is_an_error():
    with pytest.raises(SeqloomError, match="text 2 is not a text but int"):
        Tokenizer.train(["a", 3], TokenConfig(kind="word"))  # type: ignore[list-item]


@every_kind
def test_half_a_character_cannot_be_learned(kind):
    with pytest.raises(DataError, match=r"'\\udc80.*' holds half a character\n    -> read the file as UTF-8"):
        Tokenizer.train(["\udc80"], TokenConfig(kind=kind))


@subword_kind
def test_half_a_character_cannot_be_cut(kind):
    with pytest.raises(DataError, match="holds half a character"):
        trained(kind).encode("a \udc80")


@every_kind
def test_capitals_are_read_as_small_letters(kind):
    tokenizer = trained(kind, lower=True)
    assert tokenizer.encode("THE CAT") == tokenizer.encode("the cat")
    assert trained(kind).encode("THE CAT") != trained(kind).encode("the cat")


@subword_kind
@given(text=anything)
def test_lower_case_is_that_of_python(kind, text):
    tokenizer = trained(kind, lower=True)
    assert tokenizer.decode(tokenizer.encode(text)) == text.lower()


def test_unicode_forms():
    for form, text, same in [("nfc", "cafe\u0301", "café"), ("nfkc", "ｃａｔ", "cat")]:
        tokenizer = Tokenizer.train([same], TokenConfig(kind="word", normalise=form))
        assert tokenizer.tokenize(text) == [same]
    assert Tokenizer.train(["café"], TokenConfig(kind="word")).tokenize("cafe\u0301") == ["<unk>"]


@every_kind
def test_learning_reads_the_texts_once(kind):
    assert Tokenizer.train((text for text in TEXTS), TokenConfig(kind=kind, size=340)) == trained(kind)


@every_kind
def test_an_error_of_the_source_comes_through(kind):
    def broken():
        yield "the cat"
        raise KeyError("line 2")

    with pytest.raises(KeyError, match="line 2"):
        Tokenizer.train(broken(), TokenConfig(kind=kind))


@pytest.mark.parametrize(
    "kind, text, share",
    [("word", "the cat ran off", 0.5), ("character", "tax☃", 0.5), ("bpe", "☃", 1)],
)
def test_what_was_not_in_the_training_text_is_unseen(kind, text, share):
    tokenizer = Tokenizer.train(["the cat sat", "the dog sat"], TokenConfig(kind=kind, size=300))
    assert tokenizer.unseen(tokenizer.encode(text)) == share
