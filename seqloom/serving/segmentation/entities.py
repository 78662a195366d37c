"""Character references (`&amp;`, `&#x4e2d;`) as the characters they stand for, and the way back to where they stood."""

import re
from array import array
from collections.abc import Sequence
from html import unescape
from html.entities import html5

REFERENCE = re.compile(r"&(?:#(?:[0-9]{1,32}(?![0-9])|[xX][0-9a-fA-F]{1,32}(?![0-9a-fA-F]));?|[a-zA-Z0-9]{2,32};?)")


def read(raw: str) -> tuple[str, Sequence[int]]:
    """A text of HTML as characters, and for each of them, and the end, where it begins in `raw`.

    >>> text, places = read("a&amp;b")
    >>> text, list(places)
    ('a&b', [0, 1, 6, 7])
    """
    if "&" not in raw:
        return raw, range(len(raw) + 1)
    parts: list[str] = []
    places = array("Q")
    at = 0
    for match in REFERENCE.finditer(raw):
        found = meaning(match[0])
        if found is None:
            continue
        characters, length = found
        start, end = match.start(), match.start() + length
        parts += raw[at:start], characters
        places.extend(range(at, start))
        places.extend([start, *[end] * (len(characters) - 1)][: len(characters)])  # two for one, or none
        at = end
    parts.append(raw[at:])
    places.extend(range(at, len(raw) + 1))
    return "".join(parts), places


def meaning(reference: str) -> tuple[str, int] | None:
    """The characters of a reference, and how much of it was one: `&notit` is `&not` and "it"; None if nothing was."""
    if reference[1] == "#":
        return unescape(reference), len(reference)
    for end in range(len(reference), 2, -1):
        if reference[1:end] in html5:
            return html5[reference[1:end]], end
    return None
