"""What a user means by a few names of files: the splits, and the task that they guess_task like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from warnings import warn

from seqloom.config import Config
from seqloom.data.column_guess import SAMPLE, by_content, by_usual_name, guess_stated
from seqloom.data.column_roles import COLUMNS, ForTask, standing_for
from seqloom.data.embedded import find_embedded, is_embedded
from seqloom.data.settings import DataConfig
from seqloom.data.splits import Records, find_splits, open_data
from seqloom.errors import DataError, SeqloomWarning


class SurveyConfig(Config):
    """The settings of a survey: those of [data]."""

    data: DataConfig = DataConfig()


def open_for_survey(config: DataConfig, task: ForTask = None) -> tuple[dict[str, Records], ForTask]:
    """The splits that there are, none cut off, and the task: as given, or as the data looks.

    What cannot be used is left out and counted, for that is what a survey is to show.
    """
    config = config.model_copy(update={"on_bad": "skip", "valid_share": 0.0, "test_share": 0.0})
    if task is None:
        task, columns = guess_task(config)
        config = config.model_copy(update={"columns": columns})
    return open_data(config, task), task


def settings_of(names: Sequence[str]) -> dict[str, Any]:
    """Where the data is, from the names on a command line: files, `source=train.en target=train.de`, or splits.

    >>> settings_of(["pos=a.txt", "neg=b.txt"])
    {'train': {'pos': 'a.txt', 'neg': 'b.txt'}}
    >>> settings_of(["train.tsv", "dev.tsv"])
    {'train': 'train.tsv', 'valid': 'dev.tsv'}
    """
    if all("=" in name and not Path(name).exists() for name in names):
        return {"train": dict(name.split("=", 1) for name in names)}
    if len(names) > 1 and any(map(is_embedded, names)):
        raise DataError("embedded data cannot be combined with files", remedy=f"name one data set, as in {names[0]}")
    splits = find_splits(map(Path, names)) if len(names) > 1 else {}
    if "train" not in splits or sum(map(len, splits.values())) < len(names):
        splits = {"train": [Path(name) for name in names]}
    return {split: str(paths[0]) if len(paths) == 1 else list(map(str, paths)) for split, paths in splits.items()}


def guess_task(config: DataConfig) -> tuple[str | None, Mapping[str, str | int]]:
    """The task that data looks like, None if like none, and which column has which role."""
    if isinstance(config.train, str) and is_embedded(config.train):
        return find_embedded(config.train)[0].task, config.columns
    for task, known in COLUMNS.items():
        if config.columns and {*config.columns} == {standing_for(role, (), config.columns) for role in known.roles}:
            return task, config.columns
    sample = list(islice(open_data(config, None)["train"], SAMPLE))
    names = [name for name in sample[0].columns if name != "split"]
    for task, known in COLUMNS.items():
        if {standing_for(role, names, {}) for role in known.roles} == {*names}:
            return task, config.columns
    if config.columns:
        return None, config.columns
    for task in ("classify", "translate"):
        roles = COLUMNS[task].roles
        guess = by_usual_name(roles, names)
        guess = guess if len(guess) == 2 else by_content(roles, names, sample)
        if len(guess) == 2:
            if names != ["1", "2"] or guess[roles[0]] != "1":  # of columns without names that is the usual order
                warn(guess_stated(guess, sample[0].place.file), SeqloomWarning, stacklevel=2)
            return task, guess
    return None, config.columns
