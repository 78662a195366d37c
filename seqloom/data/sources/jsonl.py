"""JSON: one object per line, or a file that is one array of objects; values are texts, numbers, or lists of them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import BOM, LONGER, open_bytes, read_lines
from seqloom.data.record import Place, Record
from seqloom.data.typed_values import as_columns

PIECE = 1 << 16
"""Bytes read together."""
ARRAY = 'write an array of objects, as in [{"text": "...", "label": "..."}]'
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
            if number == 1 and line.lstrip()[:1] == "{":  # one object for all records, or one that is broken over lines
                columns = columns._replace(remedy=f"{ONE_OBJECT}, or {ARRAY}")
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


def is_array(file: Path) -> bool:
    """Whether a file is an array of objects, and not one object per line."""
    with open_bytes(file) as stream:
        start = stream.read(PIECE).removeprefix(BOM).lstrip()
    return start[:1] == b"[" and start[1:].lstrip()[:1] in (b"{", b"]")


def read_json_array(file: Path, policy: Policy | None = None, asked: Collection[str] | None = None) -> Iterator[Record]:
    """The objects of an array, one at a time; the place of each is the line on which it begins."""
    policy = policy or Policy()
    decoder, name = json.JSONDecoder(), str(file)
    with open_bytes(file) as stream:
        text = ArrayText(stream, policy.longest_line)
        text.skip("[")
        while (start := text.skip(",")) not in ("]", ""):
            place = Place(name, text.line)
            found, problem = text.take(decoder)
            if problem is not None:
                policy.bad(place, problem)
                return  # where the next object begins is not known
            columns = as_columns(found, asked) if isinstance(found, dict) else not_an_object(found)
            if isinstance(columns, Problem):
                policy.bad(place, columns)
            else:
                yield Record(columns, place)
        if start == "":
            policy.bad(Place(name, text.line), Problem("not JSON", "the array is not closed", "end it with ]"))


class ArrayText:
    """The text of an array, read as far as it is needed."""

    def __init__(self, stream: BinaryIO, longest: int) -> None:
        self.stream, self.longest, self.line = stream, longest, 1
        self.decode = codecs.getincrementaldecoder("utf-8-sig")(errors="replace").decode
        self.held, self.ended = "", False

    def read(self) -> None:
        piece = self.stream.read(max(PIECE, len(self.held)))  # twice as much each time
        self.ended = not piece
        self.held += self.decode(piece, final=self.ended)

    def skip(self, mark: str) -> str:
        """Pass over white space and one mark; the character behind it, or nothing at the end."""
        passed = 0
        while True:
            rest = self.held.lstrip()
            self.line += self.held.count("\n", 0, len(self.held) - len(rest))
            self.held = rest
            if not rest and not self.ended:
                self.read()
            elif rest[:1] == mark and not passed:
                self.held, passed = rest[1:], 1
            else:
                return rest[:1]

    def take(self, decoder: json.JSONDecoder) -> tuple[Any, Problem | None]:
        """The next value, or what is wrong with it."""
        while True:
            try:
                found, end = decoder.raw_decode(self.held)
            except json.JSONDecodeError as error:
                if self.ended:
                    at = self.line + self.held.count("\n", 0, error.pos)
                    return None, Problem("not JSON", f"{error.msg}, line {at}", ARRAY)
            except (ValueError, RecursionError) as error:
                return None, Problem("not JSON", str(error), ARRAY)
            else:
                self.line += self.held.count("\n", 0, end)
                self.held = self.held[end:]
                return found, None
            if len(self.held) > 4 * self.longest:
                return None, Problem("overlong object", f"over {self.longest:,} characters", LONGER)
            self.read()


def not_an_object(found: object) -> Problem:
    return Problem("not an object", f"a {type(found).__name__}", ARRAY)
