"""The attention layer alone as equations: the last word asks, the source answers."""

from __future__ import annotations

from functools import cache

from seqloom.layers.attention import key_value_attention
from seqloom.layers.heads import readout
from seqloom.models.composed import Draft
from seqloom.models.seq2seq.definitions.blocks import VASWANI
from seqloom.models.seq2seq.definitions.step import PLACE, PLACED, WAVES, WIDTH, whole
from seqloom.models.seq2seq.definitions.view import View, seen


@cache
def attention_with(view: View = "as it is") -> Draft:
    """No state: the next word depends on the last one, on its place, and on the source."""
    source, look, projected = seen(view)
    return Draft(
        name="attention_alone",
        title="The attention layer alone, without any recurrence: one step of the decoder",
        paper=f"{VASWANI[:-1]}, with all else taken away.",
        inputs=("i", "H"),
        weights=(*projected, "W_Q", "W_K", "W_V", "D"),
        legend=(
            PLACE,
            f"H | (S, {'D' if view == 'as it is' else 'K'}) | the source, one word a row",
            "W_Q | (D, D) | what a word asks for",
            "W_K | (D, D) | what a word is found by",
            "W_V | (D, D) | what a word hands out",
            WIDTH,
        ),
        lines=(
            PLACED,
            "q = r @ W_Q  # the query: what comes after this word, here?",
            *look,
            f"K = {source} @ W_K  # the keys of the source",
            f"V = {source} @ W_V  # the values of the source",
            "c = key_value_attention(q, K, V)  # the answer, a mean of the values",
        ),
        returns=("c",),
        uses={**WAVES, "key_value_attention": key_value_attention, "readout": readout},
    )


attention_alone = whole(attention_with(), __name__)
