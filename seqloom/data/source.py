"""Open data of any format: records with the columns that the task needs, each with its file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from seqloom.data.bad_records import OnBad, Policy, Report
from seqloom.data.column_roles import NAMES, ForTask, roles_of, with_roles
from seqloom.data.datasets import dataset_paths, is_dataset
from seqloom.data.embedded import embedded_split, is_embedded
from seqloom.data.formats import FORMATS, Format, by_language, find_files, one_file, one_format
from seqloom.data.in_memory import InMemoryData, columns_of_table, is_in_memory
from seqloom.data.record import Record
from seqloom.data.sources.conll import read_conll, read_conllu
from seqloom.data.sources.folders import read_folder, read_labelled
from seqloom.data.sources.frames import of_one_width, read_frames, read_npy
from seqloom.data.sources.items import read_items
from seqloom.data.sources.jsonl import is_array, read_json_array, read_jsonl
from seqloom.data.sources.parallel import read_parallel
from seqloom.data.sources.parquet import read_parquet
from seqloom.data.sources.tables import Header, read_csv, read_tsv
from seqloom.data.sources.text import read_text
from seqloom.errors import DataError, UnknownName, quoted

Paths: TypeAlias = str | Path | Sequence[str | Path] | Mapping[str, str | Path] | InMemoryData
Anything: TypeAlias = Paths | Iterable[Any] | Callable[[], Iterable[Any]]
Reader: TypeAlias = Callable[[Policy], Iterator[Record]]


class Source:
    """Records that can be read again and again; `report` says what the last reading left out."""

    def __init__(
        self,
        read: Reader,
        *,
        files: Sequence[Path],
        format: Format,
        on_bad: OnBad = "error",
        longest_line: int = Policy.longest_line,
        encoding: str = Policy.encoding,
        identity: str = "",
        name: str = "<python>",
    ) -> None:
        self.read, self.files, self.format = read, tuple(files), format
        self.source_name = str(files[0]) if files else name  # for messages about the whole
        self.identity = identity  # of data without files: changes when its content does
        self.on_bad, self.longest_line, self.encoding = on_bad, longest_line, encoding
        self.report = Report()

    def __iter__(self) -> Iterator[Record]:
        policy = Policy(self.on_bad, self.longest_line, encoding=self.encoding)
        self.report = policy.report
        records = self.read(policy)
        first = next(records, None)
        if first is None:
            what = f"there is no record; {policy.report}" if policy.report else "there is no record in it"
            raise DataError(what, where=self.source_name, remedy=policy.report.remedy or "check what was given")
        yield first
        yield from records

    def __repr__(self) -> str:
        return f"Source({self.format}: {', '.join(map(str, self.files)) or self.source_name})"


class ColumnChoice(NamedTuple):
    """What the user said of the columns."""

    columns: Mapping[str, str]  # role -> column
    roles: Sequence[str]  # that the task needs
    header: Header
    separator: str = "auto"

    @property
    def asked(self) -> set[str] | None:
        """The columns that must be readable; None for all."""
        return {*self.columns.values(), *self.roles} if self.columns else None


def open_source(
    where: Anything,
    *,
    task: ForTask = None,
    columns: Mapping[str, str | int] | None = None,
    format: Format = "auto",
    header: Header = "auto",
    separator: str = "auto",
    on_bad: OnBad = "error",
    longest_line: int = Policy.longest_line,
    encoding: str = Policy.encoding,
    languages: tuple[str, str] = ("und", "und"),
) -> Source:
    """Records from wherever they are.

    where     a path, a pattern, a list of paths; a folder with a folder per label; files by role, line by line
              (`{"source": "train.en", "target": "train.de"}`); files by label (`{"pos": ..., "neg": ...}`); an
              iterable of texts, tuples or dicts, or a function that gives one; a list of texts needs format="python";
              a data frame, an Arrow table, a Hugging Face dataset, a dict of lists;
              embedded data, as in `embedded:dates/valid`, without a split its last;
              a public data set, as in `data:imdb/train`, in the same way
    task      what the records are for: the columns that it needs are there and not empty
    columns   role -> column, by name or by number from 1, as in `{"text": "review", "label": "stars"}`
    separator what stands between the cells of a table; auto: found in its first lines
    encoding  of files that are neither UTF-8 nor UTF-16, as cp1252 or gb18030
    languages of the source and the target, where a data set has more than these; und: not said
    on_bad    "error" stops at what cannot be used, "skip" leaves it out and counts it in `report`

    >>> [record.columns for record in open_source([("pos", "a fine film")], task="classify")]
    [{'label': 'pos', 'text': 'a fine film'}]
    """
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    choice = ColumnChoice(
        {role: str(column) for role, column in (columns or {}).items()}, roles_of(task), header, separator
    )
    read: Reader
    files: list[Path] = []
    identity, name = "", "<python>"
    if isinstance(where, str | Path) and is_dataset(where):
        where = files_of_dataset(where, choice.roles, languages)
    if is_in_memory(where):
        what = "the rows of this run were given from Python, and are not kept"
        raise DataError(what, remedy="give them again, as in model.evaluate(rows), or other data")
    if not isinstance(where, str | Path | list | tuple | InMemoryData) and columns_of_table(where) is not None:
        where = InMemoryData(where)
    if isinstance(where, InMemoryData):
        read, format, identity = partial(where.read, asked=choice.asked), "python", where.identity
        name = where.name
    elif isinstance(where, str | Path) and is_embedded(where):
        data, split = embedded_split(where, task)
        read, format, identity = from_python(partial(data.records, split), None), "python", data.identity(split)
    elif isinstance(where, Mapping):
        by_name = {name: one_file(path) for name, path in where.items()}
        files = list(by_name.values())
        if format == "auto":
            format = "parallel" if by_name.keys() <= NAMES else "labelled"
        read = together(by_name, format)
    elif format == "python" or not is_paths(where):
        read, format = from_python(where, choice.asked), "python"
    else:
        files = find_files(where)
        format = one_format(files, task) if format == "auto" else format
        if format == "text" and len(files) == len(choice.roles) == 2:
            format = "parallel"
        in_step = format == "parallel"
        read = together(pair(files, choice.roles), format) if in_step else in_turn(files, format, choice)
    if format in ("conll", "conllu"):  # its reader has found the columns
        task, choice = task or "tag", choice._replace(columns={role: role for role in choice.columns})

    def cast(policy: Policy) -> Iterator[Record]:
        return with_roles(read(policy), task, choice.columns, policy)

    return Source(
        cast, files=files, format=format, on_bad=on_bad, longest_line=longest_line, encoding=encoding,
        identity=identity, name=name,
    )  # fmt: skip


def files_of_dataset(
    where: str | Path, roles: Sequence[str], languages: tuple[str, str]
) -> list[Path] | dict[str, Path]:
    """The files of a public data set; of those in several languages, the two that are meant."""
    files = dataset_paths(where)
    if "target" not in roles or isinstance(files, dict) or len(files) < 2:
        return files
    if "und" in languages:
        names = ", ".join(file.name for file in files)
        remedy = "choose two: data.source_language and data.target_language"
        raise DataError(f"has several languages: {names}", where=str(where), remedy=remedy)
    return by_language(files, *languages)


def in_turn(files: Sequence[Path], format: Format, choice: ColumnChoice) -> Reader:
    """One file after the other."""

    def read(policy: Policy) -> Iterator[Record]:
        for file in files:
            yield from read_file(file, format, choice, policy)

    if format in ("npy", "frames", "folder"):
        return lambda policy: of_one_width(read(policy), policy)
    return read


def read_file(file: Path, format: Format, choice: ColumnChoice, policy: Policy) -> Iterator[Record]:
    match format:
        case "tsv":
            return read_tsv(file, policy, choice.header, set(choice.columns.values()), choice.roles, choice.separator)
        case "csv":
            return read_csv(file, policy, choice.header, set(choice.columns.values()), choice.roles, choice.separator)
        case "jsonl":
            read = read_json_array if is_array(file) else read_jsonl
            return read(file, policy, choice.asked)
        case "parquet":
            return read_parquet(file, policy, choice.asked)
        case "conll":
            return read_conll(file, policy, choice.columns)
        case "conllu":
            return read_conllu(file, policy, choice.columns)
        case "npy":
            return read_npy(file, policy)
        case "frames":
            return read_frames(file, policy)
        case "folder":
            return read_folder(file, policy)
        case "text":
            return read_text(file, policy)
    remedy = 'as in {"source": "train.en", "target": "train.de"}, or {"pos": "good.txt", "neg": "bad.txt"}'
    raise DataError(f"the format {format} needs files by name", where=str(file), remedy=remedy)


def together(files: Mapping[str, Path], format: Format) -> Reader:
    """Files that belong together, each under a role or a label."""
    read = read_parallel if format == "parallel" else read_labelled
    return lambda policy: read(files, policy)


def pair(files: Sequence[Path], roles: Sequence[str]) -> dict[str, Path]:
    roles = roles if len(roles) == 2 else ("source", "target")
    if len(files) != 2:
        names = ", ".join(map(str, files))
        raise DataError(f"parallel files are two, not {len(files)}: {names}", remedy=f"give {' and '.join(roles)}")
    return dict(zip(roles, files))


def is_paths(where: Anything) -> TypeGuard[str | Path | Sequence[str | Path]]:
    """A path, or a list of nothing but paths."""
    if isinstance(where, list | tuple):
        return bool(where) and all(isinstance(path, str | Path) for path in where)
    return isinstance(where, str | Path)


def from_python(items: Any, asked: set[str] | None) -> Reader:
    """What Python iterates over; what can be iterated once can be read once."""
    if isinstance(items, str | bytes | Path) or not (callable(items) or isinstance(items, Iterable)):
        what = f"{quoted(items)} is not a collection of records"
        raise DataError(what, where="<python>", remedy="give a list of texts, tuples or dicts")
    used = False

    def read(policy: Policy) -> Iterator[Record]:
        nonlocal used
        found = items() if callable(items) else items
        once = iter(found) is found and not callable(items)
        if once and used:
            remedy = "give a list, or a function that makes a new iterator each time"
            raise DataError("this iterator was used up by the first reading", where="<python>", remedy=remedy)
        used = True
        return read_items(found, policy, asked)

    return read
