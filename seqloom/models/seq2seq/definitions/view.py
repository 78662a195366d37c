"""How a decoder without a start state sees the source (`sight.py`), as lines of its definition."""

from __future__ import annotations

from typing import Literal

View = Literal["as it is", "projected", "squeezed"]
"""Rows as the encoder made them; in the width of the decoder; or one row, a context made by tanh."""


def seen(view: View, name: str = "M", group: str = "sight") -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The symbol that is looked at, the line that makes it if one is needed, and the weights of that line."""
    if view == "as it is":
        return "H", (), ()
    if view == "projected":
        return name, (f"{name} = readout(H, **{group})  # the source in the width of the decoder",), (group,)
    return name, (f"{name} = tanh(readout(H, **{group}))  # the source in the width of the decoder",), (group,)
