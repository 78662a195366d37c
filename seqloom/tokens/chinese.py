"""Words of Chinese text, which writes no spaces: 我爱机器学习 -> 我 爱 机器 学习."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from typing import Any

from seqloom.errors import SeqloomError


@cache
def segmenter() -> Any:
    """jieba, with its dictionary read once; its cache in the shared temporary folder is neither read nor written."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its source has escapes that newer Pythons warn of
            jieba = import_module("jieba")
    except ImportError:
        raise SeqloomError(
            "words of Chinese text need the package jieba, which is not installed",
            remedy="pip install 'seqloom[chinese]', or set tokens.chinese = \"characters\"",
        ) from None
    found = jieba.Tokenizer()
    found.FREQ, found.total = found.gen_pfdict(found.get_dict_file())
    found.initialized = True
    return found


def chinese_words(run: str) -> list[str]:
    """The words of a run of Han characters."""
    words: list[str] = segmenter().lcut(run)
    return words
