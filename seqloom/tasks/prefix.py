"""What every answer is asked to begin with, as tokens."""

from __future__ import annotations

from seqloom.errors import ConfigError
from seqloom.tokens.settings import UNK
from seqloom.tokens.tokenizer import Tokenizer


def prefix_tokens(tokenizer: Tokenizer, text: str) -> list[int]:
    """The tokens that every answer begins with; all of them must be ones that the model can write."""
    tokens = tokenizer.encode(text)
    if UNK in tokens:
        what = f"{text!r} has parts that are not in the vocabulary, so no answer can begin with it"
        raise ConfigError("options", [("prefix", what, "use words of the targets that it was trained on")])
    return tokens
