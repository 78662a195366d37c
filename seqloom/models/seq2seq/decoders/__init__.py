"""Decoders of translators. A new one is one new file here, with one `@architecture`."""

from seqloom.models.registry import built, find
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.decoders.recurrent import recurrent_decoder
from seqloom.models.seq2seq.settings import Seq2SeqConfig

__all__ = ["Decoder", "make_decoder"]


def make_decoder(config: Seq2SeqConfig, memory_width: int) -> Decoder:
    """The decoder that the settings name; memory_width is that of the encoder's vectors."""
    found = find(config.decoder, "decoder")
    if found.kind == "cell":
        return recurrent_decoder(config, memory_width)
    decoder: Decoder = built(found, config=config, memory_width=memory_width)
    return decoder
