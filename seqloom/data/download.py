"""A public data set brought to this machine: fetched from its home, checked, and there whole or not at all."""

from __future__ import annotations

import gzip
import os
import shutil
import ssl
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from urllib.error import URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from seqloom.data.datasets import SCHEME, PublishedDataset, PublishedFile, data_folders
from seqloom.data.line_reader import GZIP
from seqloom.data.pronunciations import pronunciation_tables
from seqloom.data.regulated_verse import regulated_poems
from seqloom.errors import DataError, OutputError
from seqloom.lock import locked
from seqloom.storage import flush, replace_file

PIECE = 1 << 16
LARGEST = 1 << 28
"""Bytes of a download: far more than any set has."""
SILENCE = 30.0
"""Seconds without a byte after which a home is given up."""
LONGEST = 1800.0
"""Seconds that one file may take."""
MAKERS: dict[str, Callable[..., dict[str, str]]] = {"cmudict": pronunciation_tables, "chinese-poetry": regulated_poems}
"""What makes files of a set out of the texts of others."""


def get(data: PublishedDataset, mirror: str = "", tell: Callable[[str], None] = print) -> list[Path]:
    """The files of a set, all of them checked; those that are not on this machine are fetched first.

    mirror  `https://HOST`, asked instead of the home of the set for files of the same paths
    """
    kept = data_folders()[-1] / data.name
    if missing(data):
        if not data.url:
            what = "the original source no longer has this file, so it cannot be downloaded"
            raise DataError(what, where=f"{SCHEME}{data.name}", remedy=by_hand(data, kept))
        with locked(kept.with_name(f".{data.name}.lock"), "is fetching the same data set"), scratch(kept) as temporary:
            for file in missing(data):
                if file.made_from:
                    make(file, data, kept)
                else:
                    tell(f"fetching {data.name}/{file.name}")
                    fetch(file, data, kept, temporary, mirror)
    found = [data.path(file) for file in data.files]
    as_published = [check(path, file, data, tell) for path, file in zip(found, data.files.values())]
    if all(as_published):
        tell("checked: the SHA-256 of every file is as published")
    return found


def missing(data: PublishedDataset) -> list[PublishedFile]:
    return [file for file in data.files.values() if data.find(file.name) is None]


@contextmanager
def scratch(kept: Path) -> Iterator[Path]:
    """A folder for what is not whole yet, on the same disk; one that a killed process left goes first."""
    try:
        kept.mkdir(parents=True, exist_ok=True)
        for left in kept.glob(".fetching-*"):
            shutil.rmtree(left, ignore_errors=True)
        with TemporaryDirectory(prefix=".fetching-", dir=kept) as folder:
            yield Path(folder)
    except OSError as error:
        what = f"cannot write {kept}: {error.strerror or error}"
        raise OutputError(what, remedy="make room on the disk, or name another folder in SEQLOOM_DATA") from error
    finally:
        if kept.is_dir() and not any(kept.iterdir()):
            kept.rmdir()


def check(path: Path, file: PublishedFile, data: PublishedDataset, tell: Callable[[str], None]) -> bool:
    """Hold a file that is there to its SHA-256; one that nobody can download may be another edition."""
    if content_hash(path, file.size) == file.sha256:
        return True
    if not data.url:
        tell(f"{path} is another edition than the one that our results were measured on")
        return False
    remedy = f"delete it and download it again: rm {path}"
    raise DataError("is not the published file: its SHA-256 differs", where=str(path), remedy=remedy)


def content_hash(path: Path, size: int) -> str:
    """SHA-256 of what is in a file, unpacked if it is gzip; empty if that is damaged or longer than `size`."""
    found, read = sha256(), 0
    with path.open("rb") as raw:
        packed = raw.read(len(GZIP)) == GZIP
    try:
        with gzip.open(path) if packed else path.open("rb") as stream:
            while read <= size and (piece := stream.read(PIECE)):
                found.update(piece)
                read += len(piece)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return ""
    return found.hexdigest() if read == size else ""


