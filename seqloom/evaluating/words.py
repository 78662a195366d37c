"""Words of a text, whatever a model cuts it into."""

from __future__ import annotations

import re
import unicodedata

WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")


def signs_apart(text: str) -> str:
    """With spaces around every sign of Chinese, Japanese and Korean, which are written without.

    >>> signs_apart("两只 dogs")
    ' 两  只  dogs'
    """
    return "".join(f" {sign} " if unicodedata.east_asian_width(sign) == "W" else sign for sign in text)


def words_in(text: str) -> int:
    """How many there are.

    >>> words_in("two dogs run"), words_in("两只狗 run")
    (3, 4)
    """
    return len(signs_apart(text).split())


def words_and_signs(text: str) -> list[str]:
    """Words, and every sign between them by itself: whatever the spaces around signs.

    >>> words_and_signs("Two dogs, 两只.")
    ['Two', 'dogs', ',', '两', '只', '.']
    """
    return WORD_OR_SIGN.findall(signs_apart(text))
