"""From words back to a sentence: spaces where a writer puts them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from seqloom.tokens.letters import CJK

CLOSES = set(".,;:!?%)]}»”’…′″°") | set("、。，；：！？）】》」』〉")
OPENS = set("([{«“‘„¿¡$£€#@") | set("（【《「『〈")
BETWEEN = set("-/‐‑")
"""Joined on both sides: well-known, and/or."""
QUOTES = set("\"'")
"""The same mark opens and closes: every second one closes."""

wide = re.compile(f"[{CJK}\u3000-\u303f\uff00-\uffef]").match


def join(words: Iterable[str]) -> str:
    """A sentence of words and punctuation marks.

    >>> join(["He", "said", ":", '"', "a", "well", "-", "known", "(", "old", ")", "fact", '"', "."])
    'He said: "a well-known (old) fact".'
    >>> join(["我", "爱", "机器", "学习", "，", "Python", "!"])
    '我爱机器学习，Python!'
    """
    parts: list[str] = []
    before, tight, quoted = "", True, dict.fromkeys(QUOTES, False)  # tight: the next word stands close
    for word in words:
        closing = quoted.get(word, False)
        if not (tight or closing or word in CLOSES or word in BETWEEN or wide(before) or wide(word)):
            parts.append(" ")
        parts.append(word)
        if word in QUOTES:
            quoted[word] = not closing
        tight = word in OPENS or word in BETWEEN or (word in QUOTES and not closing)
        before = word[-1:]
    return "".join(parts)
