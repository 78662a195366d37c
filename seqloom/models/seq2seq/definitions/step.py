"""What the steps of all decoders share: a word comes in, a row comes out, the row is read as scores of words."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Literal

from seqloom.equations import Equations
from seqloom.layers.heads import readout
from seqloom.layers.positions import sinusoidal
from seqloom.models.composed import Draft

Tying = Literal["none", "tied", "tied and projected"]
"""Whether the scores are made by weights of their own, or by the rows of the words, and in their width."""

LAST_WORD = "y | () | index, the number of the last word; <bos> at first"
PLACE = "i | () | index, the place of the last word, counted from 0"
PLACED = "r = sqrt(D) * x + sinusoidal(i, D=D)  # and where it stands"
WIDTH = "D | int | the width of a word, even"


@cache
def alone(draft: Draft) -> Equations[..., Any]:
    """A decoder by itself: from the row of the last word to the row that the next one is read off.

    The last of `returns` is that row.
    """
    *states, result = draft.returns
    named = result.isidentifier()
    lines = draft.lines if named else (*draft.lines, f"o = {result}  # the row of the last word")
    results = states if result in states else [*states, result if named else "o"]
    step = replace(
        draft,
        name=f"{draft.name}_step",
        inputs=("x", *draft.inputs),
        legend=("x | (D) | the row of the last word", *draft.legend),
        lines=lines,
        returns=tuple(results),
    )
    return step.definition(__name__)


@cache
def whole(draft: Draft, module: str, tying: Tying = "none") -> Equations[..., Any]:
    """The whole model: from the number of the last word to the shares of all words that may come next."""
    *states, result = draft.returns
    states = list(dict.fromkeys([*states, *([result] if result in draft.inputs else [])]))
    scores, weights = SCORES[tying]
    bias = ("b_y | (V) | the bias of each word",) if "b_y" in weights else ()
    made = replace(
        draft,
        inputs=("y", *draft.inputs),
        weights=("E", *draft.weights, *weights),
        legend=(LAST_WORD, "E | (V, D) | a row for each word", *draft.legend, *bias),
        lines=(
            "x = E[y]  # the row of the last word",
            *draft.lines,
            f"z = {scores.format(result)}",
            "p = softmax(z)  # their shares",
        ),
        returns=(*states, "p"),
        uses={**draft.uses, "readout": readout},
    )
    return made.definition(module)


SCORES: dict[Tying, tuple[str, tuple[str, ...]]] = {
    "none": ("readout({}, **output)  # a score for each word that may come next", ("output",)),
    "tied": ("{} @ E.T + b_y  # the more alike, the higher the score of a word", ("b_y",)),
    "tied and projected": (
        "readout({}, **project) @ E.T + b_y  # the more alike, the higher the score of a word",
        ("project", "b_y"),
    ),
}

WAVES = {"sinusoidal": sinusoidal}
