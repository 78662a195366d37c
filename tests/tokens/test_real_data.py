"""Real texts."""

import gzip
import json

import pytest
from tokenizers import Regex, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Library

from seqloom.tokens import TokenConfig, Tokenizer, coverage, train_pair
from seqloom.tokens.pretokenization import pretoken_pattern
from seqloom.tokens.settings import BYTES, SPECIALS


@pytest.fixture
def lines(shared_data):
    """The lines of a packed file by its name."""

    def read(name: str) -> list[str]:
        with gzip.open(shared_data / name, "rt", encoding="utf-8", newline="\n") as stream:
            return stream.read().split("\n")

    return read


def test_tiny_shakespeare_has_65_characters(lines):
    text = "\n".join(lines("tinyshakespeare/input.txt.gz"))
    tokenizer = Tokenizer.train([text], TokenConfig(kind="character"))
    assert tokenizer.size == 65 + 4
    assert sum(tokenizer.frequency) == len(text)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_multi30k_comes_back_through_a_joint_vocabulary(lines):
    english, german = lines("multi30k/train.en.gz")[:4000], lines("multi30k/train.de.gz")[:4000]
    source, target = train_pair(zip(english, german, strict=True), TokenConfig(size=4000, joint=True))
    assert source is target and source.size == 4000
    for text, ids in zip(german, target.encode_batch(german), strict=True):
        assert target.decode(ids) == text


def test_words_of_multi30k(lines):
    english = lines("multi30k/train.en.gz")
    tokenizer = Tokenizer.train(english, TokenConfig(kind="word", lower=True, min_frequency=2))
    assert tokenizer.vocabulary[4:8] == ("a", ".", "in", "the")
    assert coverage(tokenizer, lines("multi30k/val.en.gz")).rate < 0.03


def test_chinese_poems_by_parts_of_clauses(lines):
    poems = json.loads("\n".join(lines("chinese-poetry/poet.tang.0.json.gz")))
    texts = [line for poem in poems for line in poem["paragraphs"]]
    tokenizer = Tokenizer.train(texts, TokenConfig(kind="unigram", size=3000))
    assert [tokenizer.decode(ids) for ids in tokenizer.encode_batch(texts)] == texts


def test_unigram_needs_no_more_parts_than_that_of_the_library(lines):
    english, size = lines("multi30k/train.en.gz")[:5000], 2000
    tokenizer = Tokenizer.train(english, TokenConfig(kind="unigram", size=size))
    library = Library(models.Unigram())
    library.pre_tokenizer = pre_tokenizers.Split(Regex(pretoken_pattern().pattern), "isolated")
    trainer = trainers.UnigramTrainer(
        vocab_size=size - BYTES, special_tokens=list(SPECIALS), unk_token="<unk>", show_progress=False
    )
    library.train_from_iterator(english, trainer)
    ours = sum(map(len, tokenizer.encode_batch(english)))
    theirs = sum(len(cut.ids) for cut in library.encode_batch(english, add_special_tokens=False))
    assert ours <= theirs


def test_typos_of_reviews_are_mended(lines):
    reviews = [line for side in ("pos", "neg") for line in lines(f"rt-polarity/rt-polarity.train.{side}.gz")]
    tokenizer = Tokenizer.train(reviews, TokenConfig(kind="word", lower=True, mend_typos=True))
    assert tokenizer.tokenize("a goood perfomance") == ["a", "good", "performance"]
