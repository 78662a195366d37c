"""`seqloom.distil(...)`: pairs that trained models make of data, for a student to learn from.

A student that learns from a teacher's answers need not share anything with it, neither architecture nor vocabulary
(Y. Kim, A. M. Rush, Sequence-level knowledge distillation, EMNLP 2016). Several models, in both directions, say the
same things in several ways (X. Nguyen et al., Data diversification, NeurIPS 2020).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from seqloom.data.in_memory import as_data
from seqloom.data.record import Record
from seqloom.data.source import Source, open_source
from seqloom.errors import ConfigError, SeqloomError
from seqloom.storage import open_files
from seqloom.training.data_fingerprint import hashes_of
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.pair_file import Pair, PairFile, pair_file

AT_ONCE = 512
"""Records that are answered, written and kept together."""
Places = Sequence[Path | str] | Path | str


@dataclass(frozen=True)
class DistilledPairs:
    """What was written."""

    file: Path
    pairs: int
    records: int
    """Of the data, each read several times."""

    def __str__(self) -> str:
        return f"{self.file}: {self.pairs:,} pairs out of {self.records:,}"


@dataclass(frozen=True)
class Reading:
    """One reading of the data: as it is, or answered by a model from one of its sides."""

    name: str
    place: Path | None = None
    backward: bool = False

    def pairs(self, records: Sequence[Record], model: Model | None, options: dict[str, int]) -> Iterator[Pair]:
        """Pairs without an empty side, which would teach nothing."""
        for record, answers in zip(records, self.answers(records, model, options), strict=True):
            for answer in answers:
                pair = (answer, target_of(record)) if self.backward else (source_of(record), answer)
                if all(side.strip() for side in pair):
                    yield pair

    def answers(self, records: Sequence[Record], model: Model | None, options: dict[str, int]) -> Iterable[list[str]]:
        if model is None:
            return [[target_of(record)] for record in records]
        side = target_of if self.backward else source_of
        found = model([side(record) for record in records], attention=False, **options)
        return ([answer.text, *(other.text for other in answer.alternatives)] for answer in found)


def distil(
    models: Places = (),
    *,
    data: Any,
    out: Path | str,
    backward: Places = (),
    copies: int = 0,
    beam: int = 4,
    n_best: int = 1,
    quiet: bool = True,
) -> DistilledPairs:
    """Write the translations of trained models as pairs for `seqloom.train(data=...)`; continues where it stopped.

    models    folders or packs of models from source to target: their answers become the targets
    data      pairs, as for `seqloom.train`; without `backward` also a text with one source per line
    out       the output file, .tsv or .jsonl; call with the same arguments to continue one that was interrupted
    backward  models from target to source: their answers become the sources
    copies    copies of the original pairs to include
    beam      beam size
    n_best    number of answers per source, best first
    quiet     do not show progress
    """
    readings = [Reading("the pairs")] * copies
    readings += [Reading(str(place), Path(place)) for place in listed(models)]
    readings += [Reading(str(place), Path(place), backward=True) for place in listed(backward)]
    if not any(one.place for one in readings):
        raise SeqloomError("no model was given", remedy="name one that answers the sources, or one with backward")
    loaded = {one.place: checked(load(one.place)) for one in readings if one.place}
    options = {"beam": beam, "n_best": n_best}
    source = opened(data, readings, loaded)
    for model in loaded.values():
        model.options(**options)
    count = sum(1 for _ in source)  # all of it can be read, before anything is written
    with pair_file(Path(out), asked(readings, source, options)) as file, progress(quiet) as bar:
        for reading in readings[file.written.parts :]:
            bar_task = bar.add_task(reading.name, total=count, completed=file.written.records)
            network = loaded[reading.place] if reading.place else None
            for done in read_on(reading, source, network, options, file):
                bar.advance(bar_task, done)
            file.end_part()
    if not file.written.pairs:
        what = f"{out} holds no pair: nothing was written for any of {count:,} records"
        raise SeqloomError(what, remedy="take models that are trained for longer, and data that they can read")
    return DistilledPairs(Path(out), file.written.pairs, count)


def read_on(
    reading: Reading, source: Source, model: Model | None, options: dict[str, int], file: PairFile
) -> Iterator[int]:
    """Add the pairs of a reading from where it stopped; yields how many records each piece had."""
    records = islice(source, file.written.records, None)
    while piece := list(islice(records, AT_ONCE)):
        file.add(reading.pairs(piece, model, options), records=len(piece))
        yield len(piece)


def opened(data: Any, readings: Sequence[Reading], loaded: Mapping[Path, Model]) -> Source:
    """The data as the first model reads it: pairs, or sources alone where nothing else is needed."""
    answered = [(one, one.place) for one in readings if one.place]
    first, place = answered[0]
    how = loaded[place].config.data.how()
    bounds = {name: how[name] for name in ("on_bad", "longest_line")}
    if first.backward:  # then all are: what it reads are the targets
        how = {"languages": how["languages"][::-1], **bounds}
    given = as_data(data)
    alone = len(answered) == len(readings) and not any(one.backward for one in readings)
    if alone and isinstance(given, str) and open_source(given, task="translate", **how).format == "text":
        return open_source(given, task="generate", **bounds)
    return open_source(given, task="translate", **how)


def source_of(record: Record) -> str:
    return str(record.columns["source"] if "source" in record.columns else record.columns["text"])


def target_of(record: Record) -> str:
    return str(record.columns["target"])


def checked(model: Model) -> Model:
    """A model that answers with texts."""
    if not model.task.translates:
        what = f"{model.folder} is a model for {model.config.task}, which is not a text-to-text model"
        raise ConfigError("settings", [("models", what, "let it teach directly: seqloom train --teacher")])
    return model


def asked(readings: Sequence[Reading], source: Source, options: dict[str, int]) -> str:
    """A hash of everything that decides the pairs."""
    made_by = [[one.backward, one.place and dict(open_files(one.place).hashes)] for one in readings]
    of = [made_by, sorted(hashes_of({"data": source}).values()), source.identity, options]
    return sha256(json.dumps(of).encode()).hexdigest()


def listed(places: Places) -> Sequence[Path | str]:
    return [places] if isinstance(places, str | Path) else places


def progress(quiet: bool) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=quiet)
