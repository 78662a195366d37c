"""Normalisation of a text before it is tokenised: its Unicode form, lower case."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal

from seqloom.tokens.settings import TokenConfig


def normaliser(config: TokenConfig) -> Callable[[str], str] | None:
    """The function that normalises a text; None when that changes nothing.

    >>> normalise = normaliser(TokenConfig(lower=True, normalise="nfkc"))
    >>> normalise("Ｈｅｌｌｏ ΟΔΟΣ") if normalise else ""
    'hello οδος'
    """
    if config.normalise == "none":
        return str.lower if config.lower else None
    form: Literal["NFC", "NFKC"] = "NFC" if config.normalise == "nfc" else "NFKC"
    if config.lower:
        return lambda text: unicodedata.normalize(form, text).lower()
    return lambda text: unicodedata.normalize(form, text)
