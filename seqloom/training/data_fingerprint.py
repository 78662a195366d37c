"""What the data of a run was when it began: a hash of each file, kept in the run, so that it goes on with the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from seqloom.data.corpus import content_of
from seqloom.data.splits import Records
from seqloom.errors import DataError
from seqloom.storage import ModelFiles, write_json

FILE = "data.json"


def write_data_fingerprint(folder: Path, parts: Mapping[str, Records]) -> None:
    """Write down what was read, before anything is learned from it."""
    write_json(folder / FILE, {"files": hashes_of(parts)})


def hashes_of(parts: Mapping[str, Records]) -> dict[str, str]:
    """Every file of the data, each with the hash of its content."""
    files = dict.fromkeys(file for records in parts.values() for file in records.files)
    return {str(file): sha256(json.dumps(content_of(file)).encode()).hexdigest() for file in files}


def check_data(setup: ModelFiles, parts: Mapping[str, Records]) -> None:
    """Raise `DataError` if a file is not what it was when the run began; runs of older versions do not say."""
    if FILE not in setup:
        return
    then, now = setup.json(FILE).get("files"), hashes_of(parts)
    if then == now or not isinstance(then, dict):
        return
    others = [name for name in dict.fromkeys([*then, *now]) if then.get(name) != now.get(name)]
    name = others[0]
    what = "was not there" if name not in then else "is not there any more" if name not in now else "has changed"
    more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
    raise DataError(
        f"{what} since this run began{more}",
        where=name,
        remedy="put it back as it was, or train in another folder (out)",
    )
