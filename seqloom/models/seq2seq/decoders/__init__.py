"""Decoders by name. A new one is one new file with one decorated function."""

from seqloom.models.seq2seq.decoders import attention, blocks, convolution, recurrent
from seqloom.models.seq2seq.decoders.base import DECODERS, Decoder, decoder

__all__ = ["DECODERS", "Decoder", "attention", "blocks", "convolution", "decoder", "recurrent"]
