"""The section [model] of a model that writes: which encoder, which bridge, which decoder."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import torch
from pydantic import Field, ModelWrapValidatorHandler, PositiveInt, ValidationInfo, model_validator

from seqloom.config import problem
from seqloom.layers.positions import PositionKind
from seqloom.models.registry import Architecture, find
from seqloom.models.settings import (
    LayerConfig,
    ModelConfig,
    blamed,
    chosen,
    even_embedding,
    heads_do_not_divide,
    networks_fit,
    refuse_unread,
    was_saved,
)

Bridge = Literal["last", "projected", "all", "attention"]
ScoreName = Literal["additive", "dot", "scaled_dot", "bilinear", "cosine", "mlp_score", "projected"]
SCORES_WITH_HIDDEN = ("additive", "mlp_score", "projected")
SHARED = {"name", "encoder", "decoder", "bridge", "copying", "embedding", "dropout", "tied", "length"}
"""Settings that matter with every encoder and decoder."""


class Seq2SeqConfig(LayerConfig):
    """Any encoder with any bridge and any decoder; `name` is a preset, which the other settings may override."""

    of_task: ClassVar[str] = "translate"
    """The task whose names of models stand for settings."""

    name: str = "transformer"
    """A preset of encoder, bridge and decoder: encoder-decoder, rnn-attention, conv-seq2seq, transformer-tiny, ..."""
    encoder: str = "gru"
    """The encoder, by name or your own as package.module:name; `words`: the embeddings themselves."""
    decoder: str = "gru"
    """The decoder, by name or your own as package.module:name; `attention`: an attention layer without recurrence."""
    bridge: Bridge = "attention"
    """What the decoder gets: the last state, its projection, a projection of the mean of all states, or attention."""
    every_step: bool = False
    """Feed the fixed context into every step and the output, not only the initial state (recurrent decoders)."""
    score: ScoreName = "additive"
    """Attention score of a recurrent or convolutional decoder."""
    order: Literal["attend-first", "state-first"] = "attend-first"
    """A recurrent decoder attends before (Bahdanau) or after (Luong) it updates its state."""
    input_feeding: bool = False
    """Input feeding: the attentional output of a step is an input of the next (with order state-first)."""
    copying: bool = False
    """Pointer-generator: the decoder can copy tokens from the source (needs attention and tokens.joint)."""
    embedding: PositiveInt = 128
    """Embedding dimension; in a Transformer the width of the whole model."""
    encoder_widths: list[PositiveInt] = Field(default_factory=lambda: [256], min_length=1)
    """Width of each encoder layer, lowest first; a Transformer has one block per number."""
    decoder_widths: list[PositiveInt] = Field(default_factory=lambda: [256], min_length=1)
    """Width of each decoder layer, in the same way."""
    positions: PositionKind = "sinusoidal"
    """Positional encodings of models without recurrence: sinusoidal, learned (up to `length` positions), or none."""
    tied: Literal["none", "target", "all"] = "none"
    """Tied weights: none; target: output layer and target embedding; all: the source embedding too (tokens.joint)."""
    length: PositiveInt = 256
    """Maximum length of source and target in tokens; longer pairs are not trained on, longer sources are truncated."""

    @model_validator(mode="wrap")
    @classmethod
    def a_name_stands_for_settings(
        cls, given: Any, validate: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        if not isinstance(given, dict):
            return validate(given)
        if given.get("order") == "look-first":  # its name in folders of 2026
            if not was_saved(info):
                raise problem("order", "look-first is called attend-first now", remedy='write order = "attend-first"')
            given = {**given, "order": "attend-first"}
        name = given.get("name", cls.model_fields["name"].default)
        preset = blamed("name", str(name), cls.of_task).preset
        if "widths" in given:  # as models with one stack of layers call it
            if given.keys() & {"encoder_widths", "decoder_widths"}:
                raise problem("widths", "stands for both encoder_widths and decoder_widths", remedy="give either")
            widths = given["widths"]
            encoder = {"encoder": cls.model_fields["encoder"].default, **preset, **given}["encoder"]
            layered = "widths" in blamed("encoder", str(encoder), "encoder").reads
            given = {key: value for key, value in given.items() if key != "widths"}
            given |= {"decoder_widths": widths} | ({"encoder_widths": widths} if layered else {})
        made = validate({**preset, **given})
        made.model_fields_set.intersection_update(given)  # what the name stands for was not said
        return made

    @model_validator(mode="after")
    def it_can_be_built(self, info: ValidationInfo) -> Self:
        encoder, decoder = chosen(self, "encoder", "encoder"), chosen(self, "decoder", "decoder")
        self.widths_agree(encoder, decoder)
        self.bridge_fits(decoder)
        for part in (encoder, decoder):
            networks_fit(self, part)
            if part.check is not None:
                part.check(self)
        if self.input_feeding and not (self.attends_by_score() and self.order == "state-first"):
            what = "input feeding needs attention after the state update"
            raise problem("input_feeding", what, remedy="use order state-first with a recurrent decoder and attention")
        if not was_saved(info):
            who, preset = (
                f"{self.encoder} to {self.decoder} with bridge {self.bridge}",
                find(self.name, self.of_task).preset,
            )
            refuse_unread(self, self.settings_read(), preset, who, ("encoder", "decoder"))
        return self

    def settings_read(self) -> frozenset[str]:
        """The settings that matter for this architecture."""
        encoder, decoder = chosen(self, "encoder", "encoder"), chosen(self, "decoder", "decoder")
        return frozenset(SHARED | self.read_by(encoder, decoder))

    def read_by(self, encoder: Architecture, decoder: Architecture) -> set[str]:
        """The settings that matter with this encoder, this bridge and this decoder."""
        read = {
            "encoder_widths" if name == "widths" else name for name in encoder.reads & ModelConfig.model_fields.keys()
        }
        read |= decoder.reads - ({"bidirectional", "inner_dropout"} if decoder.kind == "cell" else set())
        read |= {"positions"} if encoder.adds_positions else set()
        read -= {"every_step"} if self.bridge == "attention" else {"score", "order", "input_feeding"}
        return read | ({"hidden"} if "score" in read and self.score in SCORES_WITH_HIDDEN else set())

    def widths_agree(self, encoder: Architecture, decoder: Architecture) -> None:
        if "heads" in encoder.reads | decoder.reads and self.embedding % self.heads:
            raise heads_do_not_divide(self.heads, self.embedding)
        if self.hidden == 0 and "score" in self.read_by(encoder, decoder) and self.score in SCORES_WITH_HIDDEN:
            what = f"the score {self.score} needs its hidden layer"
            raise problem("hidden", what, remedy="choose a width above 0, or score dot, scaled_dot, bilinear or cosine")
        if encoder.adds_positions and self.positions == "sinusoidal":
            even_embedding(self)
        if self.attends_by_score() and self.score in ("dot", "scaled_dot", "cosine"):
            queries, keys = self.decoder_widths[-1], self.memory_width()
            if queries != keys:
                what = f"{self.score} cannot compare states {queries} wide with memory {keys} wide"
                raise problem(
                    "score", what, remedy="choose additive, bilinear, mlp_score or projected, or equal widths"
                )

    def bridge_fits(self, decoder: Architecture) -> None:
        if self.copying and self.bridge != "attention":
            what = "copying needs attention over the source"
            raise problem("copying", what, remedy="use bridge attention")
        if self.every_step and (self.bridge == "attention" or "every_step" not in decoder.reads):
            what = "every_step needs a recurrent decoder with a fixed context"
            raise problem("every_step", what, remedy="use bridge last, projected or all with a recurrent decoder")
        width = self.memory_width() if self.bridge == "last" and decoder.kind == "cell" else None
        if width is not None and any(other != width for other in self.decoder_widths):
            what = f"the last state has width {width}, the decoder {self.decoder_widths}"
            raise problem("bridge", what, remedy="use projected, or make model.decoder_widths equal to it")

    @property
    def places(self) -> int:
        """How many positions a decoder has vectors for, if they are learned: for answers of the usual limit."""
        return 3 * self.length + 20

    def attends_by_score(self) -> bool:
        """Whether states of a recurrent decoder are compared with the memory as it is."""
        return self.bridge == "attention" and find(self.decoder, "decoder").kind == "cell"

    def memory_width(self) -> int:
        """How wide the vectors are that the encoder hands over; it is built without memory for its weights."""
        from seqloom.models.encoders import make_encoder  # encoders are not needed to read settings

        with torch.device("meta"):
            return make_encoder(self.encoder_config(), self.embedding).output_size

    def encoder_config(self) -> ModelConfig:
        """The settings of the encoder by itself."""
        given = {name: getattr(self, name) for name in type(self).model_fields.keys() & ModelConfig.model_fields.keys()}
        given |= {"name": self.encoder, "widths": self.encoder_widths, "tied": False}
        return ModelConfig.model_validate(given, context={"saved": True})
