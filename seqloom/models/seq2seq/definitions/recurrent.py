"""Recurrent decoders as equations: from a fixed context, looking before the state is made, and after it."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from seqloom.equations import Equations
from seqloom.layers.attention import soft_attention_with
from seqloom.layers.gru import gru_reset_after
from seqloom.layers.lstm import lstm
from seqloom.layers.scores import additive, cosine, dot, scaled_dot
from seqloom.models.composed import Draft
from seqloom.models.seq2seq.definitions.step import whole

Definition = Equations[..., Any]
Order = Literal["look-first", "state-first", "input-feeding"]

CHO = (
    "K. Cho et al., Learning phrase representations using RNN encoder-decoder for statistical machine translation, "
    "EMNLP 2014."
)
SUTSKEVER = "I. Sutskever, O. Vinyals, Q. Le, Sequence to sequence learning with neural networks, NeurIPS 2014."
BAHDANAU = (
    "D. Bahdanau, K. Cho, Y. Bengio, Neural machine translation by jointly learning to align and translate, ICLR 2015."
)
LUONG = "M. Luong, H. Pham, C. Manning, Effective approaches to attention-based neural machine translation, EMNLP 2015."


class Cells:
    """The layers of a recurrent decoder: their states, the lines in which they read, what is said of them."""

    def __init__(self, cell: Definition, layers: int) -> None:
        self.cell, self.layers = cell, layers
        parts = "sm"[: len(cell.body.states)]
        numbers = [""] if layers == 1 else [f"_{number}" for number in range(1, layers + 1)]
        self.groups = tuple(f"cell{number}" for number in numbers)
        self.by_layer = [tuple(f"{part}{number}" for part in parts) for number in numbers]
        self.states = tuple(name for names in self.by_layer for name in names)
        self.top = self.by_layer[-1][0]
        self.widths = ["H"] if layers == 1 else [f"H{number}" for number in range(1, layers + 1)]

    def lines(self, read: str, caption: str) -> tuple[str, ...]:
        """The lowest layer reads `read`, each further one the state of the one below."""
        made: list[str] = []
        for names, group in zip(self.by_layer, self.groups, strict=True):
            step = f"{', '.join(names)} = {self.cell.name}({read}, {', '.join(names)}, **{group})"
            made.append(f"{step}  # {caption if not made else 'the layer above reads the state below'}")
            read = names[0]
        return tuple(made)

    def legend(self) -> tuple[str, ...]:
        senses = ("the state of the decoder", "what its cell remembers")
        return tuple(
            f"{name} | ({width}) | {sense}{'' if self.layers == 1 else f', layer {number}'}"
            for number, (names, width) in enumerate(zip(self.by_layer, self.widths, strict=True), start=1)
            for name, sense in zip(names, senses)
        )


@cache
def from_context(cell: Definition, layers: int = 1, *, every_step: bool = False) -> Draft:
    """A decoder that starts from a context; with `every_step` the context is in every gate and in the output too."""
    cells = Cells(cell, layers)
    if not every_step:
        known = cell is lstm
        return Draft(
            name="lstm_to_lstm" if known else "encoder_decoder",
            title=f"{'LSTM to LSTM' if known else 'Encoder-decoder'}: one step of the decoder",
            paper=SUTSKEVER if known else CHO,
            inputs=cells.states,
            weights=cells.groups,
            legend=cells.legend(),
            lines=cells.lines("x", "the state takes in the word; at first it was the context"),
            returns=(*cells.states, cells.top),
            uses={cell.name: cell},
        )
    return Draft(
        name="encoder_decoder_every_step",
        title="Encoder-decoder with the context in every step: one step of the decoder",
        paper=CHO,
        inputs=(*cells.states, "c"),
        weights=cells.groups,
        legend=(*cells.legend(), "c | (K) | the context: the source in one row, the same in every step"),
        lines=(
            *cells.lines("concat(x, c)", "the state takes in the word and the context"),
            f"o = concat({cells.top}, x, c)  # all that the next word is read off",
        ),
        returns=(*cells.states, "o"),
        uses={cell.name: cell},
    )


@cache
def attentive(cell: Definition, score: Definition, layers: int = 1, *, order: Order = "look-first") -> Draft:
    """A decoder that looks at the source in every step, before its state is made or after it."""
    cells = Cells(cell, layers)
    width, top = cells.widths[-1], cells.top
    seen = width if score in (dot, scaled_dot, cosine) else "K"
    fed: tuple[str, ...] = ()
    look = f"c = soft_attention({top}, H, **attention)"
    match order:
        case "look-first":
            parts = f"concat({top}, c, x)"
            lines = (
                f"{look}  # the state before looks at the source",
                *cells.lines("concat(x, c)", "the new state takes in the word and what was seen"),
            )
        case "state-first":
            fed, parts = (f"c | ({seen}) | what was seen of the source in the step before",), f"concat({top}, c)"
            lines = (
                *cells.lines("concat(x, c)", "the state takes in the word and what was seen before"),
                f"{look}  # then it looks at the source",
            )
        case "input-feeding":
            fed, parts = (
                (f"o | ({width}) | what was made of state and context in the step before",),
                f"concat({top}, c)",
            )
            lines = (
                *cells.lines("concat(x, o)", "the state takes in the word and what was made before"),
                f"{look}  # then it looks at the source",
            )
    further = tuple(line[0] for line in fed)
    entries = f"{width}+{seen}{'+D' if order == 'look-first' else ''}"
    name, title, paper = ATTENTIVE[order]
    return Draft(
        name=name,
        title=f"{title}: one step of the decoder",
        paper=paper,
        inputs=(*cells.states, *further, "H"),
        weights=("attention", *cells.groups, "W_o", "b_o"),
        legend=(
            *cells.legend(),
            *fed,
            f"H | (S, {seen}) | the states of the encoder, one a row",
            f"W_o | ({entries}, {width}) | from all of it to one row",
            f"b_o | ({width}) | its bias",
        ),
        lines=(*lines, f"o = tanh({parts} @ W_o + b_o)  # state and source in one row"),
        returns=(*cells.states, *further, "o"),
        uses={cell.name: cell, "soft_attention": soft_attention_with(score)},
    )


ATTENTIVE: dict[Order, tuple[str, str, str]] = {
    "look-first": ("rnn_attention", "Attention for recurrent networks", BAHDANAU),
    "state-first": ("rnn_attention_state_first", "Attention for recurrent networks, the state first", LUONG),
    "input-feeding": ("dot_attention", "Attention with input feeding", LUONG),
}

encoder_decoder = whole(from_context(gru_reset_after), __name__)
encoder_decoder_every_step = whole(from_context(gru_reset_after, every_step=True), __name__)
lstm_to_lstm = whole(from_context(lstm), __name__)
rnn_attention = whole(attentive(gru_reset_after, additive), __name__)
rnn_attention_state_first = whole(attentive(gru_reset_after, additive, order="state-first"), __name__)
dot_attention = whole(attentive(lstm, dot, order="input-feeding"), __name__)
