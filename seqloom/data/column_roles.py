"""Which column has which role in a task.

A column is found, in this order: by the name or number that the user gave it; by the name of the role; by its place,
where columns have no names and there are as many as roles, in the order of the roles; the last role without a column
takes the last column without a role; by a name that is usual for the role; by how its values look (`column_guess.py`).
Frames may stand where a text would, and several labels where one would.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias
from warnings import warn

import numpy as np

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.column_guess import SAMPLE, ahead, by_content, by_usual_name, check_order, guess_stated
from seqloom.data.pictures.files import problem_in as problem_in_picture
from seqloom.data.record import Record, Value
from seqloom.errors import DataError, SeqloomWarning, UnknownName, close_matches, quoted


@dataclass(frozen=True)
class TaskColumns:
    """The columns that a task reads."""

    task: str
    """The name of the task."""
    roles: tuple[str, ...]
    """What the columns are called, in the order in which they stand when nothing names them."""
    words: bool = False
    """Whether each is a list of words, all of the same length; such files are CoNLL if nothing else is said."""
    may_be_empty: bool = False
    """Whether an empty text is an example too, as the blank lines of a long text are."""
    problem_in: Callable[[Record], Problem | None] | None = None
    """Why else a record cannot be used; asked where such are left out, else whoever encodes it says so."""


ForTask: TypeAlias = str | TaskColumns | None
"""What data is for: the columns of a task, a task of ours by name, or nothing in particular."""

COLUMNS = {
    known.task: known
    for known in (
        TaskColumns("classify", ("label", "text")),
        TaskColumns("tag", ("tokens", "tags"), words=True),
        TaskColumns("generate", ("text",), may_be_empty=True),
        TaskColumns("translate", ("source", "target")),
        TaskColumns("caption", ("image", "caption"), problem_in=problem_in_picture),
        TaskColumns("summarise", ("source", "target")),
    )
}
"""The columns of the tasks that are known by name."""

INSTEAD = {"text": "frames", "tokens": "frames", "source": "frames", "label": "labels"}
"""What may stand where a role would, if it is asked for or is there alone."""

NAMES = frozenset(role for known in COLUMNS.values() for role in known.roles) | {"frames"}
TEXTS = ("text", "source", "target", "caption")
WORDS = ("tokens", "tags")


def columns_of(task: str | TaskColumns) -> TaskColumns:
    if isinstance(task, TaskColumns):
        return task
    if task not in COLUMNS:
        raise UnknownName("task", task, COLUMNS)
    return COLUMNS[task]


def roles_of(task: ForTask) -> tuple[str, ...]:
    return columns_of(task).roles if task is not None else ()


def reads_words(task: ForTask) -> bool:
    return task is not None and columns_of(task).words


def with_roles(
    records: Iterator[Record], task: ForTask, columns: Mapping[str, str], policy: Policy
) -> Iterator[Record]:
    """Records under the names of the roles; other columns stay, unless the user said which there are.

    A column that is no role, and is named by its own name, is kept where it is there.
    """
    if task is None and not columns:
        yield from records
        return
    roles = {*roles_of(task), *INSTEAD.values()}
    kept = [name for name, column in columns.items() if task and name == column and name not in roles]
    wanted = {role: column for role, column in columns.items() if role not in kept}
    for file, records_of_file in groupby(records, lambda record: record.place.file):  # each may have another header
        sample, all_of_file = ahead(records_of_file, 1 if columns else SAMPLE)
        chosen = choose(list(sample[0].columns), task, wanted, file, sample)
        needed = [role for role in chosen if role in roles]
        taken = {*chosen, *chosen.values()}
        for record in all_of_file:
            found = record.columns
            cast = {role: found.get(name) for role, name in chosen.items()}
            if reads_words(task):
                cast |= {role: text.split() for role, text in cast.items() if role in WORDS and isinstance(text, str)}
            problem = first_problem(cast, needed, task)
            if problem is None and policy.on_bad == "skip" and task is not None:
                problem = further_problem(Record(cast, record.place), task)
            if problem is not None:
                policy.bad(record.place, problem)
                continue
            if columns:
                cast |= {name: found[name] for name in kept if name in found}
            else:
                cast |= {name: value for name, value in found.items() if name not in taken}
            yield Record(cast, record.place)


def choose(
    names: Sequence[str], task: ForTask, columns: Mapping[str, str], file: str, sample: Sequence[Record] = ()
) -> dict[str, str]:
    """The column of each role; what the first records show is said in one line where it decides.

    >>> choose(["1", "2"], "classify", {}, "reviews.tsv")
    {'label': '1', 'text': '2'}
    >>> choose(["text", "category"], "classify", {}, "banking.csv")
    {'label': 'category', 'text': 'text'}
    """
    chosen = {role: find(name, names, file) for role, name in columns.items()}
    roles = [standing_for(role, names, columns) for role in roles_of(task)]
    by_name = {name.lower(): name for name in names if name not in chosen.values()}
    chosen |= {role: by_name[role] for role in roles if role not in chosen and role in by_name}
    missing = [role for role in roles if role not in chosen]
    left = [name for name in names if name not in chosen.values()]
    nameless = all(name.isdecimal() for name in names)
    if missing and len(missing) == len(left) and (nameless or len(missing) == 1):
        chosen |= zip(missing, left)
    elif missing:
        guess = by_usual_name(missing, left)
        rest = [role for role in missing if role not in guess]
        guess |= by_content(rest, [name for name in left if name not in guess.values()], sample)
        if len(guess) < len(missing) or len({*guess.values()}) < len(missing):
            raise undecided(missing, names, task, file)
        warn(guess_stated(guess, file), SeqloomWarning, stacklevel=2)
        chosen |= guess
    if not columns:
        check_order(chosen, sample, file)
    return {role: chosen[role] for role in [*roles, *(role for role in chosen if role not in roles)]}


def standing_for(role: str, names: Sequence[str], columns: Collection[str]) -> str:
    """The role, or what is there in its stead."""
    other = INSTEAD.get(role, role)
    there = [name.lower() for name in names]
    alone = other in there and role not in (*there, *columns)
    return other if other in columns or alone else role


def find(name: str, names: Sequence[str], file: str) -> str:
    """The column of that name, in other letters perhaps, or of that number from 1."""
    for column in names:
        if column == name:
            return column
    for column in names:
        if column.lower() == name.lower():
            return column
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return names[int(name) - 1]
    near = close_matches(name, names)
    remedy = f"did you mean {near[0]}?" if near else "name one of these in data.columns"
    raise DataError(f"no column is called {name!r}; there are: {', '.join(names)}", where=file, remedy=remedy)


def undecided(missing: Sequence[str], names: Sequence[str], task: ForTask, file: str) -> DataError:
    roles = roles_of(task)
    if task is not None and len(names) < len(roles):
        count = "one column" if len(names) == 1 else f"{len(names)} columns"
        what = f"{count} where {columns_of(task).task} needs {len(roles)}: {' and '.join(roles)}"
        return DataError(what, where=file, remedy=f"give {' and '.join(missing)} too, in a column or a file of its own")
    what = f"which column is the {' and which the '.join(missing)}? there are: {', '.join(names)}"
    example = " ".join(f"data.columns.{role}={name}" for role, name in zip(missing, names))
    return DataError(what, where=file, remedy=f"say so, as in {example}")


def first_problem(columns: Mapping[str, Value], needed: Sequence[str], task: ForTask) -> Problem | None:
    may_be_empty = task is not None and columns_of(task).may_be_empty
    for role in needed:
        value = columns[role]
        if isinstance(value, str) and value.strip():  # nearly always
            continue
        problem = problem_of(role, value, may_be_empty)
        if problem is not None:
            return problem
    return unequal(columns, needed) if reads_words(task) else None


def further_problem(record: Record, task: str | TaskColumns) -> Problem | None:
    asked = columns_of(task).problem_in
    return None if asked is None else asked(record)


def problem_of(role: str, value: Value, may_be_empty: bool) -> Problem | None:
    if value is None:
        return Problem(f"no {role}", remedy="fill it in")
    if role == "image" and not isinstance(value, str | bytes | np.ndarray):
        return Problem("not a picture", f"{role} is {quoted(value)}", "give a file name, or bytes")
    if role in TEXTS and not isinstance(value, str | list):
        return Problem("not a text", f"{role} is {quoted(value)}", "put it in quotes")
    if role in WORDS and not isinstance(value, list):
        return Problem("not a list of words", f"{role} is {quoted(value)}", "give a list, or words between spaces")
    if not may_be_empty and role != "labels" and is_empty(value):
        return Problem(f"empty {role}", remedy="fill it in")
    return None


def is_empty(value: Value) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, list | bytes):
        return not value
    return isinstance(value, np.ndarray) and value.size == 0


def unequal(columns: Mapping[str, Value], needed: Sequence[str]) -> Problem | None:
    lists = {role: value for role in needed if isinstance(value := columns[role], list | np.ndarray)}
    sizes = [len(value) for value in lists.values()]
    if len(set(sizes)) > 1:
        each = "frame" if "frames" in lists else "token"
        remedy = f"give each {each} its tag" if "tags" in lists else "make them lists of the same length"
        return Problem(f"unequal {' and '.join(lists)}", " and ".join(map(str, sizes)), remedy)
    return None
