"""What stands before and behind an encoder, as equations: from a frame to a row, from rows to an answer."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from torch import Tensor, nn

from seqloom.equations import Equations, equations
from seqloom.layers.attention import attention_pooling
from seqloom.layers.base import Symbols
from seqloom.layers.heads import MLP, LogisticRegression, Readout, logistic_regression, mlp, readout
from seqloom.models.composed import Draft
from seqloom.models.part import Letters, Part
from seqloom.models.pooling import Pool

Reads = Literal["row", "mean", "attention", "words", "mlp"]
"""What an answer is read off: a row, rows made one, words end to end, these with a hidden layer between."""
Says = Literal["label", "pair", "labels", "number"]
"""What the scores are: shares of labels, the evidence for the second of two, labels each by itself, a number."""


@equations
def projected_frame(f, *, W, b):
    """A frame of sound or sensors as a row, as wide as a word would be.

    Paper: A. Dosovitskiy et al., An image is worth 16x16 words, ICLR 2021, with frames where it has patches.

    f  (F)     the numbers of the frame, each brought to mean 0 and deviation 1
    W  (F, D)  from a frame to a row
    b  (D)     the bias
    """
    x = f @ W + b  # the row of the frame
    return x


@dataclass(frozen=True)
class Piece:
    """Some lines of a definition, and what they take: entries of a legend; of a group of weights the name alone."""

    name: str
    title: str
    inputs: tuple[str, ...]
    lines: tuple[str, ...]
    weights: tuple[str, ...] = ()
    paper: str = ""


ROWS = "H | (S, H) | what the encoder made of the words, one a row"
WORDS = "X | (T, D) | the words, one a row"
READS: dict[Reads, Piece] = {
    "row": Piece("", "a row", ("h | (H) | what the encoder made of it",), (), ("output",), readout.legend.paper),
    "mean": Piece(
        "_of_mean", "the mean of all rows", (ROWS,),
        ("h = sum(h_j for h_j in H) / len(H)  # the sentence in one row: the mean of all words",), ("output",),
        "M. Iyyer et al., Deep unordered composition rivals syntactic methods for text classification, ACL 2015.",
    ),
    "attention": Piece(
        "_by_attention", "the rows worth looking at", (ROWS,),
        ("h = attention_pooling(H, **pool)  # the sentence in one row: the words that are worth it",),
        ("pool", "output"),
        "Z. Yang et al., Hierarchical attention networks for document classification, NAACL 2016.",
    ),
    "words": Piece(
        "_end_to_end", "words put end to end", (WORDS,), ("x = flatten(X)  # one long row",),
        ("W | (T*D, V) | a weight for every entry of every word", "b | (V) | the bias"),
        logistic_regression.legend.paper,
    ),
    "mlp": Piece(
        "_of_mlp", "words put end to end, by what a hidden layer finds in them,", (WORDS,),
        ("x = flatten(X)  # one long row", "u = relu(x @ W_1 + b_1)  # what was found in it"),
        (
            "W_1 | (T*D, F) | the hidden layer", "b_1 | (F) | its bias",
            "W_2 | (F, V) | the output layer", "b_2 | (V) | its bias",
        ),
        mlp.legend.paper,
    ),
}  # fmt: skip
FLAT: dict[Reads, str] = {"words": "x @ W + b", "mlp": "u @ W_2 + b_2"}
"""How words that were put end to end are scored."""
BESIDE = "f | (columns) | the columns beside the text"
SAYS: dict[Says, Piece] = {
    "label": Piece("answer", "shares", (), ("z = {}  # a score for each", "p = softmax(z)  # their shares")),
    "pair": Piece(
        "answer_of_two", "the shares of two", (),
        (
            "z = {}  # the evidence for the second", "s = sigmoid(z)  # as a probability",
            "p = concat(1 - s, s)  # the shares of both",
        ),
    ),
    "labels": Piece(
        "answers", "several labels, or none", (),
        ("z = {}  # a score for each", "p = sigmoid(z)  # how likely each is, by itself"),
    ),
    "number": Piece(
        "number", "a number",
        ("mu | () | the mean of the numbers in training data", "sigma | () | their deviation"),
        ("z = {}  # the score, which has mean 0 and deviation 1", "y = mu + sigma * z  # as the numbers are"),
    ),
}  # fmt: skip


@cache
def answer_with(reads: Reads, says: Says = "label", *, beside: bool = False) -> Equations[..., Any]:
    """What is said of rows or words, and of the columns beside them if there are any."""
    first, last = READS[reads], SAYS[says]
    inputs = (*first.inputs, *((BESIDE,) if beside else ()), *last.inputs)
    weights, lines = first.weights, first.lines
    if reads in FLAT:
        score = FLAT[reads]
        if beside:
            score += " + f @ W_f + b_f"
            weights += ("W_f | (columns, V) | the columns beside the text", "b_f | (V) | their bias")
    elif beside:
        lines += ("r = concat(h, f)  # and the columns beside it",)
        score = "readout(r, **output)"
    else:
        score = "readout(h, **output)"
    return Draft(
        name=f"{last.name}{first.name}{'_beside' * beside}",
        title=f"From {first.title}{' and columns beside the text' * beside} to {last.title}",
        paper=first.paper,
        inputs=names(inputs),
        weights=names(weights),
        legend=tuple(entry for entry in (*inputs, *weights) if "|" in entry),
        lines=(*lines, *(line.format(score) for line in last.lines)),
        returns=("y" if says == "number" else "p",),
        uses={"readout": readout, "attention_pooling": attention_pooling},
    ).definition(__name__)


def names(entries: Iterable[str]) -> tuple[str, ...]:
    return tuple(entry.partition("|")[0].strip() for entry in entries)


answer = answer_with("row")
answer_of_mean = answer_with("mean")
answer_by_attention = answer_with("attention")
answers = answer_with("row", "labels")
number = answer_with("row", "number")


def answer_for_each(rows: Tensor, output: Symbols) -> Part:
    """One answer a word: rows (T, H)."""
    return Part("answer", answer, {"output": output}, [{"h": row} for row in rows])


def answer_for_all(rows: Tensor, pool: Pool, head: Readout, says: Says, given: Letters) -> Part:
    """One answer for the sentence: rows (T, H); `given` are the columns beside it `f`, and for a number its scale."""
    symbols: dict[str, Any] = {"output": head.symbols()}
    reads: Reads = "row"
    taken = {"h": rows.amax(0) if pool.kind == "max" else rows[-1]}
    if pool.kind in ("mean", "attention"):
        reads, taken = pool.kind, {"H": rows}
    if pool.attention is not None:
        symbols["pool"] = pool.attention.symbols()
    return Part("answer", answer_with(reads, says, beside="f" in given), symbols, [{**taken, **given}])


def answer_end_to_end(rows: Tensor, head: nn.Module, beside: Readout | None, says: Says, given: Letters) -> Part:
    """One answer for words put end to end: rows (T, D), and the first weights; those behind them meet zeros."""
    size, reads = rows.numel(), "words"
    match head:
        case MLP():
            reads, symbols = "mlp", {**head.symbols(), "W_1": head.W_1[:size]}
        case LogisticRegression():
            symbols = {"W": head.w[:size, None], "b": head.b[None]}
        case Readout():
            symbols = {"W": head.W_hy[:size], "b": head.b_y}
    if beside is not None:
        symbols |= {"W_f": beside.W_hy, "b_f": beside.b_y}
    return Part("answer", answer_with(reads, says, beside=beside is not None), symbols, [{"X": rows, **given}])
