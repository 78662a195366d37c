"""Words as a terminal or a picture can show them: control characters, spaces, direction of writing."""

from __future__ import annotations

import unicodedata

MARKS = {"BN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Kinds of characters that are not seen but move what is around them."""


SIGNS = {"\n": "↵", "\t": "⇥"}
"""Control characters that have a sign of their own; the others share one."""


def shown(word: str) -> str:
    """A word on one line: control characters as signs, marks of direction left out, spaces seen.

    >>> shown("a\\n"), shown(" "), shown("\\x1b[31m")
    ('a↵', '␣', '�[31m')
    """
    seen = "".join(map(shown_character, word))
    return seen.replace(" ", "␣") if not seen.strip() else seen


def shown_character(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
        return SIGNS.get(character, "�")
    joins = character in "\u200c\u200d"  # Persian, emoji
    hidden = unicodedata.bidirectional(character) in MARKS or character in "\u200e\u200f\u061c"
    return "" if hidden and not joins else character


def right_to_left(words: tuple[str, ...]) -> bool:
    """Whether a sentence is read from the right: most of its words that have a direction are."""
    sides = [side for word in words if (side := direction(word))]
    return 2 * sides.count("right") > len(sides)


def direction(word: str) -> str:
    """The side where a word begins, by its first letter; empty for numbers and signs."""
    for character in word:
        match unicodedata.bidirectional(character):
            case "R" | "AL":
                return "right"
            case "L":
                return "left"
    return ""
