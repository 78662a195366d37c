"""Words of Chinese text, which writes no spaces: 我爱机器学习 -> 我 爱 机器 学习."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

from seqloom.extras import require


@cache
def segmenter() -> Any:
    """jieba, with its dictionary read once; its cache in the shared temporary folder is neither read nor written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its source has escapes that newer Pythons warn of
        otherwise = 'set tokens.chinese = "characters"'
        jieba = require("jieba", "chinese", "cutting Chinese text into words", otherwise=otherwise)
    found = jieba.Tokenizer()
    found.FREQ, found.total = found.gen_pfdict(found.get_dict_file())
    found.initialized = True
    return found


def chinese_words(run: str) -> list[str]:
    """The words of a run of Han characters."""
    words: list[str] = segmenter().lcut(run)
    return words
