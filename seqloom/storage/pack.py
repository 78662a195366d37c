"""One file for a model: a zip whose files are stored as they are, so that they are mapped where they stand.

Whoever sent a pack may mean harm. Nothing is ever extracted, so no name leads anywhere; and before anything of it is
handed out, its directory is held to what `write_pack` writes: few files with plain names, each once, each stored
without compression and beside the others, so that nothing in it is larger than the pack itself.
"""

from __future__ import annotations

import shutil
import stat
import struct
from pathlib import Path
from typing import IO, cast
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from seqloom.errors import DamagedError
from seqloom.storage.mapped_file import map_file
from seqloom.storage.writing import MANIFEST, replaced

SUFFIX = ".seqloom"
MOST_FILES, LONGEST_DIRECTORY = 256, 1 << 16
"""Files in a pack, and bytes of its directory, at most."""
END, END_64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q4sLQL")
"""The end of a zip; and what stands before it in one of more than 2 GiB: its record and where that is."""
HEADER = struct.Struct("<4s5H3L2H")
"""What stands before each file; its name and more follow."""
PLAIN_FLAGS = 0x800
"""A name may be in UTF-8; encryption, and sizes that are told later, are none of ours."""
AGAIN = "ask for it again; seqloom pack writes one"


def is_pack(place: Path) -> bool:
    """Whether a path is that of a pack: a file, or a name that ends as one."""
    return place.is_file() or (place.suffix == SUFFIX and not place.is_dir())


def write_pack(folder: Path, target: Path) -> None:
    """Write the files of a folder with a manifest into one pack; the same files give the same bytes."""
    names = sorted(file.name for file in folder.iterdir() if file.is_file() and file.name != MANIFEST)
    with replaced(target) as stream, ZipFile(stream, "w", ZIP_STORED) as archive:
        for name in [MANIFEST, *names]:
            info = ZipInfo(name)  # of 1980: a date would make every pack another one
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            info.file_size = (folder / name).stat().st_size  # tells zipfile if it needs 64 bits
            with (folder / name).open("rb") as source, archive.open(info, "w") as member:
                shutil.copyfileobj(source, member, 1 << 20)


class Pack:
    """The files of a pack, mapped; see `model_files.Container`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        data = map_file(place.resolve())
        if data is None:
            raise DamagedError(f"there is no {place}", remedy="check the path")
        self.data = data
        try:
            check_end(data)
            with ZipFile(cast(IO[bytes], data.obj)) as archive:
                self.spans = spans(data, archive.infolist(), archive.start_dir)
        except (BadZipFile, ValueError, NotImplementedError, struct.error, RuntimeError) as error:
            raise DamagedError(f"{place} is not a valid pack: {error}", remedy=AGAIN) from None

    def map(self, name: str) -> memoryview | None:
        """The bytes of one file, where they stand in the pack."""
        return self.data[self.spans[name]] if name in self.spans else None


def check_end(data: memoryview) -> None:
    """Look at how long the directory says it is before it is read."""
    if len(data) < END.size:
        raise BadZipFile("it is too short")
    mark, _, _, _, count, length, _, comment = END.unpack(data[-END.size :])
    if mark != b"PK\5\6" or comment:
        raise BadZipFile("it does not end as a zip does")
    before = bytes(data[-END.size - END_64.size : -END.size])
    if before[-20:-16] == b"PK\6\7":
        record = END_64.unpack(before)
        if record[0] != b"PK\6\6":
            raise BadZipFile("it does not end as a zip does")
        count, length = max(count, record[7]), max(length, record[8])
    if count > MOST_FILES or length > LONGEST_DIRECTORY:
        raise BadZipFile(f"it has {count:,} files in {length:,} bytes, and a pack has {MOST_FILES} at most")


def spans(data: memoryview, files: list[ZipInfo], end: int) -> dict[str, slice]:
    """Where each file stands; `BadZipFile` unless every one is plain, there once, stored, and beside the others."""
    found: dict[str, slice] = {}
    for info in sorted(files, key=lambda info: info.header_offset, reverse=True):
        name = info.filename
        if problem := problem_of(info):
            raise BadZipFile(f"{name[:80]!r} {problem}")
        if name.casefold() in map(str.casefold, found):
            raise BadZipFile(f"{name[:80]!r} is there twice")
        mark, *_, name_length, more = HEADER.unpack(data[info.header_offset :][: HEADER.size])
        start = info.header_offset + HEADER.size + name_length + more
        if mark != b"PK\3\4" or data[info.header_offset + HEADER.size :][:name_length] != name.encode():
            raise BadZipFile(f"{name[:80]!r} is called otherwise where it stands")
        if start + info.file_size > end:
            raise BadZipFile(f"{name[:80]!r} lies over another file, or beyond the end")
        found[name], end = slice(start, start + info.file_size), info.header_offset
    return found


def problem_of(info: ZipInfo) -> str:
    """What is wrong with an entry of the directory; empty if nothing is."""
    if not is_plain(info.filename) or info.orig_filename != info.filename:
        return "is no plain name"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return "is no plain file"
    if info.compress_type != ZIP_STORED or info.compress_size != info.file_size:
        return "is compressed, and files of a pack are stored as they are"
    return "is encrypted, or says its size too late" if info.flag_bits & ~PLAIN_FLAGS else ""


def is_plain(name: str) -> bool:
    """Whether a name is that of a file and leads to no other folder, on any system."""
    return name not in ("", ".", "..") and name.isprintable() and not set(name) & set('/\\:*?"<>|')
