"""The files of a model, whoever made it: regular ones that the manifest names, in bounds, as they were written.

A `Container` holds named bytes: a folder, or a packed file. `ModelFiles` is the one reader over it: what the manifest
does not name is not there, and every byte is handed out only after its SHA-256 was found right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from seqloom.errors import DamagedError, quoted
from seqloom.storage.checked_json import parse_object
from seqloom.storage.mapped_file import map_file
from seqloom.storage.pack import Pack, is_pack
from seqloom.storage.tensor_file import TensorInfo, metadata_in, tensor_infos, tensors_in
from seqloom.storage.writing import FORMAT, MANIFEST

if TYPE_CHECKING:
    from torch import Tensor

MANIFEST_BYTES = 1 << 20
MOST_FILES = 1_000
NAME = re.compile(r"[^\0/\\:.][^\0/\\:]{0,200}")
"""A file beside the manifest; nothing hidden, and no path to anywhere else."""
SHA256 = re.compile(r"[0-9a-f]{64}")
AGAIN = "copy the folder again, or go on from an older one"


class Container(Protocol):
    """Named bytes side by side: what a `ModelFiles` reads from."""

    place: Path
    """Where it is, as errors name it."""

    def map(self, name: str) -> memoryview | None:
        """The bytes of one entry, mapped rather than read; None where there is none of this name."""
        ...


class Folder:
    """A folder whose files are mapped: regular files only, no link, no pipe, no device."""

    def __init__(self, place: Path) -> None:
        self.place = place
        if not place.is_dir():
            raise DamagedError(f"{place} is not a folder", remedy="give the folder of a trained model, or a pack")

    def map(self, name: str) -> memoryview | None:
        return map_file(self.place / name)


class ModelFiles:
    """The files that a manifest names, each checked when it is first asked for."""

    def __init__(self, container: Container) -> None:
        self.container, self.place = container, container.place
        self.hashes = self.read_manifest()
        self.checked: dict[str, memoryview] = {}

    def read_manifest(self) -> Mapping[str, str]:
        data = self.container.map(MANIFEST)
        if data is None:
            raise DamagedError(f"{self.place} has no {MANIFEST}", remedy="give the folder of a trained model")
        manifest = parse_object(data, str(self.place / MANIFEST), MANIFEST_BYTES)
        if manifest.get("format") != FORMAT:
            what = f"{self.place} has format {quoted(manifest.get('format'))}, this seqloom reads {FORMAT}"
            raise DamagedError(what, remedy="install a newer seqloom")
        files = manifest.get("files")
        if not isinstance(files, dict) or not 0 < len(files) <= MOST_FILES:
            raise DamagedError(f"{self.place / MANIFEST} names no files", remedy="copy the folder again")
        for name, mark in files.items():
            if not NAME.fullmatch(name) or not isinstance(mark, str) or not SHA256.fullmatch(mark):
                what = f"{self.place / MANIFEST} names {quoted(name)}, which is not a file of a model"
                raise DamagedError(what, remedy="copy the folder again, or ask whoever made it")
        return files

    @property
    def names(self) -> list[str]:
        """The files that there are."""
        return list(self.hashes)

    def __contains__(self, name: object) -> bool:
        return name in self.hashes

    def verify(self) -> None:
        """Raise `DamagedError` unless every file is there and as it was written."""
        for name in self.hashes:
            self.map(name)

    def map(self, name: str) -> memoryview:
        """The bytes of a file, found to be those that were written."""
        if name not in self.checked:
            found = self.container.map(name) if name in self.hashes else None
            if found is None:
                raise DamagedError(f"{self.place / name} is missing", remedy=AGAIN)
            if sha256(found).hexdigest() != self.hashes[name]:
                what = f"{self.place / name} is damaged: it is not what was written"
                raise DamagedError(what, remedy="copy the folder again")
            self.checked[name] = found
        return self.checked[name]

    def size(self, name: str) -> int:
        """Bytes of a file."""
        return len(self.map(name))

    def json(self, name: str) -> dict[str, Any]:
        """The object in a JSON file."""
        return parse_object(self.map(name), str(self.place / name))

    def tensor_infos(self, name: str) -> dict[str, TensorInfo]:
        """The tensors of a safetensors file by name: their shapes and kinds, without their numbers."""
        return tensor_infos(self.map(name), str(self.place / name))

    def metadata(self, name: str) -> dict[str, Any]:
        """What the header of a safetensors file says beside tensors."""
        return metadata_in(self.map(name), str(self.place / name))

    def tensors(self, name: str) -> dict[str, Tensor]:
        """The tensors of a safetensors file, on the mapped memory: to be copied from."""
        return tensors_in(self.map(name), str(self.place / name))


def open_files(place: Path) -> ModelFiles:
    """The files of a trained model, its folder or a pack; nothing but the manifest is read yet."""
    return ModelFiles(Pack(place) if is_pack(place) else Folder(place))


def read_json(file: Path) -> dict[str, Any]:
    """The object in one JSON file of our own, which stands in no manifest."""
    data = map_file(file)
    if data is None:
        raise DamagedError(f"{file} is missing", remedy="copy the folder again")
    return parse_object(data, str(file))
