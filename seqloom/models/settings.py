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


class ModelConfig(Config):
    """Which architecture, and how large. A setting that it does not read is left as it is."""

    name: str = "lstm"
    """The architecture; `seqloom summary` lists them. Your own: package.module:name."""
    embedding: PositiveInt = 128
    """Width of the embeddings."""
    one_hot: bool = False
    """One-hot vectors instead of embeddings: width is the size of the vocabulary, nothing is learned."""
    widths: list[PositiveInt] = Field(default_factory=lambda: [128], min_length=1)
    """Width of each layer, lowest first; a Transformer has as many blocks as there are numbers, all of `embedding`."""
    bidirectional: bool = False
    """Recurrent layers read from both ends; each half has the width stated."""
    heads: PositiveInt = 4
    """Attention heads of a Transformer; they divide `embedding`."""
    hidden: NonNegativeInt = 512
    """Width of the middle of feed-forward networks and of the MLP; 0 leaves out the networks of a Transformer."""
    window: PositiveInt = 3
    """Tokens that a convolution sees at once; odd."""
    pooling: Pooling = "mean"
    """How a sentence becomes one vector: its last state, the mean, the maximum, or attention with a learned query."""
    dropout: float = Field(0.1, ge=0, lt=1)
    """Dropout rate while training, on embeddings and between layers."""
    inner_dropout: float = Field(0.0, ge=0, lt=1)
    """The same inside the parts of a Transformer: on the weights of attention, in the middle of its networks."""
    norm: Norm = "before"
    """Where a Transformer's blocks have their norms: before each part and at the end, or after each part (2017)."""
    norm_kind: NormKind = "layer"
    """What a Transformer's norms are taken over: the features of a position (layer), the batch, or none at all."""
    residual: bool = True
    """Whether the blocks of a Transformer have residual connections."""
    scaled: bool = True
    """Whether a Transformer divides the scores of its attention by the root of the width of a head."""
    positions: PositionKind = "learned"
    """Positional encodings of a Transformer: a learned vector for each position up to `length`, sinusoidal, or none."""
    padding: Literal["front", "behind"] = "behind"
    """Where zeros stand in a shorter sentence, if its embeddings are put end to end (logistic, mlp)."""
    length: PositiveInt = 256
    """Longest sentence, in tokens; longer ones are cut, see `cut`."""
    cut: Literal["first", "last"] = "first"
    """Which tokens of a longer sentence are kept."""
    tied: bool = False
    """The readout of a language model is its embedding matrix (tied weights); needs equal widths."""

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
        what = f"is read by {', '.join(readers) or 'others'}; {who} has no use for it"
        raise problem(name, what, remedy="leave it out")


def heads_do_not_divide(heads: int, width: int) -> Exception:
    remedy = f"choose a divisor of {width}, or another model.embedding"
    return problem("heads", f"{heads} heads do not divide a width of {width}", remedy=remedy)


def networks_fit(config: Any, found: Architecture) -> None:
    """A hidden layer of width 0 leaves a network out, where it can be left out."""
    if config.hidden == 0 and "hidden" in found.reads and not found.networks_optional:
        others = ", ".join(dict.fromkeys(one.name for one in architectures() if one.networks_optional))
        raise problem("hidden", f"{found.name} is nothing without its hidden layer", remedy=f"0 is for {others}")


def even_embedding(config: Any) -> None:
    """For architectures with sinusoidal positions."""
    if config.embedding % 2 and not getattr(config, "one_hot", False):
        what = f"sinusoidal positions come in pairs, and {config.embedding} is odd"
        raise problem("embedding", what, remedy="choose an even width")
