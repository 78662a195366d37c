"""The texts of pairs: from records, kept as bytes in a corpus, and out of it again."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqloom.data.corpus import Corpus
from seqloom.data.record import Record
from seqloom.evaluating.phrase_f1 import joined


def spread(count: int, of: int) -> list[int]:
    """So many places, evenly over all: files are often sorted."""
    return [place * of // count for place in range(count)]


def text_in(record: Record, side: str) -> str:
    """The text of one side; a list is one of phrases, with semicolons between them."""
    value = record.columns[side]
    return joined(value) if isinstance(value, list) else str(value)


def as_bytes(text: str) -> Any:
    return np.frombuffer(text.encode("utf-8", errors="surrogatepass"), np.uint8)


def text_of(corpus: Corpus, side: str, row: int) -> str:
    """The text of one side of a pair, as it was read."""
    return corpus[f"{side}_text", row].astype(np.uint8).tobytes().decode("utf-8", errors="replace")
