"""Names of countries, languages, currencies, months ... and the language that they are in: from Babel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b

from seqloom.data.embedded.data_set import EmbeddedDataset, Row, Splits

LOCALES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "sv", "da", "fi", "cs", "hu", "ro", "id", "vi")
"""All in Latin letters: the script alone gives nothing away."""
KINDS = ("territories", "languages", "scripts", "currencies")


def make() -> Splits:
    """A thing and its names in all languages fall into one split: what is tested was met in no language."""
    languages: dict[str, set[str]] = defaultdict(set)
    things: dict[tuple[str, str], str] = {}
    for locale in LOCALES:
        for thing, name in names_in(locale):
            languages[name.lower()].add(locale)
            things.setdefault((name, locale), thing)
    splits: dict[str, list[Row]] = {"train": [], "valid": [], "test": []}
    met: set[str] = set()
    for (name, locale), thing in sorted(things.items(), key=lambda item: hashed(" ".join(item[0]))):
        if len(languages[name.lower()]) == 1 and name.lower() not in met:
            met.add(name.lower())
            splits[split_of(thing)].append((locale, name))
    return splits


def names_in(code: str) -> Iterator[tuple[str, str]]:
    """What is named, and its name."""
    from babel import Locale

    locale = Locale.parse(code)
    for kind in KINDS:
        for key, name in getattr(locale, kind).items():
            if any(letter.isalpha() for letter in name) and name != key:
                yield f"{kind}:{key}", name
    for kind in ("months", "days"):
        for key, name in getattr(locale, kind)["stand-alone"]["wide"].items():
            yield f"{kind}:{key}", name


def split_of(thing: str) -> str:
    point = hashed(thing) / 2**64
    return "test" if point < 0.1 else "valid" if point < 0.15 else "train"


def hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


NAMES = EmbeddedDataset(
    name="names",
    task="classify",
    title="Names of countries, currencies ... and their language, one of 17",
    licence="Unicode License v3 (CLDR in Babel)",
    make=make,
)
