"""What is done to a text before it is cut: its Unicode form, its capitals."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal

from seqloom.tokens.settings import TokenConfig


def reader(config: TokenConfig) -> Callable[[str], str] | None:
    """From a text as written to the text as read; None when that is the same.

    >>> read = reader(TokenConfig(lower=True, normalise="nfkc"))
    >>> read("Ｈｅｌｌｏ ΟΔΟΣ") if read else ""
    'hello οδος'
    """
    if config.normalise == "none":
        return str.lower if config.lower else None
    form: Literal["NFC", "NFKC"] = "NFC" if config.normalise == "nfc" else "NFKC"
    if config.lower:
        return lambda text: unicodedata.normalize(form, text).lower()
    return lambda text: unicodedata.normalize(form, text)
