"""Which script a text is written in: Latin, Cyrillic, Han ..., told by the names that Unicode gives its letters."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

ALIKE = {"CJK": "Han", "HIRAGANA": "kana", "KATAKANA": "kana", "KATAKANA-HIRAGANA": "kana"}
VARIANTS = ("FULLWIDTH", "HALFWIDTH", "MODIFIER")


def script_of(text: str) -> str:
    """The script of most of the letters; Japanese, if there is kana among Han; empty if there is no letter.

    >>> script_of("Москва"), script_of("東京へ行く"), script_of("42")
    ('Cyrillic', 'Japanese', '')
    """
    if text.isascii():
        return "Latin" if any(map(str.isalpha, text)) else ""
    counts: Counter[str] = Counter()
    for letter, times in Counter(text).items():
        if letter.isalpha():
            counts[letter_script(letter)] += times
    if not counts:
        return ""
    if counts["kana"]:
        counts["Japanese"] = counts.pop("kana") + counts.pop("Han", 0)
    return max(counts, key=lambda name: counts[name])


@lru_cache(maxsize=65_536)
def letter_script(letter: str) -> str:
    words = unicodedata.name(letter, "unnamed").split()
    name = words[1] if words[0] in VARIANTS and len(words) > 1 else words[0]
    return ALIKE.get(name, name.capitalize())


def odd_scripts(counts: dict[str, int], most: float = 0.9) -> tuple[str, list[str]]:
    """The script of nearly all texts, and the others; none are odd where no script has this share.

    >>> odd_scripts({"Latin": 98, "Cyrillic": 2})
    ('Latin', ['Cyrillic'])
    >>> odd_scripts({"Latin": 60, "Cyrillic": 40})
    ('', [])
    """
    main = max(counts, key=lambda name: counts[name], default="")
    if not main or counts[main] < most * sum(counts.values()):
        return "", []
    fits = {main, "Han"} if main == "Japanese" else {main}  # a short text of Japanese may have no kana
    return main, [name for name in counts if name not in fits]
