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

from rapidfuzz import fuzz, process


class SeqloomError(Exception):
    """A user's mistake: what was wrong, where, and what to do about it."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what, self.where, self.remedy = what, where, remedy
        lead = f"{where}: {what}" if where else what
        super().__init__(f"{lead}\n    -> {remedy}" if remedy else lead)


class SeqloomWarning(UserWarning):
    """What a user should know and need not mend; the command line prints it on standard error."""


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
        hint = f"did you mean {' or '.join(near)}?" if near else remedy
        super().__init__(f"no {kind} is called {name!r}", remedy=hint)


class MissingExtra(SeqloomError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, package: str, extra: str, purpose: str, *, otherwise: str = "") -> None:
        install = f'pip install "seqloom[{extra}]"'
        super().__init__(f"{purpose} needs {package}", remedy=f"{install}, or {otherwise}" if otherwise else install)


class ConfigError(SeqloomError):
    """Settings that cannot be used: each with what is wrong and what to do."""

    def __init__(self, where: str, mistakes: Sequence[tuple[str, str, str]]) -> None:
        self.mistakes = list(mistakes)
        lines = []
        for name, what, remedy in mistakes:
            lines += [f"  {name}: {what}" if name else f"  {what}", f"      -> {remedy}"]
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
