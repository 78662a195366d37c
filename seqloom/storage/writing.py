"""Folders that are whole or not there: written aside, flushed to the disk, then renamed; SHA-256 of every file.

A model or a checkpoint is a folder of safetensors and JSON with a `manifest.json`. Whatever interrupts the writing,
a reader sees the old folder, or the new one, or none; and it can tell a damaged file by its hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from seqloom.errors import OutputError

MANIFEST = "manifest.json"
FORMAT = 1
"""Counts up when a folder can no longer be read by older versions of seqloom."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill; when the block ends well it gets its manifest and appears at `target` at once."""
    part = unfinished(target)
    try:
        shutil.rmtree(part, ignore_errors=True)  # left by a process that was killed while writing
        part.mkdir(parents=True)
        yield part
        write_manifest(part)
        for file in part.iterdir():
            flush(file)
        flush(part)
        os.rename(part, target)
        flush(target.parent)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise OutputError(
            f"cannot write {target}: {error.strerror or error}",
            remedy="make room on the disk or choose another place; what was written before is still whole",
        ) from error
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def unfinished(target: Path) -> Path:
    """Where a folder or a file stands while it is written."""
    return target.with_name(f".{target.name}.part")


@contextmanager
def output_errors(target: Path) -> Iterator[None]:
    """While something is written: what the system says is an `OutputError`."""
    try:
        yield
    except OSError as error:
        remedy = "make room on the disk or choose another place"
        raise OutputError(f"cannot write {target}: {error.strerror or error}", remedy=remedy) from error


@contextmanager
def replaced(target: Path) -> Iterator[BinaryIO]:
    """A stream to write a file with: the file is the old one or, when the block ends well, the new one."""
    part = unfinished(target)
    try:
        with output_errors(target):
            with part.open("wb") as stream:
                yield stream
            flush(part)
            os.replace(part, target)
            flush(target.parent)
    finally:
        with suppress(OSError):
            part.unlink()


def replace_file(target: Path, data: bytes | memoryview) -> None:
    """Write a file so that it is the old one or the new one, whatever happens."""
    with replaced(target) as stream:
        stream.write(data)


def write_output(file: str | Path, data: bytes, usual: str) -> Path:
    """Write a file that a user names, in a folder that is made for it; links are followed, devices left alone.

    usual  a file name to propose where a folder was given
    """
    target = Path(file)
    if target.is_dir():
        raise OutputError(f"{target} is a folder", remedy=f"name a file in it, as {target / usual}")
    if target.exists() and not target.is_file():
        raise OutputError(f"{target} is not a regular file", remedy=f"name a file, as {usual}")
    place = target.resolve()
    with output_errors(target):
        place.parent.mkdir(parents=True, exist_ok=True)
    replace_file(place, data)
    return target


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_manifest(folder: Path) -> None:
    """Name every file of a folder with its SHA-256; no links, and nothing hidden: a lock is no part of a model."""
    kept = [file for file in sorted(folder.iterdir()) if file.name[0] != "." and file.name != MANIFEST]
    files = {file.name: digest(file) for file in kept if file.is_file() and not file.is_symlink()}
    write_json(folder / MANIFEST, {"format": FORMAT, "files": files})


def write_json(file: Path, data: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
