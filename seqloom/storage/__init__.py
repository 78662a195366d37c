"""What is kept on disk: folders that are whole or not there, and their files read as if a stranger had written them."""

from seqloom.storage.model_files import Container, Folder, ModelFiles, open_files, read_json
from seqloom.storage.pack import SUFFIX, Pack, is_pack, write_pack
from seqloom.storage.tensor_file import TensorInfo, read_tensors, write_tensors
from seqloom.storage.writing import (
    FORMAT,
    MANIFEST,
    digest,
    flush,
    new_folder,
    output_errors,
    replace_file,
    replaced,
    unfinished,
    write_json,
    write_manifest,
    write_output,
)

__all__ = [
    "FORMAT",
    "MANIFEST",
    "SUFFIX",
    "Container",
    "Folder",
    "ModelFiles",
    "Pack",
    "TensorInfo",
    "digest",
    "flush",
    "is_pack",
    "new_folder",
    "open_files",
    "output_errors",
    "read_json",
    "read_tensors",
    "replace_file",
    "replaced",
    "unfinished",
    "write_json",
    "write_manifest",
    "write_output",
    "write_pack",
    "write_tensors",
]
