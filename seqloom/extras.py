"""Packages that only some features need; each comes with an extra, as in `pip install "seqloom[serve]"`."""

from importlib import import_module
from types import ModuleType

from seqloom.errors import MissingExtra


def require(package: str, extra: str, purpose: str, *, otherwise: str = "") -> ModuleType:
    """Import an optional package, or raise an error that says which extra brings it.

    purpose    what needs it, as the beginning of a sentence: "BLEU"
    otherwise  what to do without it, as "set translate.measure=loss"

    >>> require("nothing_like_it", "evaluate", "BLEU")
    Traceback (most recent call last):
    seqloom.errors.MissingExtra: BLEU needs nothing_like_it
        -> pip install "seqloom[evaluate]"
    """
    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise MissingExtra(package.partition(".")[0], extra, purpose, otherwise=otherwise) from None
