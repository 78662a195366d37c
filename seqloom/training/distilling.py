"""`seqloom.distil(...)`: texts that trained models write, for a student to learn from.

A student that learns from a teacher's answers need not share anything with it, neither architecture nor vocabulary
(Y. Kim, A. M. Rush, Sequence-level knowledge distillation, EMNLP 2016). Several models, in both directions, say the
same things in several ways (X. Nguyen et al., Data diversification, NeurIPS 2020).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from seqloom.data.in_memory import as_data
from seqloom.data.source import Source, open_source
from seqloom.errors import ConfigError, SeqloomError
from seqloom.storage import open_files
from seqloom.training.data_fingerprint import hashes_of
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.readings import PairReading, PromptReading, Reading
from seqloom.training.row_file import RowFile, row_file

AT_ONCE = 512
"""Records that are answered, written and kept together."""
Places = Sequence[Path | str] | Path | str


@dataclass(frozen=True)
class DistilledData:
    """What was written."""

    file: Path
    rows: int
    """Pairs, or texts."""
    records: int
    """Of the data, each read several times."""
    kind: str = "pairs"

    def __str__(self) -> str:
        return f"{self.file}: {self.rows:,} {self.kind} out of {self.records:,}"


def distil(
    models: Places = (),
    *,
    data: Any,
    out: Path | str,
    backward: Places = (),
    copies: int = 0,
    quiet: bool = True,
    **options: Any,
) -> DistilledData:
    """Write what trained models answer as data for `seqloom.train(data=...)`; continues where it stopped.

    Translators write pairs; language models continue texts, drawn at temperature 1 unless `temperature` says otherwise.

    models    folders or packs of translators from source to target, whose answers become the targets; or of language
              models
    data      pairs, as for `seqloom.train`; without `backward` also a text with one source, or one prompt, per line
    out       the output file: .tsv or .jsonl, of texts .txt or .jsonl; call with the same arguments to continue one
              that was interrupted
    backward  translators from target to source: their answers become the sources
    copies    copies of the data as it is to include
    options   of the answers, as for calling the models: beam, n_best, temperature, length, seed
    quiet     do not show progress
    """
    places, back = ([Path(place) for place in listed(given)] for given in (models, backward))
    loaded = {place: load(place) for place in [*places, *back]}
    if not loaded:
        raise SeqloomError("no model was given", remedy="name one that answers the sources, or one with backward")
    readings = readings_of(loaded, places, back, copies)
    if isinstance(readings[0], PromptReading):
        options = {"temperature": 1.0, **options}
    source = opened(data, readings, loaded)
    for model in loaded.values():
        model.options(**options)
    count = sum(1 for _ in source)  # all of it can be read, before anything is written
    columns = readings[0].columns
    with row_file(Path(out), columns, asked(readings, source, options)) as file, progress(quiet) as bar:
        for reading in readings[file.written.parts :]:
            bar_task = bar.add_task(reading.name, total=count, completed=file.written.records)
            network = loaded[reading.place] if reading.place else None
            for done in read_on(reading, source, network, options, file):
                bar.advance(bar_task, done)
            file.end_part()
    kind = "texts" if columns == PromptReading.columns else "pairs"
    if not file.written.rows:
        what = f"{out} holds no {kind[:-1]}: nothing was written for any of {count:,} records"
        raise SeqloomError(what, remedy="take models that are trained for longer, and data that they can read")
    return DistilledData(Path(out), file.written.rows, count, kind)


def readings_of(
    loaded: Mapping[Path, Model], places: Sequence[Path], back: Sequence[Path], copies: int
) -> Sequence[Reading]:
    """How the data is read, again and again: as it is, and by each model."""
    translators = [place for place, model in loaded.items() if model.task.translates]
    writers = [place for place, model in loaded.items() if model.task.generates_text and place not in translators]
    if others := [place for place in loaded if place not in translators + writers]:
        raise unfit(loaded[others[0]], "which writes no texts", "let it teach directly: seqloom train --teacher")
    if not writers:
        pairs = [PairReading("the pairs")] * copies + [PairReading(str(place), place) for place in places]
        return pairs + [PairReading(str(place), place, backward=True) for place in back]
    if translators or back:
        raise unfit(loaded[writers[0]], "which writes texts, not pairs", "distil language models by themselves")
    return [PromptReading("the texts")] * copies + [PromptReading(str(place), place) for place in places]


def unfit(model: Model, why: str, remedy: str) -> ConfigError:
    what = f"{model.folder} is a model for {model.config.task}, {why}"
    return ConfigError("settings", [("models", what, remedy)])


def read_on(
    reading: Reading, source: Source, model: Model | None, options: Mapping[str, Any], file: RowFile
) -> Iterator[int]:
    """Add the rows of a reading from where it stopped; yields how many records each piece had."""
    records = islice(source, file.written.records, None)
    while piece := list(islice(records, AT_ONCE)):
        drawn = {"seed": options.get("seed", 0) + file.written.records} if options.get("temperature") else {}
        file.add(reading.rows(piece, model, {**options, **drawn}), records=len(piece))
        yield len(piece)


def opened(data: Any, readings: Sequence[Reading], loaded: Mapping[Path, Model]) -> Source:
    """The data as the first model reads it: pairs, or sources alone where nothing else is needed."""
    answered = [(one, one.place) for one in readings if one.place]
    first, place = answered[0]
    how = loaded[place].config.data.how()
    bounds = {name: how[name] for name in ("on_bad", "longest_line")}
    if isinstance(first, PromptReading):
        return open_source(as_data(data), task="generate", **how)
    if first.backward:  # then all are: what it reads are the targets
        how = {"languages": how["languages"][::-1], **bounds}
    given = as_data(data)
    alone = len(answered) == len(readings) and not any(
        isinstance(one, PairReading) and one.backward for one in readings
    )
    if alone and isinstance(given, str) and open_source(given, task="translate", **how).format == "text":
        return open_source(given, task="generate", **bounds)
    return open_source(given, task="translate", **how)


def asked(readings: Sequence[Reading], source: Source, options: Mapping[str, Any]) -> str:
    """A hash of everything that decides the rows."""
    made_by = [[getattr(one, "backward", False), one.place and dict(open_files(one.place).hashes)] for one in readings]
    of = [made_by, sorted(hashes_of({"data": source}).values()), source.identity, dict(options)]
    return sha256(json.dumps(of).encode()).hexdigest()


def listed(places: Places) -> Sequence[Path | str]:
    return [places] if isinstance(places, str | Path) else places


def progress(quiet: bool) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=quiet)
