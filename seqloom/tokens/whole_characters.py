"""Tokens put together to characters: one that no token spells is written in bytes, and shown as one all the same."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from seqloom.tokens.subword_tokenizer import readable

BYTE = re.compile("<0x([0-9A-F]{2})>")
BYTES = re.compile(f"(?:{BYTE.pattern})+")
"""How a token shows bytes that are no characters by themselves."""


def whole_characters(shown: Sequence[str]) -> tuple[list[int], list[str]]:
    """Join tokens that are parts of one character: for each its group, counted from 0; and how each group is shown.

    Bytes that make no character stay as they are.

    >>> whole_characters(["▁a", "<0xE7>", "<0x8C>", "<0xAB>", "▁b"])
    ([0, 1, 1, 1, 2], ['▁a', '猫', '▁b'])
    """
    groups: list[list[str]] = []
    indices: list[int] = []
    unfinished = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for token in shown:
        bytes_alone = BYTES.fullmatch(token) is not None
        if bytes_alone and unfinished.getstate()[0]:
            groups[-1].append(token)
        else:
            unfinished.reset()
            groups.append([token])
        if bytes_alone:
            unfinished.decode(spelled(token))
        indices.append(len(groups) - 1)
    return indices, [group[0] if len(group) == 1 else readable(spelled("".join(group))) for group in groups]


def spelled(token: str) -> bytes:
    return bytes(int(byte, 16) for byte in BYTE.findall(token))
