"""From the source to the first state of a recurrent decoder, as equations."""

from __future__ import annotations

from functools import cache
from typing import Any

from seqloom.equations import Equations
from seqloom.models.composed import Draft
from seqloom.models.seq2seq.definitions.recurrent import CHO


@cache
def bridge_with(states: tuple[str, ...], *, of_all: bool) -> Equations[..., Any]:
    """The first states, made of the last row of the encoder or of the mean of all; each by weights of its own."""
    letters = {state: state.replace("_", "") for state in states}
    return Draft(
        name="bridge_of_all" if of_all else "bridge",
        title=f"From {'all states' if of_all else 'the last state'} of the encoder to the first of the decoder",
        paper=CHO,
        inputs=("H",) if of_all else ("c",),
        weights=tuple(name for letter in letters.values() for name in (f"V_{letter}", f"b_{letter}")),
        legend=(
            "H | (S, K) | the states of the encoder, one a row"
            if of_all
            else "c | (K) | the context: what the encoder ended with",
            "V_* | (K, H) | from the context to the state",
            "b_* | (H) | the bias",
        ),
        lines=(
            *(("c = sum(h_j for h_j in H) / len(H)  # the context: the mean of all states",) if of_all else ()),
            *(
                f"{state} = tanh(c @ V_{letter} + b_{letter})  # where the decoder begins"
                for state, letter in letters.items()
            ),
        ),
        returns=states,
    ).definition(__name__)


bridge = bridge_with(("s",), of_all=False)
bridge_of_all = bridge_with(("s",), of_all=True)
