"""The section [model] of a model that writes: which encoder, which bridge, which decoder."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.models.seq2seq.presets import PRESETS
from seqloom.models.settings import ModelConfig, Norm

Bridge = Literal["last", "projected", "all", "attention"]
ScoreName = Literal["additive", "dot", "scaled_dot", "bilinear", "cosine", "mlp_score", "projected"]


class Seq2SeqConfig(Config):
    """Any encoder with any bridge and any decoder; a name stands for a choice of them, which others may change."""

    name: str = "transformer"
    """A model by name: encoder-decoder, lstm-to-lstm, rnn-attention, conv-seq2seq, transformer-tiny, hybrid ..."""
    encoder: Literal["words", "rnn", "gru", "lstm", "self-attentive-rnn", "cnn", "mixer", "transformer"] = "gru"
    """What reads; `words` leaves them as they are."""
    decoder: Literal["rnn", "gru", "lstm", "ssru", "cnn", "transformer", "attention"] = "gru"
    """What writes; `attention` is the attention layer alone, without any recurrence."""
    bridge: Bridge = "attention"
    """What is handed over: the last state, a projection of it, one of the mean of all states, or all, to look at."""
    every_step: bool = False
    """A fixed context enters every step and the output too, not the start alone (recurrent decoders)."""
    score: ScoreName = "additive"
    """How a recurrent or convolution decoder scores the states that it looks at."""
    order: Literal["look-first", "state-first"] = "look-first"
    """A recurrent decoder looks, then makes its state (Bahdanau); or makes its state, then looks (Luong)."""
    input_feeding: bool = False
    """What was made of state and context goes into the next step (with order state-first)."""
    embedding: PositiveInt = 128
    """Width of a word; of everything in a Transformer."""
    encoder_widths: list[PositiveInt] = Field(default_factory=lambda: [256], min_length=1)
    """Width of each layer of the encoder; a Transformer has as many blocks as there are numbers."""
    decoder_widths: list[PositiveInt] = Field(default_factory=lambda: [256], min_length=1)
    """Width of each layer of the decoder, in the same way."""
    bidirectional: bool = False
    """The recurrent encoder reads from both ends; each half has the width stated."""
    heads: PositiveInt = 4
    """Attention heads of a Transformer; they divide `embedding`."""
    hidden: PositiveInt = 512
    """Width of the middle of feed-forward networks and of scores that have one."""
    window: PositiveInt = 3
    """Words that a convolution sees at once; odd."""
    dropout: float = Field(0.1, ge=0, lt=1)
    """Share of entries set to zero while training, on words and between layers."""
    inner_dropout: float = Field(0.0, ge=0, lt=1)
    """The same inside the parts of a Transformer: on the weights of attention, in the middle of its networks."""
    norm: Norm = "before"
    """Where a Transformer's blocks have their norms: before each part and at the end, or after each part (2017)."""
    tied: Literal["none", "target", "all"] = "none"
    """Which matrices are one: output and target words; or these and the source words (tokens.joint)."""
    length: PositiveInt = 256
    """Longest source and target, in tokens; longer pairs are left out of training, longer sources are cut."""

    @model_validator(mode="before")
    @classmethod
    def a_name_stands_for_settings(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        name = given.get("name", "transformer")
        if name not in PRESETS:
            raise problem("name", f"there is no model {name!r}", remedy=f"there are: {', '.join(PRESETS)}")
        return {**PRESETS[name], **given}

    @model_validator(mode="after")
    def it_can_be_built(self) -> Self:
        for wrong in (self.widths_agree, self.bridge_fits, self.order_fits, self.choices_matter):
            wrong()
        return self

    def widths_agree(self) -> None:
        with_heads = "transformer" in (self.encoder, self.decoder) or self.decoder == "ssru"
        if with_heads and self.embedding % self.heads:
            remedy = f"choose a divisor of {self.embedding}, or another model.embedding"
            raise problem("heads", f"{self.heads} heads do not divide a width of {self.embedding}", remedy=remedy)
        if self.embedding % 2 and not {"words", "cnn", "transformer", "ssru"}.isdisjoint((self.encoder, self.decoder)):
            what = f"places are waves in pairs, and {self.embedding} is odd"
            raise problem("embedding", what, remedy="choose an even width")
        if self.looks_by_score() and self.score in ("dot", "scaled_dot", "cosine"):
            queries, keys = self.decoder_widths[-1], self.memory_width()
            if queries != keys:
                what = f"{self.score} cannot compare states {queries} wide with memory {keys} wide"
                raise problem(
                    "score", what, remedy="choose additive, bilinear, mlp_score or projected, or equal widths"
                )

    def bridge_fits(self) -> None:
        recurrent = self.decoder in ("rnn", "gru", "lstm")
        if self.decoder == "attention" and self.bridge != "attention":
            what = "the attention layer alone has nothing but what it looks at"
            raise problem("bridge", what, remedy="use attention, or another decoder")
        if self.every_step and (self.bridge == "attention" or not recurrent):
            what = "only a recurrent decoder with a fixed context takes it in at every step"
            raise problem("every_step", what, remedy="use bridge last, projected or all with rnn, gru or lstm")
        if self.bridge == "last" and recurrent and any(w != self.memory_width() for w in self.decoder_widths):
            what = f"the last state is {self.memory_width()} wide, the decoder {self.decoder_widths}"
            raise problem("bridge", what, remedy="use projected, or make model.decoder_widths equal to it")

    def order_fits(self) -> None:
        if self.norm == "after" and self.decoder == "ssru":
            raise problem("norm", "blocks with SSRU have their norms before each part", remedy="leave it out")
        if self.input_feeding and not (self.looks_by_score() and self.order == "state-first"):
            what = "what is fed on is made of a state that has looked"
            raise problem("input_feeding", what, remedy="use order state-first with a recurrent decoder and attention")

    def choices_matter(self) -> None:
        """What was chosen, beyond the name's own choices, is read by some part: else two models would be one."""
        needs = {
            "score": (
                self.looks_by_score() or (self.bridge == "attention" and self.decoder == "cnn"),
                "a recurrent or convolution decoder with attention",
            ),
            "order": (self.looks_by_score(), "a recurrent decoder with attention"),
            "bidirectional": (self.encoder in ("rnn", "gru", "lstm", "self-attentive-rnn"), "a recurrent encoder"),
            "norm": ("transformer" in (self.encoder, self.decoder), "a Transformer"),
        }
        for setting, (read, by) in needs.items():
            usual = PRESETS[self.name].get(setting, type(self).model_fields[setting].default)
            if not read and getattr(self, setting) not in (usual, False):
                raise problem(setting, f"is of use to {by}, and there is none here", remedy="leave it out")

    def looks_by_score(self) -> bool:
        """Whether states of a recurrent decoder are compared with the memory as it is."""
        return self.bridge == "attention" and self.decoder in ("rnn", "gru", "lstm")

    def memory_width(self) -> int:
        """How wide the rows are that the encoder hands over."""
        if self.encoder in ("words", "transformer", "mixer"):
            return self.embedding
        return self.encoder_widths[-1] * (2 if self.bidirectional and self.encoder != "cnn" else 1)

    def reader(self) -> ModelConfig:
        """The settings of the encoder by itself."""
        return ModelConfig(
            name=self.encoder, embedding=self.embedding, widths=self.encoder_widths, heads=self.heads,
            bidirectional=self.bidirectional, hidden=self.hidden, window=self.window, dropout=self.dropout,
            inner_dropout=self.inner_dropout, norm=self.norm, length=self.length, positions="sinusoidal",
        )  # fmt: skip
