"""JSON from anyone: an object of bounded size and depth, or one error that says what is wrong."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from seqloom.errors import DamagedError

LONGEST = 1 << 26
"""Bytes: a vocabulary of a million tokens has half as many."""
DEEPEST = 32
"""Objects and lists inside each other; our own files have 6."""
HALF = re.compile(rb"\\u[dD][89a-fA-F]")
AGAIN = "copy it again, or ask whoever made it"


def parse_object(data: bytes | memoryview, where: str, longest: int = LONGEST, remedy: str = AGAIN) -> dict[str, Any]:
    """The object that a file holds."""
    if len(data) > longest:
        raise DamagedError(f"has {len(data):,} bytes of JSON, more than {longest:,}", where=where, remedy=remedy)
    try:
        found = json.loads(bytes(data).decode("utf-8"), parse_constant=no_number)
    except RecursionError:
        raise too_deep(where) from None
    except ValueError as error:
        raise DamagedError(f"is damaged: it is not JSON ({error})", where=where, remedy=remedy) from None
    if not isinstance(found, dict):
        raise DamagedError("is damaged: it is not a JSON object", where=where, remedy=remedy)
    check_depth(found, where)
    if HALF.search(data):
        check_spelling(found, where)
    return found


def check_spelling(found: Any, where: str) -> None:
    """Half a character (a lone surrogate) could be read, and then neither printed nor sent."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise DamagedError("is damaged: a text in it has half a character", where=where, remedy=AGAIN) from None


def no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def check_depth(found: Any, where: str) -> None:
    """Level by level, without recursion: what comes after may be recursive."""
    level = [found]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise too_deep(where)


def too_deep(where: str) -> DamagedError:
    return DamagedError(f"is damaged: it nests deeper than {DEEPEST} levels", where=where, remedy=AGAIN)
