"""What is blank, and where a translation needs a space that its source did not write."""

import re
from unicodedata import category

INVISIBLE = "\u200b\u200e\u200f\u2060\ufeff"  # no width: joins, marks of direction, the mark before a file
BLANK = "".join(c for c in map(chr, range(0x3001)) if c.isspace()) + INVISIBLE

UNSPACED = re.compile(
    "["
    "\u0e00-\u0fff"  # Thai, Lao, Tibetan
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u2e80-\u312f\u31a0-\u9fff"  # Chinese and Japanese: radicals, marks, kana, ideographs
    "\uf900-\ufaff\uff00-\uffef"  # compatible forms, full and half width
    "\U00020000-\U0003ffff"  # rare ideographs
    "]"
)


def separator(before: str, after: str, left: str, right: str) -> str:
    """The space between two translations whose sources touch: " " or nothing.

    Chinese writes no space where English writes one, so 你好。再见。 must become "Hello. Goodbye." It is the text
    that decides, not the languages' names, which may be unknown or wrong: a space is added where a source (`before`,
    `after`) has an unspaced script where they meet, and neither translation (`left`, `right`) has.

    >>> separator("你好。", "再见。", "Hello.", "Goodbye.")
    ' '
    >>> separator("你好。", "再见。", "こんにちは。", "さようなら。")
    ''
    """
    unspaced = UNSPACED.match
    if not (left and right) or not (unspaced(before[-1]) or unspaced(after[0])):
        return ""
    if unspaced(left[-1]) or unspaced(right[0]) or category(left[-1]) in ("Ps", "Pi"):
        return ""
    return " " if right[0].isalnum() or category(right[0]) in ("Ps", "Pi") or right[0] in "\"'¿¡" else ""
