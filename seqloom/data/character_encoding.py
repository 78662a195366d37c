"""The character encodings of files: UTF-8, UTF-16 and UTF-32 by their mark, another one where the user names it."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO, cast

UTF_8 = "utf-8"
MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
"""The byte order marks of what is no UTF-8; the longer one of two that begin alike comes first."""
PIECE = 1 << 16
OTHERS = "say its encoding, as data.encoding=cp1252 (Excel in the West) or gb18030 (in China)"


def as_utf_8(stream: BinaryIO, start: bytes) -> BinaryIO:
    """A stream in UTF-8, whichever of the three it was in; `start` is how it begins."""
    for mark, encoding in MARKS.items():
        if start.startswith(mark):
            return io.BufferedReader(Recoded(stream, encoding))
    return stream


class Recoded(io.RawIOBase):
    """Reads a stream of another encoding as UTF-8, in constant memory."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self.stream, self.decoder = stream, codecs.getincrementaldecoder(encoding)(errors="replace")
        self.held, self.ended = b"", False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast(bytearray, buffer))
        while not self.held and not self.ended:
            piece = self.stream.read(PIECE)
            self.ended = not piece
            self.held = self.decoder.decode(piece, final=self.ended).encode(UTF_8, errors="replace")
        size = min(len(target), len(self.held))
        target[:size], self.held = self.held[:size], self.held[size:]
        return size


def why_not_by_line(encoding: str) -> str:
    r"""Why lines cannot be read in an encoding; empty if they can.

    >>> why_not_by_line("cp1252"), why_not_by_line("utf-16"), why_not_by_line("klingon")
    ('', 'lines of utf-16 do not end in one byte', 'there is no encoding of this name for files')
    """
    try:
        newline = "\n".encode(encoding)
        b"\xff".decode(encoding, "replace")  # idna cannot
    except (LookupError, ValueError):
        return "there is no encoding of this name for files"
    if newline != b"\n":
        return f"lines of {encoding} do not end in one byte"
    return "it lets half a character pass, which can neither be printed nor saved" if writes_halves(encoding) else ""


def writes_halves(encoding: str) -> bool:
    """Whether an encoding has lone surrogates, as UTF-7 has."""
    try:
        "\ud800".encode(encoding)
    except ValueError:
        return False
    return True
