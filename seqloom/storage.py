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

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from seqloom.errors import DamagedError, OutputError

MANIFEST = "manifest.json"
FORMAT = 1
"""Counts up when a folder can no longer be read by older versions of seqloom."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill; when the block ends well it gets its manifest and appears at `target` at once."""
    part = target.with_name(f".{target.name}.part")
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


@contextmanager
def replaced(target: Path) -> Iterator[BinaryIO]:
    """A stream to write a file with: the file is the old one or, when the block ends well, the new one."""
    part = target.with_name(f".{target.name}.part")
    try:
        with part.open("wb") as stream:
            yield stream
        flush(part)
        os.replace(part, target)
        flush(target.parent)
    except OSError as error:
        remedy = "make room on the disk or choose another place"
        raise OutputError(f"cannot write {target}: {error.strerror or error}", remedy=remedy) from error
    finally:
        with suppress(OSError):
            part.unlink()


def replace_file(target: Path, data: bytes) -> None:
    """Write a file so that it is the old one or the new one, whatever happens."""
    with replaced(target) as stream:
        stream.write(data)


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
    """Name every file of a folder with its SHA-256, but for hidden ones: a lock is not part of what was made."""
    kept = [
        file for file in sorted(folder.iterdir()) if file.is_file() and file.name[0] != "." and file.name != MANIFEST
    ]
    files = {file.name: digest(file) for file in kept}
    write_json(folder / MANIFEST, {"format": FORMAT, "files": files})


def verify(folder: Path) -> None:
    """Raise `DamagedError` unless every file is there and as it was written."""
    if not folder.is_dir():
        raise DamagedError(f"{folder} is not a folder", remedy="give the folder of a trained model")
    if not (folder / MANIFEST).is_file():
        raise DamagedError(f"{folder} has no {MANIFEST}", remedy="give the folder of a trained model")
    manifest = read_json(folder / MANIFEST)
    if manifest.get("format") != FORMAT:
        raise DamagedError(
            f"{folder} has format {manifest.get('format')}, this seqloom reads {FORMAT}",
            remedy="install a newer seqloom",
        )
    files = manifest.get("files")
    if not isinstance(files, dict) or not files:
        raise DamagedError(f"{folder / MANIFEST} names no files", remedy="copy the folder again")
    for name, expected in files.items():
        file = folder / name
        if Path(name).name != name or not file.is_file():
            raise DamagedError(f"{file} is missing", remedy="copy the folder again, or go on from an older one")
        if digest(file) != expected:
            raise DamagedError(f"{file} is damaged: it is not what was written", remedy="copy the folder again")


def write_json(file: Path, data: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedError(f"{file} cannot be read: {error}", remedy="copy the folder again") from error
    if not isinstance(data, dict):
        raise DamagedError(f"{file} is no JSON object", remedy="copy the folder again")
    return data


def write_tensors(file: Path, tensors: Mapping[str, Tensor]) -> None:
    """Tensors as safetensors: data only, nothing that runs."""
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, file)


def read_tensors(file: Path) -> dict[str, Tensor]:
    try:
        return load_file(file)
    except (OSError, SafetensorError) as error:
        raise DamagedError(f"{file} cannot be read: {error}", remedy="copy the folder again") from error
