"""The section [model] of a model that writes: which encoder, which bridge, which decoder."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import torch
from pydantic import Field, ModelWrapValidatorHandler, NonNegativeInt, PositiveInt, ValidationInfo, model_validator

from seqloom.config import Config, problem
from seqloom.layers.norms import NormKind
from seqloom.layers.positions import PositionKind
from seqloom.models.registry import Architecture, find
from seqloom.models.settings import (
    ModelConfig,
    Norm,
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


class Seq2SeqConfig(Config):
    """Any encoder with any bridge and any decoder; a name stands for a choice of them, which others may change."""

    of_task: ClassVar[str] = "translate"
    """The task whose names of models stand for settings."""

    name: str = "transformer"
    """A model by name: encoder-decoder, lstm-to-lstm, rnn-attention, conv-seq2seq, transformer-tiny, hybrid ..."""
    encoder: str = "gru"
    """What reads: an encoder by name, or your own as package.module:name; `words` leaves embeddings as they are."""
    decoder: str = "gru"
    """What writes; `attention` is the attention layer alone, without any recurrence."""
    bridge: Bridge = "attention"
    """What is handed over: the last state, a projection of it, one of the mean of all states, or all, to attend to."""
    every_step: bool = False
    """A fixed context enters every step and the output too, not the start alone (recurrent decoders)."""
    score: ScoreName = "additive"
    """How a recurrent or convolution decoder scores the states that it attends to."""
    order: Literal["attend-first", "state-first"] = "attend-first"
    """A recurrent decoder attends, then makes its state (Bahdanau); or makes its state, then attends (Luong)."""
    input_feeding: bool = False
    """What was made of state and context goes into the next step (with order state-first)."""
    copying: bool = False
    """A pointer-generator: the decoder may also copy tokens of the source (with attention and tokens.joint)."""
    embedding: PositiveInt = 128
    """Width of the embeddings; of everything in a Transformer."""
    encoder_widths: list[PositiveInt] = Field(default_factory=lambda: [256], min_length=1)
    """Width of each layer of the encoder; a Transformer has as many blocks as there are numbers."""
    decoder_widths: list[PositiveInt] = Field(default_factory=lambda: [256], min_length=1)
    """Width of each layer of the decoder, in the same way."""
    bidirectional: bool = False
    """The recurrent encoder reads from both ends; each half has the width stated."""
    heads: PositiveInt = 4
    """Attention heads of a Transformer; they divide `embedding`."""
    hidden: NonNegativeInt = 512
    """Width of the middle of feed-forward networks and of scores that have one; 0 leaves the networks out."""
    window: PositiveInt = 3
    """Tokens that a convolution sees at once; odd."""
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
    positions: PositionKind = "sinusoidal"
    """Positional encodings where there is no recurrence: sinusoidal, none, or learned, up to `length` positions."""
    tied: Literal["none", "target", "all"] = "none"
    """Tied weights: of readout and target embedding; or of these and the source embedding (tokens.joint)."""
    length: PositiveInt = 256
    """Longest source and target, in tokens; longer pairs are left out of training, longer sources are cut."""

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
            what = "the attentional state that is fed on is made after attention"
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
        read |= decoder.reads - {"bidirectional"}
        read |= {"positions"} if encoder.adds_positions else set()
        read -= {"every_step"} if self.bridge == "attention" else {"score", "order", "input_feeding"}
        return read | ({"hidden"} if "score" in read and self.score in SCORES_WITH_HIDDEN else set())

    def widths_agree(self, encoder: Architecture, decoder: Architecture) -> None:
        if "heads" in encoder.reads | decoder.reads and self.embedding % self.heads:
            raise heads_do_not_divide(self.heads, self.embedding)
        if self.hidden == 0 and "score" in self.read_by(encoder, decoder) and self.score in SCORES_WITH_HIDDEN:
            what = f"the score {self.score} is nothing without its hidden layer"
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
            what = "nothing can be copied from a fixed context"
            raise problem("copying", what, remedy="use bridge attention")
        if self.every_step and (self.bridge == "attention" or "every_step" not in decoder.reads):
            what = "only a recurrent decoder with a fixed context takes it in at every step"
            raise problem("every_step", what, remedy="use bridge last, projected or all with a recurrent decoder")
        width = self.memory_width() if self.bridge == "last" and decoder.kind == "cell" else None
        if width is not None and any(other != width for other in self.decoder_widths):
            what = f"the last state is {width} wide, the decoder {self.decoder_widths}"
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
