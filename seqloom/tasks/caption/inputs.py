"""What a user hands to a model that describes pictures, and what a stranger sends to a server."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seqloom.data.line_reader import expanded
from seqloom.data.pictures.decoding import Pixels, decoded, fitted, from_array, size_of, upright
from seqloom.data.pictures.files import read
from seqloom.errors import DataError, quoted

REMEDY = "give the path of a picture, its bytes, an array, or an image of Pillow"
SENT = 'send the bytes of a picture in base64, as {"image": "iVBORw0..."}'


@dataclass(frozen=True)
class SentPicture:
    """The file of a picture that came over the network: its header was read, nothing is decoded yet."""

    content: bytes
    width: int
    height: int

    @property
    def pixels(self) -> int:
        return self.width * self.height


def named_pixels(given: Any, width: int, height: int, colours: int) -> tuple[str, Pixels]:
    """What a picture is called, and its pixels in this size. A text is the path of a file."""
    if isinstance(given, Mapping) and "image" in given:
        given = given["image"]
    if isinstance(given, SentPicture):
        return "picture", decoded(given.content, "picture", width, height, colours)
    if isinstance(given, bytes):
        return "picture", decoded(given, "picture", width, height, colours)
    if isinstance(given, str | Path):
        name = str(given)
        return name, decoded(read(expanded(given), name), name, width, height, colours)
    if hasattr(given, "getbands"):  # an image of Pillow
        return str(getattr(given, "filename", "") or "picture"), fitted(upright(given), width, height, colours)
    if isinstance(given, np.ndarray):
        return f"array {given.shape}", from_array(given, f"array {given.shape}", width, height, colours)
    raise DataError(f"a {type(given).__name__} where a picture is read", remedy=REMEDY)


def sent_picture(given: Any) -> SentPicture:
    """A picture from JSON: base64, with or without the beginning of a data URL; never the name of a file."""
    text = given.get("image") if isinstance(given, Mapping) else given
    if not isinstance(text, str):
        raise DataError(f"{quoted(given)} is not a picture", remedy=SENT)
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        content = b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise DataError("the picture is not in base64", remedy=SENT) from None
    if not content:
        raise DataError("the picture is empty", remedy=SENT)
    return SentPicture(content, *size_of(content, "picture"))


def bytes_of(given: Any) -> int:
    """Bytes of a picture that was sent, as base64 or accepted."""
    if isinstance(given, SentPicture):
        return len(given.content)
    text = given.get("image", "") if isinstance(given, Mapping) else given
    return len(text) * 3 // 4 if isinstance(text, str) else 0
