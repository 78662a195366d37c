"""The grammar: formula, figure, code and numbers from one plain function."""

from math import inf

# fmt: off
# isort: off
from seqloom.equations.definition import Equations, equations
from seqloom.equations.functions import (
    add_at_ends, append, arange, as_row, but_first, but_last, concat, cos, dim, exp, first, flatten, full_mask, highest,
    interleave, known, last, log, log_sigmoid, log_softmax, log_sum_exp, max_pool, mean, norm, one_hot, past_mask,
    regions, relu, scan, scan_back, shifts, sigmoid, sin, softmax, sqrt, stack, tail, tanh, where, windows,
)
from seqloom.equations.part import Part, State
# isort: on
# fmt: on

__all__ = [
    "Equations", "Part", "State", "add_at_ends", "append", "arange", "as_row", "but_first", "but_last", "concat", "cos",
    "dim", "equations", "exp", "first", "flatten", "full_mask", "highest", "inf", "interleave", "known", "last", "log",
    "log_sigmoid", "log_softmax", "log_sum_exp", "max_pool", "mean", "norm", "one_hot", "past_mask", "regions", "relu",
    "scan", "scan_back", "shifts", "sigmoid", "sin", "softmax", "sqrt", "stack", "tail", "tanh", "where", "windows",
]  # fmt: skip
