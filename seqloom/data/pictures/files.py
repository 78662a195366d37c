"""Where the picture of a record is: in the record itself, in a file beside its table, in an archive of the same name.

What a table says is not trusted: a name leads to a plain file inside the folder of the table, or into the archive
beside it (`train.zip` for `train.tsv`), and nowhere else. Rows from Python name any file.
"""

from __future__ import annotations

import stat
import zipfile
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from seqloom.data.bad_records import Problem
from seqloom.data.line_reader import expanded
from seqloom.data.pictures.decoding import AGAIN, MOST_BYTES, SMALLER, Pixels, decoded, from_array, opened
from seqloom.data.record import Place, Record
from seqloom.errors import DataError, quoted

INSIDE = "name a file inside the folder of the table, relative to it"


def pixels_of(record: Record, width: int, height: int, colours: int) -> Pixels:
    """The picture of a record, brought to this size."""
    value, where = record.columns.get("image"), str(record.place)
    if isinstance(value, np.ndarray):
        return from_array(value, where, width, height, colours)
    return decoded(content_of(record), named(where, value), width, height, colours)


def shape_of(record: Record) -> tuple[int, int, bool]:
    """Width, height, and whether it is grey, of the picture of a record; files say it in their header."""
    value = record.columns.get("image")
    if isinstance(value, np.ndarray):
        return value.shape[1], value.shape[0], value.ndim == 2 or value.shape[2] == 1
    image = opened(content_of(record), named(str(record.place), value))
    return *image.size, image.mode in ("1", "L") or image.mode.startswith("I")


def problem_in(record: Record) -> Problem | None:
    """Why the picture of a record cannot be used, if it cannot."""
    try:
        pixels_of(record, 8, 8, 1)
    except DataError as error:
        reason, _, detail = error.what.partition(": ")
        return Problem(reason, f"{error.where}: {detail}" if detail else error.where, error.remedy)
    return None


def content_of(record: Record) -> bytes:
    """The bytes of a picture: those of the record, of a file, or of a member of an archive."""
    value, place = record.columns.get("image"), record.place
    if isinstance(value, bytes):
        return value
    where = named(str(place), value)
    if not isinstance(value, str):
        raise DataError(f"not a picture: {quoted(value)}", where=str(place), remedy="give a file name, or bytes")
    table = Path(place.file)
    if not table.is_file():  # rows from Python
        return read(expanded(value), where)
    archive = archive_of(table)
    if archive.is_file() and not (table.parent / value).exists():
        return member(archive, value, where)
    return read(inside(table.parent, value, where), where)


def named(where: str, value: Any) -> str:
    """Where a picture is named, and its name."""
    return f"{where}, {value:.200}" if isinstance(value, str) else where


def archive_of(table: Path) -> Path:
    """
    >>> archive_of(Path("birds/train.tsv.gz")).name
    'train.zip'
    """
    return table.with_name(Path(table.name.removesuffix(".gz")).stem + ".zip")


def inside(folder: Path, name: str, where: str) -> Path:
    """The file of a name in a folder, links followed; one that leads out of it is refused."""
    try:
        file, home = (folder / name).resolve(), folder.resolve()
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the name, a ring of links
        raise DataError(f"no such picture: {error}", where=where, remedy=INSIDE) from None
    if not file.is_relative_to(home):
        raise DataError("picture outside the folder of the table", where=where, remedy=INSIDE)
    return file


def read(file: Path, where: str) -> bytes:
    """A plain file, of bounded size: a pipe would never end."""
    try:
        state = file.stat()
        if not stat.S_ISREG(state.st_mode):
            what = "a folder" if stat.S_ISDIR(state.st_mode) else "a pipe, a socket or a device"
            raise DataError(f"not a picture: {what}", where=where, remedy="name a plain file")
        if state.st_size > MOST_BYTES:
            what = f"picture too large: {state.st_size:,} bytes, over {MOST_BYTES:,}"
            raise DataError(what, where=where, remedy=SMALLER)
        with file.open("rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise DataError(
            "no such picture: there is no file of this name", where=where, remedy="check the name"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"picture cannot be read: {reason}", where=where, remedy="check the file") from None


def member(archive: Path, name: str, where: str) -> bytes:
    """A file in an archive, of bounded size whatever the archive says."""
    state = archive.stat()
    try:
        with opened_archive(archive, state.st_size, state.st_mtime_ns).open(name) as stream:
            return stream.read(MOST_BYTES + 1)
    except KeyError:
        what = f"no such picture: neither a file, nor in {archive.name}"
        raise DataError(what, where=where, remedy="check the name") from None
    except Exception as error:  # a damaged archive, a password, a method that is not known
        raise DataError(f"{archive.name} cannot be read: {error}", where=where, remedy=AGAIN) from None


@lru_cache(maxsize=4)
def opened_archive(archive: Path, size: int, changed: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(archive)


def identity_of(records: Any) -> str:
    """A hash that changes with the pictures that records name, without reading them: by name, size and time."""
    found = sha256()
    for record in records:
        value = record.columns.get("image")
        if isinstance(value, str):
            found.update(f"{value}\0{state_of(value, record.place)}\n".encode(errors="surrogatepass"))
    return found.hexdigest()[:32]


def state_of(name: str, place: Place) -> Any:
    table = Path(place.file)
    known = table.is_file()
    for file in (table.parent / name if known else expanded(name), archive_of(table)):
        try:
            state = file.stat()
        except (OSError, ValueError):
            continue
        return state.st_size, state.st_mtime_ns
    return None
