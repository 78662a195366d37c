"""Regulated verse out of a collection of Chinese poems: four or eight lines of five or seven characters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

MARKS = "，。！？；"
"""What stands at the end of a line of verse."""
PLAIN = re.compile(f"[㐀-鿿{MARKS}]+")


def regulated_poems(*collections: str) -> dict[str, str]:
    """The file regulated.txt, a poem on each line, from collections as JSON: lists of poems with their `paragraphs`.

    >>> regulated_poems('[{"paragraphs": ["白日依山盡，黃河入海流。", "欲窮千里目，更上一層樓。"]}]')
    {'regulated.txt': '白日依山盡，黃河入海流。欲窮千里目，更上一層樓。\\n'}
    """
    poems = (text for collection in collections for text in texts(collection) if is_regulated(text))
    return {"regulated.txt": "".join(f"{text}\n" for text in poems)}


def texts(collection: str) -> Iterator[str]:
    for poem in json.loads(collection):
        yield "".join(poem["paragraphs"])


def is_regulated(text: str) -> bool:
    lines = [line for line in re.split(f"[{MARKS}]", text) if line]
    even = {len(line) for line in lines} in ({5}, {7})
    return even and len(lines) in (4, 8) and PLAIN.fullmatch(text) is not None
