"""Architectures that read one sequence, by name. A new one is one new file with one decorated function."""

from seqloom.models.encoders import bag_of_words, cnn, mixer, recurrent, transformer
from seqloom.models.encoders.base import ENCODERS, Encoder, architecture, make_encoder

__all__ = [
    "ENCODERS",
    "Encoder",
    "architecture",
    "bag_of_words",
    "cnn",
    "make_encoder",
    "mixer",
    "recurrent",
    "transformer",
]
