"""The texts of definitions in Chinese, by what stands in English in their docstrings and beside their lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

SEVERAL_OF = re.compile(r"(\d+) times: (.+)")
LOOP = re.compile(r"(.+ × \w+): (.+)")


@cache
def catalogue() -> dict[str, str]:
    """Every title, meaning and caption of the definitions that come with seqloom."""
    text = (files("seqloom") / "explaining" / "chinese.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def in_chinese(text: str) -> str | None:
    """A text of a page; None where there is no Chinese, as in a definition of a user's own.

    >>> in_chinese("2 times: Long short-term memory")
    '长短期记忆网络，共 2 个'
    """
    if text in catalogue():
        return catalogue()[text]
    if several := SEVERAL_OF.fullmatch(text):
        title = in_chinese(several[2])
        return title and f"{title}，共 {several[1]} 个"
    if loop := LOOP.fullmatch(text):
        titles = [in_chinese(title) for title in loop[2].split("; ")]
        return f"{loop[1]}：{'；'.join(map(str, titles))}" if all(titles) else None
    return None


def chinese(texts: Iterable[str]) -> dict[str, str]:
    """Those of the texts that have Chinese, with it."""
    found = {text: in_chinese(text) for text in texts}
    return {text: said for text, said in found.items() if said}
