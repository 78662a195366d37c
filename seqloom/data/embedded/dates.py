"""Dates as people write them, and as ISO 8601 does: from Babel's patterns and names for a dozen languages.

A text that could mean two dates is left out: 03/04/2001 is in March or in April, depending on who reads it. A year of
two digits lies in 1950 to 2049, so that 3/25/49 has one reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import count
from random import Random
from typing import TYPE_CHECKING

from seqloom.data.embedded.data_set import EmbeddedDataset, Splits

if TYPE_CHECKING:
    from babel import Locale
    from babel.dates import DateTimePattern

LOCALES = ("en", "en_GB", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "zh", "ja", "ko")
LENGTHS = ("full", "long", "medium", "short")
NUMERIC = "yMd"
"""The name of the pattern in figures with all digits of the year."""
FIRST, DAYS = date(1950, 1, 1), 36_525
"""A hundred years."""
SIZES = {"train": 40_000, "valid": 1_000, "test": 2_000}
SMALL = 8
"""Every eighth text is in small letters, as people type."""


@dataclass(frozen=True)
class Form:
    """A way to write dates in a language: Babel writes it, and the same pattern reads it again."""

    locale: Locale
    pattern: DateTimePattern

    def write(self, day: date) -> str:
        return with_plain_spaces(self.pattern.apply(day, self.locale))

    def read(self, text: str) -> date | None:
        """The date that a text means in this form, capitals and leading zeros aside; None if it is not of this form."""
        found = self.expression.fullmatch(text.lower())
        if found is None:
            return None
        fields = found.groupdict()
        month = self.months.get(fields["month"]) or int(fields["month"])
        year = int(fields["year"])
        year += 0 if year > 99 else 2000 if year < 50 else 1900
        try:
            day = date(year, month, int(fields["day"]))
        except ValueError:
            return None
        agrees = "weekday" not in fields or self.weekdays[fields["weekday"]] == day.weekday()
        return day if agrees and 0 <= (day - FIRST).days < DAYS else None

    @cached_property
    def expression(self) -> re.Pattern[str]:
        from babel.dates import tokenize_pattern

        figures = {"d": r"(?P<day>\d{1,2})", "M": r"(?P<month>\d{1,2})", "yy": r"(?P<year>\d\d)"}
        figures |= {"dd": figures["d"], "MM": figures["M"], "y": r"(?P<year>\d{4})"}
        written = ""
        for _, part in tokenize_pattern(self.pattern.pattern):
            field = "" if isinstance(part, str) else part[0] * part[1]
            if isinstance(part, str):
                written += re.escape(with_plain_spaces(part).lower())
            elif field.startswith("E"):
                written += f"(?P<weekday>{any_of(self.weekdays)})"
            elif field.startswith("MMM"):
                written += f"(?P<month>{any_of(self.months)})"
            else:
                written += figures[field]
        return re.compile(written)

    @cached_property
    def months(self) -> dict[str, int]:
        """The names of months, in small letters."""
        width = "wide" if "MMMM" in self.pattern.pattern else "abbreviated"
        return {name.lower(): month for month, name in self.locale.months["format"][width].items()}

    @cached_property
    def weekdays(self) -> dict[str, int]:
        """The names of weekdays, in small letters; 0 is Monday."""
        width = "wide" if "EEEE" in self.pattern.pattern else "abbreviated"
        return {name.lower(): day for day, name in self.locale.days["format"][width].items()}


def any_of(names: dict[str, int]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


def with_plain_spaces(text: str) -> str:
    """As people type: Babel has a narrow space before the г. of Russian."""
    return text.replace("\u202f", " ").replace("\xa0", " ")


def forms() -> list[Form]:
    """Every pattern of every language once."""
    from babel import Locale

    found: dict[tuple[str, str], Form] = {}
    for code in LOCALES:
        locale = Locale.parse(code)
        for pattern in [*(locale.date_formats[length] for length in LENGTHS), locale.datetime_skeletons[NUMERIC]]:
            found.setdefault((code, pattern.pattern), Form(locale, pattern))
    return list(found.values())


class DateParser:
    """Every date that a text can mean, in whichever language and form."""

    def __init__(self, forms: list[Form]) -> None:
        different = {form.expression.pattern: form for form in forms}  # in figures, many languages write alike
        self.forms: dict[bool, list[Form]] = {True: [], False: []}
        for form in different.values():
            self.forms[has_letters(form.write(FIRST))].append(form)

    def __call__(self, text: str) -> set[date]:
        return {day for form in self.forms[has_letters(text)] if (day := form.read(text)) is not None}


def has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def pairs(seed: int = 0) -> Iterator[tuple[str, str]]:
    """Texts with one reading and their dates, without end, each text once, capitals aside; the seed decides which."""
    written = forms()
    readings = DateParser(written)
    random = Random(seed)
    met: set[str] = set()
    for number in count():
        day = FIRST + timedelta(days=random.randrange(DAYS))
        text = random.choice(written).write(day)
        small = text.lower()
        if small not in met and readings(small) == {day}:
            met.add(small)
            yield small if number % SMALL == 0 else text, day.isoformat()


def make() -> Splits:
    found = pairs()
    held_out = {split: [next(found) for _ in range(SIZES[split])] for split in ("valid", "test")}
    return {"train": [next(found) for _ in range(SIZES["train"])], **held_out}


DATES = EmbeddedDataset(
    name="dates",
    task="translate",
    title="Dates as people write them in 13 languages, to ISO 8601",
    licence="Unicode License v3 (CLDR in Babel)",
    make=make,
)
