"""Tensors as safetensors: a header of names, kinds, shapes and places, then the numbers; nothing that runs.

The header is checked before a number is looked at, so a model can be held to its weights before it is built.
"""

from __future__ import annotations

import errno
import math
import os
import stat
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from seqloom.errors import DamagedError, quoted
from seqloom.storage.checked_json import parse_object
from seqloom.storage.mapped_file import map_file

if TYPE_CHECKING:
    from torch import Tensor

HEADER_BYTES = 1 << 24
MOST_DIMENSIONS = 8
METADATA = "__metadata__"
"""The one entry of a header that is no tensor: texts by name."""
DTYPES = {
    "F64": ("float64", 8),
    "F32": ("float32", 4),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "I64": ("int64", 8),
    "I32": ("int32", 4),
    "I16": ("int16", 2),
    "I8": ("int8", 1),
    "U8": ("uint8", 1),
}
"""The kinds of numbers that are read: torch's name and bytes of each."""


class TensorInfo(NamedTuple):
    """A tensor before its numbers are read."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def tensor_infos(data: memoryview, where: str) -> dict[str, TensorInfo]:
    """The tensors of the header: each inside the file, none over another, and nothing between them."""
    header, end = read_header(data, where)
    header.pop(METADATA, None)
    found = {name: tensor_info(name, entry, end, where) for name, entry in header.items()}
    ends = [(end, end), *sorted((info.start, info.end) for info in found.values()), (len(data), len(data))]
    if any(before[1] != after[0] for before, after in pairwise(ends)):
        raise damaged(where, "its tensors do not fill it")
    return found


def metadata_in(data: memoryview, where: str) -> dict[str, Any]:
    """What the header says beside tensors."""
    found = read_header(data, where)[0].get(METADATA)
    return found if isinstance(found, dict) else {}


def read_header(data: memoryview, where: str) -> tuple[dict[str, Any], int]:
    """The object that a file begins with, and where it ends."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or not 2 <= size <= min(HEADER_BYTES, len(data) - 8):
        raise damaged(where, "its header does not fit")
    return parse_object(data[8 : 8 + size], where, HEADER_BYTES), 8 + size


def tensor_info(name: str, entry: Any, offset: int, where: str) -> TensorInfo:
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [int(start), int(end)]} if dtype in DTYPES:
            right = len(shape) <= MOST_DIMENSIONS and all(type(side) is int and 0 <= side < 2**40 for side in shape)
            if right and 0 <= start <= end and end - start == math.prod(shape) * DTYPES[dtype][1]:
                return TensorInfo(dtype, tuple(shape), offset + start, offset + end)
    raise damaged(where, f"its tensor {quoted(name)} cannot be")


def tensors_in(data: memoryview, where: str) -> dict[str, Tensor]:
    """Every tensor by name, on the memory of `data`."""
    import torch

    def tensor(info: TensorInfo) -> Tensor:
        dtype = getattr(torch, DTYPES[info.dtype][0])
        if info.start == info.end:
            return torch.empty(info.shape, dtype=dtype)
        flat = torch.frombuffer(data[info.start : info.end], dtype=torch.uint8)
        aligned = flat if flat.data_ptr() % DTYPES[info.dtype][1] == 0 else flat.clone()
        return aligned.view(dtype).view(info.shape)

    return {name: tensor(info) for name, info in tensor_infos(data, where).items()}


def damaged(where: str, what: str) -> DamagedError:
    return DamagedError(f"is damaged: {what}", where=where, remedy="copy the folder again")


def read_tensors(file: Path) -> dict[str, Tensor]:
    """The tensors of one file of our own, which stands in no manifest."""
    data = map_file(file)
    if data is None:
        raise DamagedError(f"{file} is missing", remedy="copy the folder again")
    return {name: tensor.clone() for name, tensor in tensors_in(data, str(file)).items()}


def write_tensors(file: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str] | None = None) -> None:
    """Tensors into a file with the rights of any other; `OSError` if there is no room.

    It is the old file or the new one: whoever has mapped the old one keeps it.
    """
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    part = file.with_name(f".{file.name}.part")
    try:
        with part.open("wb") as stream:
            rights = os.fstat(
                stream.fileno()
            ).st_mode  # of any file of this user; the library's are for the owner alone
        save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, part, metadata)
        part.chmod(stat.S_IMODE(rights))
        os.replace(part, file)
    except SafetensorError as error:
        raise as_os_error(error) from error
    finally:
        part.unlink(missing_ok=True)


def as_os_error(error: Exception) -> OSError:
    """What the library says of the disk, as the system says it."""
    text = str(error)
    number = next(
        (code for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO) if os.strerror(code) in text), 0
    )
    return OSError(number or errno.EIO, os.strerror(number) if number else text)
