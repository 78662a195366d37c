"""The tokenizers of a trained model, by name."""

from __future__ import annotations

from seqloom.storage import ModelFiles
from seqloom.tokens.tokenizer import Tokenizer

ENDING = ".tokenizer.json"


def tokenizers_in(files: ModelFiles) -> dict[str, Tokenizer]:
    """Every `NAME.tokenizer.json` that the manifest names."""
    names = sorted(name for name in files.names if name.endswith(ENDING))
    return {
        name.removesuffix(ENDING): Tokenizer.parse(bytes(files.map(name)), str(files.place / name)) for name in names
    }
