"""From the section [data] to the parts of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from seqloom.data.embedded import find_embedded, is_embedded
from seqloom.data.formats import find_files
from seqloom.data.settings import DataConfig
from seqloom.data.source import Paths, Source, open_source
from seqloom.data.splits import Records, by_column, by_language, cut, cut_in_order, find_splits
from seqloom.errors import DataError


def open_data(config: DataConfig, task: str | None = None) -> dict[str, Records]:
    """Train, and valid and test as far as there are such.

    A part with a path of its own is that; else, where `train` is embedded or a folder of parts, those that it has; else
    what `split_column` says; else it is cut from `train` by its share.
    """
    if not config.train:
        raise DataError("no data was given", remedy="name it in data.train")
    paths: dict[str, Paths] = {"train": config.train, **parts_in(config.train)}
    paths |= {name: path for name, path in (("valid", config.valid), ("test", config.test)) if path}
    opened = {name: open_part(path, config, task) for name, path in paths.items()}
    train = opened["train"]
    if config.split_column:
        return {**by_column(train, config.split_column), **without_train(opened)}
    shares = {"valid": config.valid_share, "test": config.test_share}
    shares = {name: share for name, share in shares.items() if share and name not in opened}
    if not shares:
        return {**opened}
    shares = {"train": 1 - sum(shares.values()), **shares}
    if config.cut_from == "end":
        return {**cut_in_order(train, shares), **without_train(opened)}
    return {**cut(train, shares, config.seed, config.split_by or None), **without_train(opened)}


def without_train(opened: Mapping[str, Source]) -> dict[str, Source]:
    return {name: source for name, source in opened.items() if name != "train"}


def parts_in(where: Paths) -> dict[str, Paths]:
    """The parts of embedded data; those that stand in a folder, if a name in it says that it is for training."""
    if isinstance(where, str) and is_embedded(where):
        data, part = find_embedded(where)
        return {} if part else {name: data.path(name) for name in data.parts}
    folder = Path(where).expanduser() if isinstance(where, str | Path) else None
    if folder is None or not folder.is_dir():
        return {}
    found = find_splits(folder)
    return {**found} if "train" in found else {}


def open_part(where: Paths, config: DataConfig, task: str | None) -> Source:
    """One part; of the files of several languages, the two that are meant."""
    languages = (config.source_language, config.target_language)
    if isinstance(where, Sequence) and not isinstance(where, str) and len(where) > 1 and "und" not in languages:
        where = by_language(find_files(where), *languages)
    return open_source(where, task=task, **config.how())
