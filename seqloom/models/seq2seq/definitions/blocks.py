"""Decoders of blocks as equations: the Transformer's, and the one with a recurrence for what was written."""

from __future__ import annotations

from functools import cache

from seqloom.layers.decoder_block import decoder_block, decoder_block_pre_norm
from seqloom.layers.heads import readout
from seqloom.layers.norms import layer_norm
from seqloom.layers.ssru_block import ssru_block
from seqloom.models.composed import Draft
from seqloom.models.seq2seq.definitions.step import PLACE, PLACED, WAVES, WIDTH, whole
from seqloom.models.seq2seq.definitions.view import View, seen
from seqloom.models.settings import Norm

VASWANI = "A. Vaswani et al., Attention is all you need, NeurIPS 2017."
KIM = "Y. Kim et al., From research to production and back: ludicrously fast neural machine translation, WNGT 2019."


@cache
def transformer_with(blocks: int, view: View = "as it is", norm: Norm = "before") -> Draft:
    """The Transformer's decoder with so many blocks. All words written so far are looked at anew in every step."""
    groups = tuple(f"block_{number}" for number in range(1, blocks + 1))
    source, look, projected = seen(view)
    block, end = ("decoder_block_pre_norm", ("norm",)) if norm == "before" else ("decoder_block", ())
    lines, below = [], "X"
    for number, group in enumerate(groups, start=1):
        line = f"Y_{number} = {block}({below}, {source}, causal, mask, **{group})"
        lines.append(f"{line}  # {'words look at words and at the source' if number == 1 else 'and again'}")
        below = f"Y_{number}"
    return Draft(
        name="transformer",
        title="Transformer: one step of the decoder",
        paper=VASWANI,
        inputs=("i", "X", "H", "causal", "mask"),
        weights=(*projected, *groups, *end, "D"),
        legend=(
            PLACE,
            "X | (steps, D) | the words written so far, one a row, with their places",
            f"H | (S, {'D' if view == 'as it is' else 'K'}) | what the encoder made of the source, one word a row",
            "causal | (T, T) | bool, True where a word may look at words before it",
            "mask | (T, S) | bool, True where a word may look at the source",
            WIDTH,
        ),
        lines=(
            PLACED,
            "X = append(X, r)  # below the words before it",
            *look,
            *lines,
            *(f"O = layer_norm({below}, **{group})  # in measure" for group in end),
        ),
        returns=("X", "O[i]" if end else f"{below}[i]"),
        uses={
            **WAVES,
            "decoder_block": decoder_block,
            "decoder_block_pre_norm": decoder_block_pre_norm,
            "layer_norm": layer_norm,
            "readout": readout,
        },
    )


@cache
def hybrid_with(blocks: int, view: View = "as it is") -> Draft:
    """A decoder of so many blocks that look back with SSRU: what was written is in their states."""
    groups = tuple(f"block_{number}" for number in range(1, blocks + 1))
    source, look, projected = seen(view)
    states = tuple(f"c_{number}" for number in range(1, blocks + 1))
    lines, below = [], "r"
    for number, (group, state) in enumerate(zip(groups, states, strict=True), start=1):
        line = f"x_{number}, {state} = ssru_block({below}, {state}, {source}, **{group})"
        lines.append(
            f"{line}  # {'a gate keeps what was written, heads look at the source' if number == 1 else 'and again'}"
        )
        below = f"x_{number}"
    return Draft(
        name="hybrid",
        title="Transformer encoder with an SSRU decoder: one step of the decoder",
        paper=KIM,
        inputs=("i", *states, "H"),
        weights=(*projected, *groups, "norm", "D"),
        legend=(
            PLACE,
            *(f"{state} | (D) | what block {number} remembers" for number, state in enumerate(states, start=1)),
            f"H | (S, {'D' if view == 'as it is' else 'K'}) | what the encoder made of the source, one word a row",
            WIDTH,
        ),
        lines=(PLACED, *look, *lines, f"o = layer_norm({below}, **norm)  # in measure"),
        returns=(*states, "o"),
        uses={**WAVES, "ssru_block": ssru_block, "layer_norm": layer_norm, "readout": readout},
    )


transformer = whole(transformer_with(3), __name__)
hybrid = whole(hybrid_with(2), __name__)
