"""Words of a text for metrics, however a model tokenises it."""

from __future__ import annotations

import re
import unicodedata

WORD_OR_PUNCTUATION = re.compile(r"\w+|[^\w\s]")


def separate_cjk(text: str) -> str:
    """With spaces around every Chinese, Japanese and Korean character, which are written without.

    >>> separate_cjk("两只 dogs")
    ' 两  只  dogs'
    """
    return "".join(f" {char} " if unicodedata.east_asian_width(char) == "W" else char for char in text)


def count_words(text: str) -> int:
    """How many words a text has; every CJK character is one.

    >>> count_words("two dogs run"), count_words("两只狗 run")
    (3, 4)
    """
    return len(separate_cjk(text).split())


def words_and_punctuation(text: str) -> list[str]:
    """Words and punctuation marks, whatever the spaces around them.

    >>> words_and_punctuation("Two dogs, 两只.")
    ['Two', 'dogs', ',', '两', '只', '.']
    """
    return WORD_OR_PUNCTUATION.findall(separate_cjk(text))
