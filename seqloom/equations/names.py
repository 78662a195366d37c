"""How an identifier is read as a symbol: `W_xh`, `alpha_j`, `h_tilde`, `h_bwd`."""

from __future__ import annotations

from dataclasses import dataclass

from seqloom.equations.nodes import Symbol

LATIN = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi
chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"""
GREEK = dict(zip(LATIN.split(), "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
"""Greek letters by their names; `lambda` is no identifier in Python, so `lambda_` is read as it."""

ACCENTS = {"tilde": "tilde", "hat": "hat", "bar": "bar", "fwd": "right", "bwd": "left"}
"""The last part of a name that is drawn above the letter: h̃, ĥ, h̄, and arrows for two directions."""


@dataclass(frozen=True)
class Name:
    """A symbol: its letter (or word), what is drawn above it, what stands below to the right.

    >>> parse_name("W_xh")
    Name(base='W', subscripts=('xh',), accent='')
    >>> parse_name("alpha_j")
    Name(base='α', subscripts=('j',), accent='')
    >>> parse_name("h_tilde")
    Name(base='h', subscripts=(), accent='tilde')
    """

    base: str
    subscripts: tuple[str, ...]
    accent: str


def parse_name(name: str) -> Name:
    """Read an identifier as a symbol."""
    base, *below = [part for part in name.split("_") if part]
    accent = ""
    if below and below[-1] in ACCENTS:
        accent = ACCENTS[below.pop()]
    return Name(GREEK.get(base, base), tuple(GREEK.get(part, part) for part in below), accent)


def subscripts(symbol: Symbol) -> list[str]:
    """What stands below a symbol, its place in time among it: `1` and `t-1` for a state `h_1` as taken."""
    name = parse_name(symbol.name)
    step = {"": [], "now": ["t"], "before": ["t-1"]}[symbol.when]
    if symbol.role == "item":  # the j-th entry of a row made in step t
        return [*step, *name.subscripts]
    return [*name.subscripts, *step]
