"""Fonts of this machine that have the characters of a picture's words."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.font_manager import FontEntry

USUAL = "DejaVu Sans"
"""The font that comes with matplotlib."""
FIRST = ("Noto Sans", "Source Han", "WenQuanYi", "PingFang", "Hiragino", "Microsoft YaHei", "SimHei", "Arial Unicode")
"""Beginnings of names that are tried before others: they hold many characters and read well."""


@contextmanager
def fonts_with(texts: Iterable[str]) -> Iterator[None]:
    """Draw in fonts that have the characters of these texts; what no font has is warned of once."""
    from matplotlib import rc_context

    log = logging.getLogger("matplotlib.font_manager")  # speaks of weights that a font does not come in
    level = log.level
    with rc_context({"font.family": fonts_for(texts)}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        log.setLevel(logging.ERROR)
        try:
            yield
        finally:
            log.setLevel(level)


def fonts_for(texts: Iterable[str]) -> list[str]:
    """Names of fonts that have the characters of these texts among them; warns of those that none has."""
    from matplotlib.font_manager import findfont, fontManager

    missing = {character for text in texts for character in text if not character.isspace()}
    missing -= characters_of(findfont(USUAL))
    chosen = [USUAL]
    if missing:
        fonts = sorted(
            (font for font in fontManager.ttflist if "Last Resort" not in font.name),  # matplotlib's font of boxes
            key=lambda font: (not font.name.startswith(FIRST), not is_plain(font), font.name, font.fname),
        )
        for font in fonts:
            if there := missing & characters_of(font.fname):
                chosen.append(font.name)
                missing -= there
            if not missing:
                break
    if missing:
        some = " ".join(sorted(missing)[:12])
        warnings.warn(
            f"no font on this machine has {some}: drawn as boxes; install one that does (Chinese: fonts-noto-cjk)",
            stacklevel=5,
        )
    return chosen


def is_plain(font: FontEntry) -> bool:
    """Upright and of usual weight."""
    return font.style == "normal" and font.weight in (400, 500, "normal", "regular", "medium")


@cache
def characters_of(file: str) -> frozenset[str]:
    """What a font file can draw; nothing if it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(file).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()
