"""JSON lines: one object per line, its values texts, numbers, or lists of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import read_lines
from seqloom.data.record import Place, Record
from seqloom.data.typed_values import as_columns

ONE_OBJECT = 'write one object per line, as in {"text": "...", "label": "..."}'


def read_jsonl(file: Path, policy: Policy | None = None, asked: Collection[str] | None = None) -> Iterator[Record]:
    """The keys are the columns; only those `asked` for need values that can be used, by default all."""
    policy = policy or Policy()
    name = str(file)
    for number, line in read_lines(file, policy):
        if not line.strip():
            policy.note(Place(name, number), "empty line")
            continue
        found = parse(line)
        columns = as_columns(found, asked) if isinstance(found, dict) else found
        if isinstance(columns, Problem):
            policy.bad(Place(name, number), columns)
        else:
            yield Record(columns, Place(name, number))


def parse(line: str) -> dict[str, Any] | Problem:
    """
    >>> parse("[1, 2]").what
    'not an object: a list'
    """
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        return Problem("not JSON", f"{error.msg}, character {error.pos + 1} of the line", ONE_OBJECT)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits; brackets 100,000 deep
        return Problem("not JSON", str(error), ONE_OBJECT)
    if isinstance(found, dict):
        return found
    return Problem("not an object", f"a {type(found).__name__}", ONE_OBJECT)
