"""The convolution decoder as equations: a window of what was written, then a look at the source, in every layer."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from functools import cache
from typing import Any

from seqloom.equations import Equations, append, equations, stack
from seqloom.layers.attention import soft_attention_with
from seqloom.layers.convolution import convolution
from seqloom.layers.heads import readout
from seqloom.layers.norms import layer_norm
from seqloom.layers.scores import scaled_dot
from seqloom.models.composed import Draft
from seqloom.models.seq2seq.definitions.step import PLACE, PLACED, WAVES, WIDTH, whole
from seqloom.models.seq2seq.definitions.view import View, seen

Definition = Equations[..., Any]


@cache
def layer_with(score: Definition, *, widened: bool) -> Definition:
    """One layer, with a score; `widened` where its width is not that of the layer below."""
    soft_attention = soft_attention_with(score)

    @equations
    def convolution_step(x, i, U, H, *, norm, W, b, ask, source, attention, W_c, b_c, window):
        """One layer of a convolution decoder, for the last word.

        Paper: J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017, with norms and
        without gates.

        x       (D)             the row of the last word
        i       ()              index, its place, counted from 0
        U       (steps, D)      the words before it, in measure, behind rows of zeros
        H       (S, D)          what the encoder made of the source, one word a row
        W       (window, D, D)  a matrix for each place in the window
        b       (D)             the bias
        W_c     (D, D)          what is seen in the terms of the layer
        b_c     (D)             its bias
        window  int             how many words are seen at once
        """
        M = layer_norm(H, **source)  # the source, in measure
        u = layer_norm(x, **norm)  # and the word
        U = append(U, u)  # below the words before it
        X = stack(U[i + k] for k in range(window))  # the last few of them: the window
        y = x + convolution(X, W=W, b=b)  # what it is among them is added
        q = layer_norm(y, **ask)  # what it asks, in measure
        c = soft_attention(q, M, **attention)  # what it sees of the source
        o = y + c @ W_c + b_c  # what that means to it is added too
        return o, U

    @equations
    def widened_convolution_step(x, i, U, H, *, widen, norm, W, b, ask, source, attention, W_c, b_c, window):
        """One layer of a convolution decoder, for the last word; its width is not that of the layer below.

        Paper: J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017, with norms and
        without gates.

        x       (D)             the row of the last word
        i       ()              index, its place, counted from 0
        U       (steps, D)      the words before it, in measure, behind rows of zeros
        H       (S, H)          what the encoder made of the source, one word a row
        W       (window, D, H)  a matrix for each place in the window
        b       (H)             the bias
        W_c     (H, H)          what is seen in the terms of the layer
        b_c     (H)             its bias
        window  int             how many words are seen at once
        """
        M = layer_norm(H, **source)  # the source, in measure
        u = layer_norm(x, **norm)  # and the word
        U = append(U, u)  # below the words before it
        X = stack(U[i + k] for k in range(window))  # the last few of them: the window
        y = readout(x, **widen) + convolution(X, W=W, b=b)  # what it is among them is added
        q = layer_norm(y, **ask)  # what it asks, in measure
        c = soft_attention(q, M, **attention)  # what it sees of the source
        o = y + c @ W_c + b_c  # what that means to it is added too
        return o, U

    return widened_convolution_step if widened else convolution_step


convolution_step = layer_with(scaled_dot, widened=False)


@cache
def convolutions(score: Definition, widened: tuple[bool, ...], views: tuple[View, ...]) -> Draft:
    """Layers on top of each other; for each, whether it changes the width and how it sees the source."""
    lines: list[str] = []
    weights: list[str] = []
    below, names = "r", {True: "widened_convolution_step", False: "convolution_step"}
    numbers = range(1, len(widened) + 1)
    for number, wider, view in zip(numbers, widened, views, strict=True):
        source, look, projected = seen(view, f"M_{number}", f"sight_{number}")
        line = f"x_{number}, U_{number} = {names[wider]}({below}, i, U_{number}, {source}, **layer_{number})"
        lines += [*look, f"{line}  # {'words before, then the source' if number == 1 else 'and again, further back'}"]
        weights += [*projected, f"layer_{number}"]
        below = f"x_{number}"
    states = tuple(f"U_{number}" for number in numbers)
    as_it_is = set(views) == {"as it is"} and not any(widened)
    return Draft(
        name="conv_seq2seq",
        title="Convolution to convolution: one step of the decoder",
        paper="J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017.",
        inputs=("i", *states, "H"),
        weights=(*weights, "norm", "D"),
        legend=(
            PLACE,
            *(
                f"{state} | (steps, {'D' if number == 1 or as_it_is else f'D{number}'}) | the words so far in layer "
                f"{number}, behind rows of zeros"
                for number, state in enumerate(states, start=1)
            ),
            f"H | (S, {'D' if as_it_is else 'K'}) | what the encoder made of the source, one word a row",
            WIDTH,
        ),
        lines=(PLACED, *lines, f"o = layer_norm({below}, **norm)  # in measure"),
        returns=(*states, "o"),
        uses={
            **WAVES,
            **{names[wider]: layer_with(score, widened=wider) for wider in set(widened)},
            "layer_norm": layer_norm,
            "readout": readout,
        },
    )


conv_seq2seq = whole(convolutions(scaled_dot, (False,) * 3, ("as it is",) * 3), __name__)
