"""What stands behind an encoder, as equations: from its rows to the shares of labels or of words."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from torch import Tensor, nn

from seqloom.equations import equations, softmax
from seqloom.layers.attention import attention_pooling
from seqloom.layers.base import Symbols
from seqloom.layers.heads import Readout, readout
from seqloom.models.part import Part
from seqloom.models.pooling import Pool


@equations
def answer(h, *, output):
    """From a row to shares.

    Paper: J. Elman, Finding structure in time, Cognitive Science 14, 1990.

    h  (H)  what the encoder made of it
    """
    z = readout(h, **output)  # a score for each
    p = softmax(z)  # their shares
    return p


@equations
def answer_of_mean(H, *, output):
    """From the mean of all rows to shares.

    Paper: M. Iyyer et al., Deep unordered composition rivals syntactic methods for text classification, ACL 2015.

    H  (S, H)  what the encoder made of the words, one a row
    """
    h = sum(h_j for h_j in H) / len(H)  # the sentence in one row: the mean of all words
    z = readout(h, **output)  # a score for each
    p = softmax(z)  # their shares
    return p


@equations
def answer_by_attention(H, *, pool, output):
    """From the rows worth looking at to shares.

    Paper: Z. Yang et al., Hierarchical attention networks for document classification, NAACL 2016.

    H  (S, H)  what the encoder made of the words, one a row
    """
    h = attention_pooling(H, **pool)  # the sentence in one row: the words that are worth it
    z = readout(h, **output)  # a score for each
    p = softmax(z)  # their shares
    return p


def answer_for_each(rows: Tensor, output: Symbols) -> Part:
    """One answer a word: rows (T, H)."""
    return Part("answer", answer, {"output": output}, [{"h": row} for row in rows])


def answer_for_all(rows: Tensor, pool: Pool, head: Readout) -> Part:
    """One answer for the sentence: rows (T, H)."""
    output = {"output": head.symbols()}
    match pool.kind:
        case "mean":
            return Part("answer", answer_of_mean, output, [{"H": rows}])
        case "attention":
            assert isinstance(pool.attention, nn.Module)
            return Part("answer", answer_by_attention, {"pool": pool.attention.symbols(), **output}, [{"H": rows}])
    row = rows.amax(0) if pool.kind == "max" else rows[-1]
    return Part("answer", answer, output, [{"h": row}])
