"""Write attention maps to a file: .png, .html, .json or .txt."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path

from seqloom.attention.attention_weights import AttentionMap
from seqloom.attention.html import render_html
from seqloom.attention.picture_attention import PictureAttention
from seqloom.attention.picture_png import render_picture_png
from seqloom.attention.png import render_png
from seqloom.errors import DataError, OutputError

WIDTH = 100
"""Cells of a line in a text file."""


def save(maps: AttentionMap | Sequence[AttentionMap], file: str | Path, titles: Sequence[Sequence[str]] = ()) -> Path:
    """Write one map or several; the end of the name says how: .png, .html, .json or .txt.

    titles  for each map the texts that were read and written: the headings of a page
    """
    target = Path(file)
    several = [maps] if isinstance(maps, AttentionMap) else list(maps)
    if not several:
        raise DataError("no attention to draw", remedy="give at least one map")
    over_pictures = [one for one in several if isinstance(one, PictureAttention)]
    kinds: dict[str, Callable[[], bytes]] = {
        ".png": lambda: render_picture_png(over_pictures) if over_pictures else render_png(several),
        ".html": lambda: render_html(several, titles).encode(),
        ".json": lambda: as_json(maps).encode(),
        ".txt": lambda: as_text(several).encode(),
    }
    if target.suffix.lower() not in kinds:
        raise OutputError(
            f"{target}: attention is not written as {target.suffix or 'a file without an ending'}",
            remedy="end the name in .png, .html, .json or .txt",
        )
    from seqloom.storage import write_output  # here, for it loads torch

    return write_output(target, kinds[target.suffix.lower()](), "attention.png")


def as_json(maps: AttentionMap | Sequence[AttentionMap]) -> str:
    """One map as an object, several as a list of them."""
    data = maps.json() if isinstance(maps, AttentionMap) else [one.json() for one in maps]
    return json.dumps(data, ensure_ascii=False) + "\n"


def as_text(maps: Sequence[AttentionMap]) -> str:
    """What a terminal shows, in shades that plain text has."""
    from rich.console import Console

    from seqloom.attention.terminal import heatmap

    console = Console(file=StringIO(), width=WIDTH, color_system=None, legacy_windows=False)
    with console.capture() as captured:
        for one in maps:
            console.print(heatmap(one))
    return captured.get()
