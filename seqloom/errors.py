"""What a user can get wrong, as a family; the command line prints these without a traceback.

SeqloomError
├── GrammarError      an equations function uses something outside the grammar
├── ShapeError        a value does not have the shape its definition states
├── UnknownName       a name that is not known here; says what is near
├── MissingExtra      a feature needs a package that is not installed; says which extra brings it
├── ConfigError       settings that cannot be used, all of them at once
├── DataError         data that cannot be read, with file and line
├── TrainingError     a run that cannot go on: out of memory, a loss that is no number
├── DamagedError      a model or checkpoint folder that is not what was written
└── OutputError       a file that cannot be written
"""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from reprlib import Repr
from typing import Any, ClassVar

from rapidfuzz import fuzz, process

MISTAKES_SHOWN = 20
"""Of settings that cannot be used; a list of ten thousand helps nobody."""

NAMES_SHOWN = 20
"""Of those that are known where no near one is."""

_repr = Repr()
_repr.maxlevel, _repr.maxstring, _repr.maxother = 3, 80, 80


def quoted(value: Any) -> str:
    """A value as a message shows it, whatever its size.

    >>> quoted(list(range(10_000)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    return _repr.repr(value).replace("\n", " ")  # as of a table


def shortened(text: str, longest: int) -> str:
    """A text without its middle, if it is longer than that.

    >>> shortened("0123456789" * 10, 20)
    '0123456789 [... 80 characters ...] 0123456789'
    """
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} [... {len(text) - 2 * half:,} characters ...] {text[-half:]}"


UNPRINTABLE = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | dict.fromkeys(
    range(127, 160), 0xFFFD
)


def printable(text: str) -> str:
    """A text in which no character moves the cursor or changes the colours of a terminal, whoever wrote it.

    >>> printable("label\\x1b[31m")
    'label␛[31m'
    """
    return text.translate(UNPRINTABLE)


class SeqloomError(Exception):
    """A user's mistake: what was wrong, where, and what to do about it.

    A message may quote data, and data has any size: each of the three is cut in its middle where it is too long.
    """

    longest: ClassVar[int] = 4_000

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what, self.where, self.remedy = (
            printable(shortened(text, self.longest)) for text in (what, where, remedy)
        )
        lead = f"{self.where}: {self.what}" if where else self.what
        super().__init__(f"{lead}\n    -> {self.remedy}" if remedy else lead)


class SeqloomWarning(UserWarning):
    """What a user should know and need not mend; the command line prints it on standard error."""

    def __init__(self, text: str) -> None:
        super().__init__(printable(shortened(text, SeqloomError.longest)))


def close_matches(name: str, known: Iterable[str], limit: int = 1) -> list[str]:
    """The known names that a mistyped one may have meant, the nearest first, whatever the case.

    >>> close_matches("lsmt", ["gru", "lstm", "LSTMCell"])
    ['lstm']
    """
    found = process.extract(name, list(known), scorer=fuzz.ratio, processor=str.lower, limit=limit, score_cutoff=50)
    return [match for match, _, _ in found]


def suggestion(name: str, known: Iterable[str]) -> str:
    """The beginning of a remedy: "did you mean lstm? ", or nothing where no name is near."""
    near = close_matches(name, known)
    return f"did you mean {near[0]}? " if near else ""


def as_path(given: Any, name: str) -> Path:
    """A path that somebody gave, as an argument of that name."""
    if isinstance(given, str | PathLike):
        return Path(given)
    remedy = f'give a string or a pathlib.Path, as in {name}="runs/reviews"'
    raise SeqloomError(f"{name}: {quoted(given)} is not a path", remedy=remedy)


class GrammarError(SeqloomError):
    """An equations function uses something outside the grammar; raised when its module loads, all at once."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "", more: Sequence["GrammarError"] = ()) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.more = list(more)

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *map(str, self.more)])


class ShapeError(SeqloomError):
    """A value does not have the shape that its definition states."""


class UnknownName(SeqloomError):
    """A name that is not known here."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, remedy: str = "") -> None:
        names = sorted(known)
        near = close_matches(name, names, limit=3)
        there = remedy or f"there are: {', '.join(names[:NAMES_SHOWN])}"
        hint = f"did you mean {' or '.join(near)}?" if near else there
        super().__init__(f"no {kind} is called {quoted(name)}", remedy=hint)


class MissingExtra(SeqloomError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, package: str, extra: str, purpose: str, *, otherwise: str = "") -> None:
        install = f'pip install "seqloom[{extra}]"'
        super().__init__(f"{purpose} needs {package}", remedy=f"{install}, or {otherwise}" if otherwise else install)


class ConfigError(SeqloomError):
    """Settings that cannot be used: each with what is wrong and what to do."""

    longest = 2_100 * (MISTAKES_SHOWN + 1)

    def __init__(self, where: str, mistakes: Sequence[tuple[str, str, str]]) -> None:
        self.mistakes = list(mistakes)
        lines = []
        for name, what, remedy in self.mistakes[:MISTAKES_SHOWN]:
            lead = f"{name}: {what}" if name else what
            lines += [f"  {shortened(lead, 1_000)}", f"      -> {shortened(remedy, 1_000)}"]
        if len(self.mistakes) > MISTAKES_SHOWN:
            lines.append(f"  ... and {len(self.mistakes) - MISTAKES_SHOWN:,} more")
        count = "1 setting" if len(self.mistakes) == 1 else f"{len(self.mistakes)} settings"
        super().__init__("\n".join([f"{count} cannot be used", *lines]), where=where)


class DataError(SeqloomError):
    """Data that cannot be read: `where` is the file and line."""


class TrainingError(SeqloomError):
    """A run that cannot go on; its last checkpoint is kept."""


class DamagedError(SeqloomError):
    """A model or checkpoint folder that is not what was written."""


class OutputError(SeqloomError):
    """A file that cannot be written."""
