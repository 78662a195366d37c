"""The reference of the Python language, as `help()` shows it: English prose with code in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seqloom.data.embedded.data_set import EmbeddedDataset, Row, Splits


def make() -> Splits:
    """A row is a line; the last tenth of the topics is for validation. A paragraph that was met before is left out."""
    from pydoc_data import topics  # type: ignore[import-not-found, unused-ignore]

    texts: Mapping[str, str] = topics.topics
    names = sorted(texts)
    first = len(names) * 9 // 10
    met: set[str] = set()
    return {
        "train": lines_of((texts[name] for name in names[:first]), met),
        "valid": lines_of((texts[name] for name in names[first:]), met),
    }


def lines_of(texts: Iterable[str], met: set[str]) -> list[Row]:
    """The lines of paragraphs that are new, with a blank line after each."""
    lines: list[str] = []
    for text in texts:
        for paragraph in text.split("\n\n"):
            paragraph = paragraph.strip("\n")
            if paragraph.strip() and paragraph not in met:
                met.add(paragraph)
                lines += [*paragraph.split("\n"), ""]
    return [(line,) for line in lines]


PYTHON_DOCS = EmbeddedDataset(
    name="python-docs",
    task="generate",
    title="The reference of Python: English prose with code in it",
    licence="PSF License 2.0 (CPython)",
    make=make,
)
