"""The section [model] of a configuration."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveInt, ValidationInfo, model_validator

from seqloom.config import Config, problem
from seqloom.errors import SeqloomError, UnknownName
from seqloom.layers.norms import NormKind
from seqloom.layers.positions import PositionKind
from seqloom.models.registry import Architecture, architectures, find, names

Pooling = Literal["last", "mean", "max", "attention"]
Norm = Literal["before", "after"]

SHARED = frozenset({"name", "embedding", "one_hot", "pooling", "dropout", "length", "cut", "tied"})
"""Settings that are read by the model around an encoder, whichever it is."""


class LayerConfig(Config):
    """Settings that layers share, whichever model they are in."""

    bidirectional: bool = False
    """Bidirectional recurrent layers; each direction has the full width."""
    heads: PositiveInt = 4
    """Attention heads of a Transformer; must divide `embedding`."""
    hidden: NonNegativeInt = 512
    """Width of the hidden layer in feed-forward networks, in the MLP and in some attention scores; 0 removes the
    feed-forward networks of a Transformer."""
    window: PositiveInt = 3
    """Kernel size of convolutions; must be odd."""
    dropout: float = Field(0.1, ge=0, lt=1)
    """Dropout rate on embeddings and between layers."""
    inner_dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout rate inside layers: on attention weights and in feed-forward networks of Transformers, on the weights
    between the states of recurrent layers (weight drop)."""
    norm: Norm = "before"
    """Pre-norm (before each sublayer, and once at the end) or post-norm (after each sublayer, as in 2017)."""
    norm_kind: NormKind = "layer"
    """Normalisation in a Transformer: layer norm, batch norm, or none."""
    residual: bool = True
    """Residual connections in Transformer blocks."""
    scaled: bool = True
    """Scale attention scores by the square root of the head width."""


class ModelConfig(LayerConfig):
    """Which architecture, and how large. Settings that the architecture does not use keep their defaults."""

    name: str = "lstm"
    """The architecture, as listed by `seqloom summary`; your own as package.module:name."""
    embedding: PositiveInt = 128
    """Embedding dimension."""
    one_hot: bool = False
    """One-hot vectors instead of learned embeddings: their width is the size of the vocabulary."""
    widths: list[PositiveInt] = Field(default_factory=lambda: [128], min_length=1)
    """Width of each layer, lowest first; a Transformer has one block per number, each of width `embedding`."""
    pooling: Pooling = "mean"
    """How hidden states are pooled into one vector: the last state, mean, max, or attention with a learned query."""
    positions: PositionKind = "learned"
    """Positional encodings of a Transformer: learned (up to `length` positions), sinusoidal, or none."""
    padding: Literal["front", "behind"] = "behind"
    """Padding side for models that concatenate embeddings (logistic, mlp): front or behind."""
    length: PositiveInt = 256
    """Maximum length of an input in tokens; longer inputs are truncated, see `cut`."""
    cut: Literal["first", "last"] = "first"
    """Which tokens of a longer input are kept: the first or the last."""
    tied: bool = False
    """Tied weights: a language model uses its embedding matrix as output layer; needs equal widths."""

    @model_validator(mode="after")
    def architecture_fits(self, info: ValidationInfo) -> Self:
        found = chosen(self, "name", "encoder", "classify")
        if "heads" in found.reads and not self.one_hot and self.embedding % self.heads:
            raise heads_do_not_divide(self.heads, self.embedding)
        networks_fit(self, found)
        if found.check is not None:
            found.check(self)
        if not was_saved(info):
            refuse_unread(self, self.settings_read(), found.preset, found.name, ("encoder", "classify"))
        return self

    def settings_read(self) -> frozenset[str]:
        """The settings that matter for this architecture."""
        found = chosen(self, "name", "encoder", "classify")
        return (SHARED - {"pooling", "tied"} if found.kind == "model" else SHARED) | found.reads


# --- what the settings of all models are held to ----------------------------------------------------


def chosen(config: Config, setting: str, *places: str) -> Architecture:
    """The architecture that a setting names; if there is none, the setting is to blame."""
    return blamed(setting, getattr(config, setting), *places)


def blamed(setting: str, name: str, *places: str) -> Architecture:
    try:
        return find(name, *places)
    except UnknownName as error:
        there_are = f"there are: {', '.join(names(*places))}, and your own as package.module:name"
        near = "" if error.remedy.startswith("there are") else f"{error.remedy} "
        raise problem(setting, error.what, remedy=near + there_are) from None
    except SeqloomError as error:
        raise problem(setting, error.what, remedy=error.remedy) from None


def was_saved(info: ValidationInfo) -> bool:
    """Whether the settings are those of a trained model: it is there, so nothing in them is refused."""
    return bool((info.context or {}).get("saved"))


def refuse_unread(
    config: Config, read: Collection[str], preset: Mapping[str, Any], who: str, places: Sequence[str]
) -> None:
    """A setting that was changed has to matter: else two models that are one would seem to differ."""
    for name, field in type(config).model_fields.items():
        value = getattr(config, name)
        if name in read or value in (field.get_default(call_default_factory=True), preset.get(name)):
            continue
        asked = {"encoder_widths": "widths"}.get(name, name)
        readers = dict.fromkeys(found.name for found in architectures(*places) if asked in found.reads)
        what = f"is a setting of {', '.join(readers) or 'others'}; {who} does not use it"
        raise problem(name, what, remedy="leave it out")


def heads_do_not_divide(heads: int, width: int) -> Exception:
    remedy = f"choose a divisor of {width}, or another model.embedding"
    return problem("heads", f"{heads} heads do not divide a width of {width}", remedy=remedy)


def networks_fit(config: Any, found: Architecture) -> None:
    """A hidden layer of width 0 leaves a network out, where it can be left out."""
    if config.hidden == 0 and "hidden" in found.reads and not found.networks_optional:
        others = ", ".join(dict.fromkeys(one.name for one in architectures() if one.networks_optional))
        raise problem("hidden", f"{found.name} needs its hidden layer", remedy=f"0 is for {others}")


def even_embedding(config: Any) -> None:
    """For architectures with sinusoidal positions."""
    if config.embedding % 2 and not getattr(config, "one_hot", False):
        what = f"sinusoidal positions need an even width, and {config.embedding} is odd"
        raise problem("embedding", what, remedy="choose an even width")
