r"""The one safe way from bytes to lines.

A line ends at \n and nowhere else: U+2028, U+0085, \x0b, \x0c and a lone \r stay inside it, so that line 7 here is
line 7 in an editor, and in the other file of a pair. One \r before the \n goes (CRLF), as does a byte order mark at
the start of the file. gzip is told by its first bytes, UTF-16 by its byte order mark; other encodings are named by the
user (`Policy.encoding`). Files are read as a stream: memory does not grow with them.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.character_encoding import OTHERS, UTF_8, as_utf_8
from seqloom.data.record import Place
from seqloom.errors import DataError

Numbered: TypeAlias = tuple[int, str]
"""A line and its number, from 1."""

BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
ARCHIVES = {b"PK\x03\x04": "zip", b"\xfd7zXZ": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf": "7z"}
WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")
OLD_OFFICE = b"\xd0\xcf\x11\xe0"

MOST_LINES = 1_000_000
"""Lines of a block: each takes memory, however short it is."""
LONGER = "set data.longest_line higher"


def read_lines(file: Path, policy: Policy) -> Iterator[Numbered]:
    """The lines that can be used."""
    for number, line in scan(file, policy):
        if isinstance(line, str):
            yield number, line
        else:
            policy.bad(Place(str(file), number), line)


def read_blocks(file: Path, policy: Policy, longest: int | None = None) -> Iterator[list[Numbered]]:
    """Runs of lines between blank ones, of at most `longest` characters.

    A bad line spoils its whole block: the rest would have a hole that nobody sees.
    """
    block: list[Numbered] = []
    size, spoiled = 0, False
    for number, line in scan(file, policy):
        if isinstance(line, str):
            if not line.strip():
                if block:
                    yield block
                block, size, spoiled = [], 0, False
                continue
            size += len(line)
            if len(block) >= MOST_LINES:
                line = Problem("overlong block", f"over {MOST_LINES:,} lines without a blank line", "divide it")
            elif longest is not None and size > longest:
                line = Problem("overlong block", f"over {longest:,} characters without a blank line", LONGER)
        if spoiled:
            continue
        if isinstance(line, str):
            block.append((number, line))
        else:
            policy.bad(Place(str(file), number), line)
            block, spoiled = [], True
    if block:
        yield block


def scan(file: Path, policy: Policy) -> Iterator[tuple[int, str | Problem]]:
    """Every line, good or bad, none left out: what keeps two files in step."""
    number, longest = 0, policy.longest_line
    most = longest + len(BOM) + len(b"\r\n")
    decode = partial(decoded, encoding=policy.encoding)
    with open_bytes(file) as stream:
        while raw := stream.readline(most):
            whole = raw[-1:] == b"\n" or len(raw) < most
            if number == 0:
                raw = raw.removeprefix(BOM)
                if not raw:
                    break
            number += 1
            line = raw[:-2] if raw[-2:] == b"\r\n" else raw[:-1] if raw[-1:] == b"\n" else raw
            yield number, decode(line) if len(line) <= longest else overlong(line, whole, stream, longest)
    if number == 0:
        policy.bad(Place(str(file)), Problem("empty file", remedy="check how it was made"))


def decoded(line: bytes, encoding: str = UTF_8) -> str | Problem:
    if b"\0" in line:
        at = f"byte {line.index(0) + 1} of the line"
        return Problem("NUL byte", at, "check that the file is text", line.decode(encoding, "replace"))
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        at = f"0x{line[error.start]:02x}, byte {error.start + 1} of the line"
        name, remedy = ("UTF-8", f"save the file as UTF-8, or {OTHERS}") if encoding == UTF_8 else (encoding, OTHERS)
        return Problem(f"invalid {name}", at, remedy, line.decode(encoding, "replace"))


def overlong(line: bytes, whole: bool, stream: BinaryIO, longest: int) -> Problem:
    """Pass over the rest of a line piece by piece: it is never in memory as a whole."""
    size, quotes, end = len(line), line.count(b'"'), line[-1:]
    while not whole and (piece := stream.readline(1 << 16)):
        whole = piece[-1:] == b"\n"
        size += len(piece)
        quotes += piece.count(b'"')
        end = (end + piece)[-2:]
    size -= len(end) if end == b"\r\n" else end[-1:] == b"\n"
    return Problem("overlong line", f"{size:,} bytes, over {longest:,}", LONGER, stand_in='"' * (quotes % 2))


def expanded(path: str | Path) -> Path:
    """A path with ~ for the user's home; a name that only begins like one stays as it is."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


@contextmanager
def open_bytes(file: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if they are gzip, UTF-16 as UTF-8; whatever fails in reading is a `DataError`."""
    try:
        check_regular(file)
        with file.open("rb") as raw:
            start = raw.peek(8)[:8]
            if start.startswith(OLD_OFFICE) or (start.startswith(b"PK") and file.suffix.lower() in WORKBOOKS):
                remedy = f"save it as CSV (UTF-8); in Python: data=pandas.read_excel({file.name!r})"
                raise DataError("is an Excel workbook, which is not read", where=str(file), remedy=remedy)
            for magic, kind in ARCHIVES.items():
                if start.startswith(magic):
                    remedy = "unpack it first; only gzip is read as it is"
                    raise DataError(f"is a {kind} archive", where=str(file), remedy=remedy)
            if start.startswith(GZIP):
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    inside = io.BufferedReader(cast(io.RawIOBase, unpacked))
                    yield as_utf_8(inside, inside.peek(4)[:4])
            else:
                yield as_utf_8(raw, start)
    except (EOFError, OSError, zlib.error) as error:
        raise unreadable(file, error) from None


def check_regular(file: Path) -> None:
    """Raise `DataError` for what would be waited for, or never end."""
    if not file.is_dir() and file.exists() and not file.is_file():
        what = "is not a regular file but a pipe or a device"
        raise DataError(what, where=str(file), remedy="write it into a file first: it is read several times")


def unreadable(file: Path, error: Exception) -> DataError:
    """Why a file cannot be read, in words."""
    what, remedy = f"cannot be read: {error}", "check the path and the disk"
    if isinstance(error, EOFError):
        what, remedy = "the gzip file ends too early", "it was cut off: copy or download it again"
    elif isinstance(error, gzip.BadGzipFile | zlib.error):
        what, remedy = f"the gzip file is damaged: {error}", "copy or download it again"
    elif isinstance(error, FileNotFoundError):
        what, remedy = "there is no such file", "check the path"
    elif isinstance(error, IsADirectoryError):
        what, remedy = "is a folder, not a file", f"name a file in it, or all of them: {file}/*"
    elif isinstance(error, PermissionError):
        what, remedy = "may not be read", "ask for the permission to read it"
    return DataError(what, where=str(file), remedy=remedy)
