"""Detokenizer: from words back to a sentence, with spaces where a writer puts them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from seqloom.tokens.pretokenization import CJK

CLOSES = set(".,;:!?%)]}»”’…′″°") | set("、。，；：！？）】》」』〉")
OPENS = set("([{«“‘„¿¡$£€#@") | set("（【《「『〈")
BETWEEN = set("-/‐‑")
"""Joined on both sides: well-known, and/or."""
QUOTES = set("\"'")
"""The same mark opens and closes: every second one closes."""

wide = re.compile(f"[{CJK}\u3000-\u303f\uff00-\uffef]").match


def detokenize(words: Iterable[str]) -> str:
    """A sentence of words and punctuation marks.

    >>> detokenize(["He", "said", ":", '"', "a", "well", "-", "known", "(", "old", ")", "fact", '"', "."])
    'He said: "a well-known (old) fact".'
    >>> detokenize(["我", "爱", "机器", "学习", "，", "Python", "!"])
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
