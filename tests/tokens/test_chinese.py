"""Chinese: characters, or words through a segmenter that may not be there."""

import sys

import pytest

from seqloom.errors import SeqloomError
from seqloom.tokens import TokenConfig, Tokenizer
from seqloom.tokens.chinese import segmenter

TEXTS = ["我爱机器学习", "每天用 Python 学习，3.5 小时!"]


def test_characters():
    tokenizer = Tokenizer.train(TEXTS, TokenConfig(kind="word"))
    assert tokenizer.tokenize("我爱机器学习") == ["我", "爱", "机", "器", "学", "习"]
    assert tokenizer.decode(tokenizer.encode("我爱机器学习，Python!")) == "我爱机器学习，Python!"


def test_words():
    tokenizer = Tokenizer.train(TEXTS, TokenConfig(kind="word", chinese="words"))
    assert tokenizer.tokenize("我爱机器学习") == ["我", "爱", "机器", "学习"]
    assert tokenizer.tokenize(TEXTS[1]) == ["每天", "用", "Python", "学习", "，", "3.5", "小时", "!"]
    assert tokenizer.decode(tokenizer.encode("我爱机器学习")) == "我爱机器学习"
    assert [(piece.text, piece.start, piece.end) for piece in tokenizer.pieces("a 我爱机器学习")][1:] == [
        ("我", 2, 3),
        ("爱", 3, 4),
        ("机器", 4, 6),
        ("学习", 6, 8),
    ]


def test_without_the_segmenter_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    segmenter.cache_clear()
    try:
        with pytest.raises(SeqloomError) as raised:
            Tokenizer.train(TEXTS, TokenConfig(kind="word", chinese="words"))
    finally:
        segmenter.cache_clear()
    assert str(raised.value) == (
        "cutting Chinese text into words needs jieba\n"
        '    -> pip install "seqloom[chinese]", or set tokens.chinese = "characters"'
    )
