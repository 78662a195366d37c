"""Inputs that a model was trained for, so that a page has something to begin with; a pack keeps a few of them."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from seqloom.data.datasets import SCHEME
from seqloom.data.record import Record
from seqloom.data.source import open_source
from seqloom.errors import SeqloomError
from seqloom.storage import open_files

if TYPE_CHECKING:
    from seqloom.training.model import Model

FILE = "examples.json"
LOOKED_AT = 40
"""Records of the training data among which some are chosen."""
GOOD_LENGTH = range(14, 64)
"""Characters of an input that is neither dull nor long."""
PROMPT_WORDS = 3
"""Words of a text that a language model goes on with."""
KEPT, LONGEST = 8, 200
"""Inputs that a pack keeps, and characters of each, at most."""


def training_records(model: Model) -> list[Record]:
    """The first of its training data, where that still is; files that somebody else's model names are not opened."""
    data = model.config.data
    if not data.train or not model.own:
        return []
    try:
        return list(islice(open_source(data.train, task=model.task.columns, **data.how()), LOOKED_AT))
    except (SeqloomError, OSError):
        return []


def training_inputs(model: Model) -> list[str]:
    """Texts of its training data: those that are good to look at, or else all."""
    try:
        texts = [str(model.task.as_request(record)) for record in training_records(model)]
    except (SeqloomError, OSError):
        return []
    if model.task.generates_text and "text" in model.task.columns.roles:
        texts = [" ".join(text.split()[:PROMPT_WORDS]) for text in texts]
    texts = [text for text in texts if text]
    return [text for text in texts if len(text) in GOOD_LENGTH] or texts


def inputs_to_pack(model: Model, wanted: bool | None) -> list[str]:
    """A few inputs that may go with a pack: of data that everybody has, of one's own only if that is `wanted`."""
    given = model.config.data.train
    public = isinstance(given, str) and given.startswith((SCHEME, "embedded:"))
    if wanted is False or not (wanted or public) or reads_pictures(model):
        return []
    fitting = [text for text in dict.fromkeys(training_inputs(model)) if len(text) <= LONGEST]
    return fitting[:KEPT] or packed_inputs(model)


def write_inputs(folder: Path, inputs: list[str]) -> None:
    if inputs:
        (folder / FILE).write_text(json.dumps({"inputs": inputs}, ensure_ascii=False, indent=1), encoding="utf-8")


def packed_inputs(model: Model) -> list[str]:
    """Those that came with a pack."""
    if model.folder is None:
        return []
    try:
        files = open_files(model.folder)
        found = files.json(FILE).get("inputs") if FILE in files else None
    except (SeqloomError, OSError):  # a run that was stopped has no manifest yet
        return []
    if not isinstance(found, list):
        return []
    return [text for text in found[:KEPT] if isinstance(text, str) and 0 < len(text) <= LONGEST]


def reads_pictures(model: Model) -> bool:
    return "image" in model.task.columns.roles
