"""Encoders as equations, as far as they are more than one layer: places, two directions, blocks, windows."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from functools import cache
from typing import Any

from seqloom.equations import Equations, equations, sqrt
from seqloom.layers.convolution import convolution
from seqloom.layers.encoder_block import encoder_block, encoder_block_pre_norm
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.norms import layer_norm
from seqloom.layers.positions import learned_positions, sinusoidal
from seqloom.layers.transposed_linear import transposed_linear
from seqloom.models.composed import Draft
from seqloom.models.settings import Norm

Definition = Equations[..., Any]


@equations
def placed_word(w, p, *, E, D):
    """A word that knows where it stands.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    w  ()      index, the word's number in the dictionary
    p  ()      index, its place, counted from 0
    E  (V, D)  a row for each word
    D  int     the width of a word, even
    """
    x = sqrt(D) * E[w]  # the row of the word, as long as the waves
    r = x + sinusoidal(p, D=D)  # and where it stands
    return r


@equations
def residual_convolution(x, X, *, W, b):
    """Convolution over positions, added to what was there.

    Paper: J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017, without gates.

    x  (D)             the word itself
    X  (window, D)     the word between its neighbours, one a row; zeros beyond the ends
    W  (window, D, D)  a matrix for each place in the window
    b  (D)             the bias
    """
    y = x + convolution(X, W=W, b=b)  # what it is among its neighbours is added
    return y


@equations
def mixer_block(X, *, norm_1, mix, norm_2, network):
    """Mixer block: a Transformer block with fixed shares where attention makes its own.

    Paper: I. Tolstikhin et al., MLP-Mixer: an all-MLP architecture for vision, NeurIPS 2021.

    X  (T, D)  the words, one a row
    """
    Y = X + transposed_linear(layer_norm(X, **norm_1), **mix)  # every word takes its share of every other
    Z = Y + feed_forward(layer_norm(Y, **norm_2), **network)  # each word thinks by itself
    return Z


@cache
def bidirectional_with(cell: Definition) -> Definition:
    """Two readers of any kind; `layers.bidirectional` has two simple ones."""
    body = cell.body
    results = [getattr(result, "name", "h") for result in body.returns]
    halves = {"fwd": "forward", "bwd": "backward"}
    entries = {name: cell.legend[name] for name in body.states}
    calls = {
        half: f"{', '.join(f'{name}_{half}' for name in results)} = {cell.name}"
        f"(x, {', '.join(f'{name}_{half}' for name in body.states)}, **{group})"
        for half, group in halves.items()
    }
    others = tuple(f"{name}_{half}" for half in halves for name in body.states)
    return Draft(
        name=f"bidirectional_{cell.name}",
        title=f"{cell.legend.title}, from the left and from the right",
        paper="M. Schuster, K. Paliwal, Bidirectional recurrent neural networks, IEEE Transactions on Signal "
        "Processing 45, 1997.",
        inputs=("x", *others),
        weights=tuple(halves.values()),
        legend=(
            "x | (D) | the word at this place",
            *(
                f"{name}_{half} | ({', '.join(of_half(letter, half) for letter in entry.shape)}) "
                f"| {entry.sense}, from the {side}"
                for half, side in (("fwd", "left"), ("bwd", "right"))
                for name, entry in entries.items()
                if entry
            ),
        ),
        lines=(
            f"{calls['fwd']}  # knows the words before",
            f"{calls['bwd']}  # knows the words after",
            f"y = concat({results[0]}_fwd, {results[0]}_bwd)  # knows both",
        ),
        returns=("y", *others),
        uses={cell.name: cell},
    ).definition(__name__)


def of_half(letter: str, half: str) -> str:
    """The letter of a size in one half of two: the readers are as wide, but have not read as much."""
    return f"{letter}_{half}" if letter == "steps" else letter


@cache
def transformer_encoder_with(blocks: int, *, waves: bool = True, norm: Norm = "before") -> Definition:
    """Places as waves or learned; so many blocks with their norms before or after; in the first case one at the end."""
    block, end = ("encoder_block_pre_norm", ("norm",)) if norm == "before" else ("encoder_block", ())
    place = "sinusoidal(p, D=D)" if waves else "learned_positions(p, P=P)"
    scaled = "sqrt(D) * X" if waves else "X"
    lines, below = [], "R"
    for number in range(1, blocks + 1):
        says = "every word looks at every other, then thinks" if number == 1 else "and again"
        lines.append(f"Y_{number} = {block}({below}, mask, **block_{number})  # {says}")
        below = f"Y_{number}"
    return Draft(
        name="transformer_encoder",
        title="The Transformer's encoder",
        paper=f"A. Vaswani et al., Attention is all you need, NeurIPS 2017{', with the norm first' if end else ''}.",
        inputs=("X", "mask"),
        weights=(*(f"block_{number}" for number in range(1, blocks + 1)), *end, "D" if waves else "P"),
        legend=(
            "X | (T, D) | the words, one a row",
            "mask | (T, T) | bool, True where a word may look",
            "D | int | the width of a word, even" if waves else "P | (places, D) | a row for each place",
        ),
        lines=(
            f"R = {scaled} + stack({place} for p in range(len(X)))  # words that know where they stand",
            *lines,
            *(f"H = layer_norm({below}, **{group})  # in measure" for group in end),
        ),
        returns=("H" if end else below,),
        uses={
            "encoder_block": encoder_block,
            "encoder_block_pre_norm": encoder_block_pre_norm,
            "layer_norm": layer_norm,
            "sinusoidal": sinusoidal,
            "learned_positions": learned_positions,
        },
    ).definition(__name__)


@cache
def mixer_with(blocks: int) -> Definition:
    """So many mixer blocks and a norm."""
    below = ["X", *(f"Y_{number}" for number in range(1, blocks + 1))]
    return Draft(
        name="mixer",
        title="The mixer",
        paper=mixer_block.legend.paper,
        inputs=("X",),
        weights=(*(f"block_{number}" for number in range(1, blocks + 1)), "norm"),
        legend=("X | (T, D) | the words, one a row",),
        lines=(
            *(
                f"Y_{number} = mixer_block({below[number - 1]}, **block_{number})  # places are mixed, then each thinks"
                for number in range(1, blocks + 1)
            ),
            f"H = layer_norm({below[-1]}, **norm)  # in measure",
        ),
        returns=("H",),
        uses={"mixer_block": mixer_block, "layer_norm": layer_norm},
    ).definition(__name__)


transformer_encoder = transformer_encoder_with(2)
