"""Times as people write them and say them."""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import AfterValidator

from seqloom.config import problem

UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
WRITTEN = re.compile("".join(rf"(?:(\d+(?:\.\d+)?){unit})?" for unit in UNITS))


def parse_duration(text: str) -> float:
    """A time as it is written in settings; `ValueError` for what is none.

    >>> parse_duration("1h30m"), parse_duration("45m"), parse_duration("3600s"), parse_duration("1.5h")
    (5400.0, 2700.0, 3600.0, 5400.0)
    """
    found = WRITTEN.fullmatch(text.replace(" ", "").lower())
    seconds = sum(float(number or 0) * size for number, size in zip(found.groups(), UNITS.values())) if found else 0.0
    if not seconds:
        raise ValueError(text)
    return seconds


def check_duration(text: str) -> str:
    try:
        if text:
            parse_duration(text)
    except ValueError:
        raise problem("", f"{text!r} is not a duration", remedy="write it like 45m, 1h30m or 3600s") from None
    return text


Duration = Annotated[str, AfterValidator(check_duration)]
"""A setting that is a time, or empty."""


def format_duration(seconds: float) -> str:
    """A time as a clock shows it.

    >>> format_duration(3725), format_duration(75), format_duration(8)
    ('1:02:05', '1:15', '0:08')
    """
    if math.isnan(seconds):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
