"""Dates: truth by Babel and datetime, one reading by brute force."""

from collections import defaultdict
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from babel import Locale
from babel.dates import format_date, parse_date
from babel.localedata import locale_identifiers

from seqloom.data.embedded.dates import DATES, FIRST, LENGTHS, LOCALES, DateParser, Form, forms

SPAN = [date(2000, 1, 1) + timedelta(days=days) for days in range(366 + 365)]


@pytest.fixture(scope="module")
def written() -> list[Form]:
    return forms()


def plain(text: str) -> str:
    return text.replace("\u202f", " ").replace("\xa0", " ")


def rows() -> list[Any]:
    return [row for split in DATES.splits.values() for row in split]


def test_every_pair_is_how_babel_writes_that_date(written):
    for text, iso in Random(1).sample(rows(), 250):
        day = date.fromisoformat(iso)
        spellings = {plain(format_date(day, length, code)) for code in LOCALES for length in LENGTHS}
        spellings |= {plain(Locale.parse(code).datetime_skeletons["yMd"].apply(day, code)) for code in LOCALES}
        assert text in spellings | {spelling.lower() for spelling in spellings}
    assert set(LOCALES) <= set(locale_identifiers())


def test_dates_in_figures_are_read_by_babel_the_same_way():
    day = date(1987, 11, 25)
    for code in ("en", "de", "fr", "es", "it", "pt", "nl", "pl"):
        text = Locale.parse(code).datetime_skeletons["yMd"].apply(day, code)
        readings = DateParser(forms())(text)
        assert readings == {parse_date(text, locale=code, format="short")} == {day}


def test_a_form_reads_what_it_writes(written):
    random = Random(2)
    for form in written:
        for _ in range(20):
            day = FIRST + timedelta(days=random.randrange(36_525))
            assert form.read(form.write(day)) == day
            assert form.read(form.write(day).lower()) == day


def test_readings_are_those_of_brute_force(written):
    """Every date of two years in every form, each text with all dates that write it so, zeros and capitals aside."""

    def bare(text: str) -> str:
        return "".join(text[i] for i in range(len(text)) if not is_leading_zero(text, i)).lower()

    def is_leading_zero(text: str, at: int) -> bool:
        alone = at == 0 or not text[at - 1].isdecimal()
        return text[at] == "0" and alone and text[at + 1 : at + 2].isdecimal() and not is_year(text, at)

    def is_year(text: str, at: int) -> bool:
        """The two digits of a year stand last, but in Korean first; they keep their zero."""
        return at + 2 == len(text) or (at == 0 and text[2:4] == ". ")

    meant: dict[str, set[date]] = defaultdict(set)
    for form in written:
        for day in SPAN:
            meant[bare(form.write(day))].add(day)
    reader = DateParser(written)
    ambiguous = 0
    texts = [form.write(day) for form in written for day in Random(3).sample(SPAN, 40)]
    for text in texts:
        readings = {day for day in reader(text) if day in set(SPAN)}
        assert readings == meant[bare(text)], text
        ambiguous += len(readings) > 1
    assert ambiguous > 30, "the sample holds texts with two readings"


@pytest.mark.parametrize(
    "text, readings",
    [
        ("03/04/2001", {"2001-03-04", "2001-04-03"}),
        ("3/25/49", {"2049-03-25"}),
        ("3/25/50", {"1950-03-25"}),
        ("03/03/2001", {"2001-03-03"}),
        ("25.12.2001", {"2001-12-25"}),
        ("Sunday, March 4, 2001", {"2001-03-04"}),
        ("Monday, March 4, 2001", set()),
        ("29. Februar 2001", set()),
        ("25/13/2001", set()),
    ],
)
def test_readings_by_hand(text, readings):
    assert {day.isoformat() for day in DateParser(forms())(text)} == readings


def test_no_pair_has_two_readings(written):
    reader = DateParser(written)
    for text, iso in Random(4).sample(rows(), 1000):
        assert reader(text) == {date.fromisoformat(iso)}


def test_splits_have_their_sizes_and_every_language():
    assert {name: len(rows) for name, rows in DATES.splits.items()} == {"train": 40_000, "valid": 1_000, "test": 2_000}
    train = [str(text) for text, _ in DATES.splits["train"]]
    for sign in ("March", "März", "mars", "marzo", "março", "maart", "marca", "марта", "Mart", "星期", "曜日", "요일"):
        assert any(sign in text for text in train)
    assert any(text.startswith("march") for text in train)
