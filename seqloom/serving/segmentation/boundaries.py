"""Where the sentences of a line end.

`sentencex` knows the abbreviations and quotes of many languages. It is given little at a time, and what it answers is
checked: its time grows with the square of a line without spaces (100,000 characters of Chinese take 3 s), and odd
spaces between initials make it panic (1.0.32).
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Protocol
from unicodedata import category

from seqloom.serving.segmentation.languages import base
from seqloom.serving.segmentation.spacing import BLANK

CLAUSE = re.compile(r"[,;:،؛—–)\]]\s|[，；：、]")
SPACE = re.compile(r"\s")
ODD_SPACE = re.compile(r"[^\S ]")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Segment(Protocol):
    """What `sentencex.segment` is."""

    def __call__(self, language: str, text: str) -> list[str]: ...


def sentence_ends(line: str, language: str, max_length: int) -> Iterator[int]:
    """The place after each sentence, rising to the end of the line; what lies between holds `max_length` characters or
    fewer, blanks not counted. Time grows with the length of the line times `max_length`."""
    start, code = 0, base(language)
    while start < len(line):
        window = line[start : start + 2 * max_length]
        found = split_window(window, code)
        goes_on = start + len(window) < len(line)
        if goes_on:
            found.pop()  # may not end where the window does
        first = start
        for sentence in found:
            yield from cuts(line, start, start + len(sentence.rstrip(BLANK)), max_length)
            start += len(sentence)
            yield start
        if goes_on and start - first < max_length:  # then the one left out is longer than `max_length`
            start = cut(line, start, max_length)
            yield start


def split_window(window: str, code: str) -> list[str]:
    """The sentences of a short text as sentencex finds them, with the blanks between them; in all, the text itself."""
    plain = LONE_SURROGATE.sub("\ufffd", ODD_SPACE.sub(" ", window))
    try:
        found = sentencex()(code, plain)
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # Rust's: no Exception, and its class cannot be imported
            raise
        return [window]
    if "".join(found) != plain:
        return [window]
    places = [0]
    for sentence in found:
        places.append(places[-1] + len(sentence))
    return [window[a:b] for a, b in pairwise(places)]


@cache
def sentencex() -> Segment:
    """Loaded when the first text comes."""
    from sentencex import segment

    found: Segment = segment
    return found


def cuts(text: str, start: int, end: int, max_length: int) -> Iterator[int]:
    """Where a sentence is cut so that no part is longer than `max_length`; nowhere if it is not too long."""
    while end - start > max_length:
        start = cut(text, start, max_length)
        yield start


def cut(text: str, start: int, max_length: int) -> int:
    """Where to cut a text longer than `max_length`: after a clause, else after a space, else anywhere but within a
    letter and its marks; always past the half, so that the parts are few."""
    half, most = start + max_length // 2, start + max_length
    for kind in (CLAUSE, SPACE):
        places = [match.end() for match in kind.finditer(text, half, most)]
        if places:
            return places[-1]
    at = most
    while at > half + 1 and (category(text[at])[0] == "M" or "\u200d" in text[at - 1 : at + 1]):
        at -= 1
    return at if at > half + 1 else most