def make(file: PublishedFile, data: PublishedDataset, kept: Path) -> None:
    """Write a file of a set that is made from others, which are there."""
    texts = []
    for name in file.made_from:
        source = data.path(name)
        check(source, data.files[name], data, print)
        with gzip.open(source) if source.suffix == ".gz" else source.open("rb") as stream:
            texts.append(stream.read().decode("utf-8"))
    replace_file(kept / file.name, MAKERS[data.name](*texts)[file.name].encode())


def fetch(file: PublishedFile, data: PublishedDataset, kept: Path, temporary: Path, mirror: str) -> None:
    """Download a file, check it, and only then give it its name."""
    url = data.url.format(file=file.name)
    downloaded = temporary / sha256(url.encode()).hexdigest()  # files of one archive share it
    try:
        if not downloaded.exists():
            download(mirrored(url, mirror), downloaded)
    except (URLError, HTTPException, ConnectionError, TimeoutError, ssl.SSLError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"cannot be downloaded: {reason}", where=url, remedy=by_hand(data, kept)) from None
    whole = unpacked(downloaded, temporary / file.name, file) if file.member else downloaded
    if whole is None or content_hash(whole, file.size) != file.sha256:
        what = f"the downloaded file is not the published one: the SHA-256 of {file.name} differs"
        raise DataError(what, where=url, remedy=f"try again later, or {by_hand(data, kept)}")
    flush(whole)
    with whole.open("rb") as stream:
        packed = stream.read(len(GZIP)) == GZIP
    os.replace(whole, kept / (f"{file.name}.gz" if packed else file.name))
    flush(kept)


def mirrored(url: str, mirror: str) -> str:
    return quote(mirror.rstrip("/") + urlsplit(url).path if mirror else url, safe=":/%")


def download(url: str, target: Path) -> None:
    """The bytes at an address, in bounded size and time; a file that is cut off is an error."""
    deadline, size = time.monotonic() + LONGEST, 0
    part = target.with_suffix(".part")
    with urlopen(Request(url, headers={"User-Agent": "seqloom"}), timeout=SILENCE) as answer, part.open("wb") as stream:
        promised = int(answer.headers.get("Content-Length") or 0)
        while piece := answer.read(PIECE):
            size += len(piece)
            if size > LARGEST:
                raise URLError(f"more than {LARGEST:,} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError(f"not done after {LONGEST:,.0f} seconds")
            stream.write(piece)
    if size < promised:
        raise ConnectionError(f"the connection ended after {size:,} of {promised:,} bytes")
    part.rename(target)


def unpacked(archive: Path, target: Path, file: PublishedFile) -> Path | None:
    """A member of a zip or tar archive as a file; None if there is none, or it is longer than it may be."""
    try:
        with member_of(archive, file.member) as stream, target.open("wb") as written:
            held = stream.read(file.size + 1)
            written.write(held)
    except (KeyError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error):
        return None
    return target if len(held) == file.size else None


@contextmanager
def member_of(archive: Path, name: str) -> Iterator[IO[bytes]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened, opened.open(name) as stream:
            yield stream
    else:
        with tarfile.open(archive) as tar:
            found = tar.extractfile(name)
            if found is None:
                raise KeyError(name)
            yield found


def by_hand(data: PublishedDataset, kept: Path) -> str:
    """How to bring the files without us: what to download, and where to put it."""
    needed = [file for file in missing(data) if not file.made_from]
    if data.by_hand:
        names = " and ".join(file.name for file in needed)
        return indented(f"bring it by hand, from {data.home}:", *data.by_hand.split("\n"), f"put {names} into {kept}")
    lines = {
        f"{data.url.format(file=file.name)}" + (f" (take {file.member} out of it)" if file.member else ""): None
        for file in needed
    }
    return indented("bring it by hand: download", *lines, f"into {kept}, then: seqloom data get {data.name}")


def indented(*lines: str) -> str:
    return "\n       ".join(lines)  # below the arrow of an error
