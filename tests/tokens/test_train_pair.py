"""Two vocabularies for two languages, or a joint one."""

import pytest

from seqloom.errors import SeqloomError
from seqloom.tokens import TokenConfig, Tokenizer, train_pair
from tests.tokens.examples import KINDS

PAIRS = [("the cat", "die Katze"), ("the dog", "der Hund"), ("a cat", "eine Katze")]


@pytest.mark.parametrize("kind", KINDS)
def test_each_side_has_its_own_vocabulary(kind):
    config = TokenConfig(kind=kind, size=280)
    source, target = train_pair(iter(PAIRS), config)
    assert source == Tokenizer.train([left for left, _ in PAIRS], config)
    assert target == Tokenizer.train([right for _, right in PAIRS], config)
    assert source != target


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_vocabulary_is_one_object(kind):
    config = TokenConfig(kind=kind, size=280, joint=True)
    source, target = train_pair(iter(PAIRS), config)
    assert source is target
    assert source == Tokenizer.train([side for pair in PAIRS for side in pair], config)


def test_words_of_the_other_side_are_unknown():
    source, target = train_pair(PAIRS, TokenConfig(kind="word"))
    assert source.tokenize("the Katze") == ["the", "<unk>"]
    assert target.tokenize("the Katze") == ["<unk>", "Katze"]


def test_no_pairs_are_an_error():
    with pytest.raises(SeqloomError, match="there is no text to learn a vocabulary from"):
        train_pair([])
