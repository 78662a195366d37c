"""What a model gets wrong on its validation part: a sample of it, each example with its loss."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from seqloom.data.record import Record
from seqloom.data.source import open_source
from seqloom.engines.engine_module import check_in_torch
from seqloom.errors import DataError
from seqloom.explaining.walkthrough import check_wanted
from seqloom.tasks.review import Reviewed
from seqloom.training.model import Model

EXAMPLES = 500
"""Examples that are looked at, drawn from those that are read."""
RECORDS = 20_000
"""Records of the validation part that are read at most."""
FILE_BYTES = 256 << 20
"""Of training data that the validation part is cut from: all of it may have to be read."""
CHARACTERS = 4_000
"""Of an input or an answer that are shown."""
REPLY_CHARACTERS = 1_000_000
"""Of all examples together."""
SECONDS = 8.0
"""After which no more examples are looked at."""
AT_ONCE = 100
"""Examples in a batch, after which it is seen whether there is time for another."""

PICTURE = "data:image/"
"""How a picture begins that an input is."""

known: WeakKeyDictionary[Model, dict[str, Any]] = WeakKeyDictionary()
"""What was found, for as long as a model is in memory: neither it nor its validation part changes."""


def data_errors(model: Model, wanted: Callable[[], bool]) -> dict[str, Any]:
    """Examples with the largest loss first; `read` says from how many they were drawn, `all` whether those were all."""
    if model not in known:
        known[model] = looked_at(model, wanted)
    return known[model]


def looked_at(model: Model, wanted: Callable[[], bool]) -> dict[str, Any]:
    check_in_torch(model.network)
    records, read, ended = drawn(model, wanted)
    found: list[dict[str, Any]] = []
    characters, until = 0, time.monotonic() + SECONDS
    model.network.eval()
    for first in range(0, len(records), AT_ONCE):
        check_wanted(wanted)
        some = records[first : first + AT_ONCE]
        new = [shown(one, record) for one, record in zip(model.task.review(model.network, some), some, strict=True)]
        characters += sum(len(one[name]) for one in new for name in ("input", "expected", "predicted", "picture"))
        found += new
        if characters > REPLY_CHARACTERS or time.monotonic() > until:
            break
    found.sort(key=lambda one: -one["loss"])
    return {"part": "valid", "read": read, "all": ended and len(found) == read, "examples": found}


def drawn(model: Model, wanted: Callable[[], bool]) -> tuple[list[Record], int, bool]:
    """Records of the validation part, each as likely as any other, in random order; how many were read; if all."""
    check_size(model)
    draw, kept, read = random.Random(0), list[Record](), 0
    records = iter(model.kept_aside("valid"))
    for record in islice(records, RECORDS):
        check_wanted(wanted)
        if is_blank(record):
            continue
        read += 1
        place = draw.randrange(read)
        if len(kept) < EXAMPLES:
            kept.append(record)
        elif place < EXAMPLES:
            kept[place] = record
    draw.shuffle(kept)
    return kept, read, next(records, None) is None


def is_blank(record: Record) -> bool:
    """Whether there is nothing to read in it, as in the empty lines of a text."""
    return all(isinstance(value, str) and not value.strip() for value in record.columns.values())


def check_size(model: Model) -> None:
    """Refuse to read gigabytes for a page; a validation part in files of its own is read no further than needed."""
    data = model.config.data
    if data.valid or not (model.own and data.train):
        return
    files = open_source(data.train, task=model.task.columns, **data.how()).files
    size = sum(Path(file).stat().st_size for file in files)
    if size > FILE_BYTES:
        what = f"the validation part is cut from {size >> 20:,} MiB of training data"
        raise DataError(what, remedy="measure it with `seqloom evaluate`, or train with data.valid, a file of its own")


def shown(one: Reviewed, record: Record) -> dict[str, Any]:
    """An example as plain data. What is no text (frames, columns) is named by its place, and cannot be typed."""
    given = one.input if isinstance(one.input, list | tuple) else [one.input]
    text = " ".join(given) if all(isinstance(part, str) for part in given) else ""
    picture = text if text.startswith(PICTURE) else ""
    text = "" if picture else text
    return {
        "input": (text or str(record.place))[:CHARACTERS],
        "typed": bool(text),
        "picture": picture,
        "cut": len(text) > CHARACTERS,
        "expected": one.expected[:CHARACTERS],
        "predicted": one.predicted[:CHARACTERS],
        "loss": round(min(one.loss, 1e6), 5),
        "length": one.length,
        "right": one.right,
        "true": list(one.true),
        "given": list(one.given),
    }
