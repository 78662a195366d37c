"""Architectures that read one sequence. A new one is one new file here, with one `@architecture`."""

from seqloom.errors import ConfigError
from seqloom.models.encoders.base import Encoder
from seqloom.models.encoders.recurrent import recurrent_encoder
from seqloom.models.registry import architectures, built, find
from seqloom.models.settings import ModelConfig

__all__ = ["Encoder", "make_encoder"]


def make_encoder(config: ModelConfig, width: int, *, causal: bool = False) -> Encoder:
    """The encoder that the settings name."""
    found = find(config.name, "encoder")
    if causal and not found.causal:
        what = f"{found.name} is not causal: it sees the words that it should predict"
        others = ", ".join(other.name for other in architectures("encoder") if other.causal)
        raise ConfigError("settings", [("model.name", what, f"use one of: {others}")])
    if found.kind == "cell":
        return recurrent_encoder(found, config, width, causal)
    encoder: Encoder = built(found, config=config, width=width, causal=causal)
    return encoder
