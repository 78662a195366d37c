"""Tags of Python: by hand, and against the tokens themselves."""

import keyword

import pytest

from seqloom.data.embedded.python_tokens import PYTHON_TOKENS, statements

BY_HAND = {
    "class A(B, metaclass=M):\n    pass": "KEYWORD CLASS OP NAME OP ARGUMENT OP NAME OP OP",
    "async def f(self, *a, b=1) -> C: pass": (
        "KEYWORD KEYWORD FUNCTION OP PARAMETER OP OP PARAMETER OP PARAMETER OP NUMBER OP OP NAME OP KEYWORD"
    ),
    "a.b.c(d)[e] = f.g": "NAME OP ATTRIBUTE OP METHOD OP NAME OP OP NAME OP OP NAME OP ATTRIBUTE",
    "from a.b import c as d": "KEYWORD IMPORT OP IMPORT KEYWORD IMPORT KEYWORD IMPORT",
    "for i in range(3): print(i)": "KEYWORD TARGET KEYWORD CALL OP NUMBER OP OP CALL OP NAME OP",
    "match x:\n    case [a, *b]: pass": "KEYWORD NAME OP",
    "match = case(match)": "TARGET OP CALL OP NAME OP",
    "with open(p) as f: pass": "KEYWORD CALL OP NAME OP KEYWORD TARGET OP KEYWORD",
    "x: int = 'word'": "TARGET OP NAME OP STRING",
    "try: pass\nexcept E as e: pass": "KEYWORD OP KEYWORD",
}


@pytest.mark.parametrize("source, tags", BY_HAND.items(), ids=BY_HAND)
def test_tags_by_hand(source, tags):
    assert next(iter(statements(source)))[1] == tags.split()


def test_names_bound_by_except_and_case_are_targets():
    _, handler = statements("try: pass\nexcept E as e: pass")
    assert handler[1][:5] == ["KEYWORD", "NAME", "KEYWORD", "TARGET", "OP"]
    *_, case = statements("match x:\n    case [a, *b]: pass")
    assert case[1][:6] == ["KEYWORD", "OP", "TARGET", "OP", "OP", "TARGET"]


@pytest.mark.parametrize("source", ["x = f'{y}'", "x = 'two words'", "x = 'é'", '"""A\ntext."""'])
def test_what_is_left_out(source):
    assert list(statements(source)) == []


def test_tags_agree_with_what_can_be_seen():
    for words, tags in PYTHON_TOKENS.splits["test"]:
        assert isinstance(words, list)
        assert isinstance(tags, list)
        assert len(words) == len(tags)
        for place, (word, tag) in enumerate(zip(words, tags)):
            assert not any(letter.isspace() for letter in word)
            if keyword.iskeyword(word):
                assert tag == "KEYWORD"
            if tag in ("METHOD", "ATTRIBUTE"):
                assert words[place - 1] == "."
            if tag == "FUNCTION":
                assert words[place - 1] == "def"
            if tag == "ARGUMENT":
                assert words[place + 1] == "="
