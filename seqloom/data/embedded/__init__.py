"""Data for a first run of every task: made on the spot from what Python and Babel bring along, nothing downloaded.

A data set is named like a path: `embedded:dates` with all its splits, or one of them, as in `embedded:dates/valid`.
"""

from __future__ import annotations

from pathlib import Path

from seqloom.data.column_roles import ForTask, columns_of, roles_of
from seqloom.data.embedded.cmudict import CMUDICT
from seqloom.data.embedded.data_set import SCHEME, EmbeddedDataset
from seqloom.data.embedded.dates import DATES
from seqloom.data.embedded.digits import DIGITS, DIGITS_ZH
from seqloom.data.embedded.names import NAMES
from seqloom.data.embedded.python_code import PYTHON_CODE
from seqloom.data.embedded.python_docs import PYTHON_DOCS
from seqloom.data.embedded.python_tokens import PYTHON_TOKENS
from seqloom.data.sources.folders import SPLITS
from seqloom.errors import DataError, UnknownName

EMBEDDED: dict[str, EmbeddedDataset] = {
    data.name: data for data in (DATES, NAMES, PYTHON_TOKENS, PYTHON_DOCS, PYTHON_CODE, DIGITS, DIGITS_ZH, CMUDICT)
}


def is_embedded(where: object) -> bool:
    """Whether a path names embedded data.

    >>> is_embedded("embedded:dates"), is_embedded("dates.tsv")
    (True, False)
    """
    return isinstance(where, str | Path) and str(where).startswith(SCHEME)


def find_embedded(where: str | Path) -> tuple[EmbeddedDataset, str]:
    """The data set that a path names, and the split; empty where it names none."""
    name, _, split = str(where).removeprefix(SCHEME).partition("/")
    if name not in EMBEDDED:
        known = ", ".join(f"{SCHEME}{known}" for known in EMBEDDED)
        raise UnknownName("embedded data set", name, EMBEDDED, remedy=f"there are: {known}")
    data = EMBEDDED[name]
    split = SPLITS.get(split.lower(), split)
    if split and split not in data.splits:
        named = ", ".join(data.path(known) for known in data.splits)
        raise DataError(f"there is no split {split!r}", where=str(where), remedy=f"there are: {named}")
    return data, split


def embedded_split(where: str | Path, task: ForTask) -> tuple[EmbeddedDataset, str]:
    """The data set and one split of it: that which is named, else the last, which is for testing."""
    data, split = find_embedded(where)
    if task is not None and not {*roles_of(task)} <= {*roles_of(data.task)}:
        wanted = columns_of(task).task
        fitting = ", ".join(f"{SCHEME}{name}" for name, other in EMBEDDED.items() if other.task == wanted)
        remedy = f"set the task to {data.task}" + (f", or for {wanted} take {fitting}" if fitting else "")
        raise DataError(f"is data for the task {data.task}, not for {wanted}", where=str(where), remedy=remedy)
    return data, split or list(data.splits)[-1]
