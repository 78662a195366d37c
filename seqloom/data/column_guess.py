"""What columns hold, where names do not say it: by names that are usual, and by how the values look."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from statistics import median
from typing import Any, TypeVar

from seqloom.data.record import Record
from seqloom.errors import DataError, quoted

T = TypeVar("T")
USUAL = {
    "text": (
        "review", "sentence", "comment", "body", "content", "message", "tweet", "utterance", "document", "description",
        "question", "query", "abstract", "post", "headline", "title", "texts",
    ),
    "label": ("class", "category", "sentiment", "intent", "topic", "rating", "stars", "genre", "labels", "label_text"),
    "source": ("src", "input", "english", "question", "document", "article"),
    "target": ("tgt", "output", "translation", "summary", "answer"),
    "image": ("file", "picture", "photo", "path", "filename", "file_name", "image_path", "img", "images"),
    "caption": ("captions", "description", "text", "sentence", "sentences", "title"),
    "tokens": ("words", "sentence", "text"),
    "tags": ("ner_tags", "pos_tags", "labels", "upos"),
}  # fmt: skip
"""Names that columns of a role often have."""

SAMPLE = 1_000
"""Records looked at."""
FEW = 0.2
"""A column with fewer different values than this share of its records is one of labels."""
SHORT = 40
"""Letters of the longest label."""
ENOUGH = 10
"""Records that are needed to say that columns are the wrong way round."""


def usual_names(roles: Collection[str]) -> set[str]:
    """Names that give a header away: of these roles, or of all if there are none."""
    return {name for role in roles or USUAL for name in (role, *USUAL.get(role, ()))}


def ahead(records: Iterator[T], count: int = SAMPLE) -> tuple[list[T], Iterator[T]]:
    """The first records, and all of them; what fails in looking ahead fails when it is reached."""
    taken: list[T] = []
    try:
        taken.extend(islice(records, count))
    except DataError as error:
        return taken, chain(taken, failing(error))
    return taken, chain(taken, records)


def failing(error: DataError) -> Iterator[Any]:
    raise error
    yield


def values_of(name: str, sample: Sequence[Record]) -> list[str]:
    return [str(record.columns.get(name)) for record in sample]


def size_of(values: Sequence[str]) -> int:
    return sum(map(len, values))


def are_labels(values: Sequence[str]) -> bool:
    """Whether there are few different values, all of them short."""
    return len({*values}) <= max(2, FEW * len(values)) and max(map(len, values), default=0) <= SHORT


def are_texts(values: Sequence[str]) -> bool:
    """Whether most values have three words, or twenty letters."""
    return median(max(value.count(" ") / 2, len(value) / 20) for value in values) >= 1 if values else False


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def names_columns(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether words stand above columns of another kind: above texts, and labels or numbers that they are none of.

    >>> names_columns(["said", "mood"], [["a fine long film", "pos"], ["a very dull film", "neg"]] * 5)
    True
    """
    columns = list(zip(*(row for row in below if len(row) == len(cells))))
    if len(columns) < 2 or len(columns[0]) < ENOUGH:
        return False
    above = list(zip(cells, columns))
    texts = any(are_texts(values) for _, values in above)
    known = [cell in values for cell, values in above if are_labels(values)]
    numbers = any(all(map(is_number, values)) and not is_number(cell) for cell, values in above)
    return texts and not any(known) and (bool(known) or numbers)


def by_usual_name(roles: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The columns of those roles for which exactly one has a usual name.

    >>> by_usual_name(["label", "text"], ["id", "Review", "stars"])
    {'label': 'stars', 'text': 'Review'}
    """
    found = {role: [name for name in names if name.lower() in USUAL.get(role, ())] for role in roles}
    return {role: columns[0] for role, columns in found.items() if len(columns) == 1}


def by_content(roles: Sequence[str], names: Sequence[str], sample: Sequence[Record]) -> dict[str, str]:
    """The column that looks like labels and the one that looks like text; two texts are source and target."""
    values = {name: values_of(name, sample) for name in names if name != "split"}
    labels = [name for name, found in values.items() if are_labels(found) and len({*found}) > 1]
    texts = sorted((name for name in values if not are_labels(values[name])), key=lambda name: -size_of(values[name]))
    if {*roles} == {"source", "target"} and len(values) == len(texts) == 2:
        return dict(zip(("source", "target"), values))
    chosen = {}
    if "label" in roles and len(labels) == 1:
        chosen["label"] = labels[0]
    if "text" in roles and texts and (len(texts) == 1 or are_texts(values[texts[0]])):
        chosen["text"] = texts[0]
    return chosen


def check_order(chosen: Mapping[str, str], sample: Sequence[Record], file: str) -> None:
    """Refuse labels that are sentences beside texts that are labels."""
    if not {"label", "text"} <= chosen.keys() or len(sample) < ENOUGH:
        return
    labels, texts = (values_of(chosen[role], sample) for role in ("label", "text"))
    if are_texts(labels) and not are_labels(labels) and are_labels(texts):
        what = f"column {chosen['label']!r} is read as labels and looks like texts: {quoted(labels[0])}"
        remedy = f"name the columns: data.columns.text={chosen['label']} data.columns.label={chosen['text']}"
        raise DataError(what, where=file, remedy=remedy)


def guess_stated(chosen: Mapping[str, str], file: str) -> str:
    """One line for the user.

    >>> guess_stated({"label": "stars", "text": "review"}, "a.csv")
    'a.csv: stars is read as the label, review as the text; if not, set data.columns.label and data.columns.text'
    """
    said = ", ".join(f"{name} {'is read ' if not place else ''}as the {role}"
                     for place, (role, name) in enumerate(chosen.items()))  # fmt: skip
    return f"{file}: {said}; if not, set {' and '.join(f'data.columns.{role}' for role in chosen)}"
