"""Small texts and the tokenizers trained on them, for the tests of this folder."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from seqloom.tokens import TokenConfig, Tokenizer

TEXTS = [
    "The cat sat on the mat, and the dog sat on the cat.",
    "A well-known dog isn't a cat; it's a dog!",
    "  two  spaces, a tab\tand a line\nbreak  ",
    "我爱机器学习。早上好！",
    "Die Größe der Hunde: 3.50 m",
]
KINDS = ["word", "space", "character", "bpe", "unigram"]
SUBWORDS = ["bpe", "unigram"]

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
"""Every Unicode text, but half characters, which are none."""


@cache
def trained(kind: str, **settings: Any) -> Tokenizer:
    """A tokenizer that knows a little more than the bytes."""
    return Tokenizer.train(TEXTS, TokenConfig(kind=kind, **{"size": 340, **settings}))
