"""Public data sets: what `datasets.toml` says of them, and the files that a name in settings means."""

import gzip
import re
from pathlib import Path

import pytest

from seqloom.config import read_toml
from seqloom.data.datasets import dataset_paths, datasets, find_dataset, is_dataset
from seqloom.data.download import content_hash
from seqloom.data.settings import DataConfig
from seqloom.data.source import open_source
from seqloom.data.splits import open_data
from seqloom.errors import DataError, UnknownName

CONFIGS = sorted((Path(__file__).parents[2] / "configs").rglob("*.toml"))


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder where data sets are kept, empty."""
    monkeypatch.setenv("SEQLOOM_DATA", str(tmp_path / "kept"))
    return tmp_path / "kept"


def keep(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return file


def texts(records):
    return [record.columns for record in records]


@pytest.mark.parametrize("data", datasets().values(), ids=lambda data: data.name)
def test_what_is_said_of_a_set_is_whole(data):
    assert data.title and data.licence
    assert data.home.startswith("https://")
    assert bool(data.url) != bool(data.by_hand), "a set is fetched, or brought by hand"
    assert not data.url or data.url.startswith("https://")
    assert not data.url or re.search(r"/[0-9a-f]{40}/|/[0-9a-f]{60}/", data.url), "one version, for ever"
    assert "train" in data.splits
    for files in data.splits.values():
        names = [files] if isinstance(files, str) else files.values() if isinstance(files, dict) else files
        assert {*names} <= {*data.files}
    for file in data.files.values():
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert {*file.made_from} <= {*data.files}


@pytest.mark.parametrize("data", datasets().values(), ids=lambda data: data.name)
def test_the_sets_next_to_the_clone_are_the_published_ones(data, shared_data, monkeypatch):
    monkeypatch.setenv("SEQLOOM_DATA", str(shared_data))
    fetched = [file for file in data.files.values() if not file.made_from]
    assert [file.name for file in fetched if content_hash(data.path(file.name), file.size) != file.sha256] == []


def test_every_recipe_names_a_set_and_no_path():
    for config in CONFIGS:
        for where in (read_toml(config)["data"].get(split, "") for split in ("train", "valid", "test")):
            if isinstance(where, str) and where and not where.startswith("runs/"):  # what another recipe made
                assert is_dataset(where), config
                find_dataset(where)
        assert "../" not in config.read_text()


def test_a_split_is_its_file_packed_or_not(kept):
    packed = keep(kept, "imdb/train.tsv.gz", "label\ttext\npos\tfine\n")
    assert dataset_paths("data:imdb/train") == [packed]
    assert texts(open_source("data:imdb/train", task="classify")) == [{"label": "pos", "text": "fine"}]
    valid = keep(kept, "imdb/val.tsv", "label\ttext\nneg\tpoor\n")
    assert dataset_paths("data:imdb/val") == dataset_paths("data:imdb/valid") == [valid]
    assert dataset_paths("data:imdb/val.tsv") == [valid]


def test_a_set_without_a_split_is_all_of_them_in_settings(kept):
    keep(kept, "imdb/train.tsv", "label\ttext\npos\tfine\n")
    keep(kept, "imdb/val.tsv", "label\ttext\nneg\tpoor\n")
    splits = open_data(DataConfig(train="data:imdb"), "classify")
    assert {name: texts(split) for name, split in splits.items()} == {
        "train": [{"label": "pos", "text": "fine"}],
        "valid": [{"label": "neg", "text": "poor"}],
    }


def test_files_by_label(kept):
    keep(kept, "rt-polarity/rt-polarity.train.neg", "poor\n")
    keep(kept, "rt-polarity/rt-polarity.train.pos.gz", "fine\n")
    found = open_source("data:rt-polarity", task="classify")
    assert texts(found) == [{"label": "neg", "text": "poor"}, {"label": "pos", "text": "fine"}]


def test_languages_choose_among_the_files_of_a_split(kept):
    for language, text in (("en", "a dog\n"), ("de", "ein Hund\n"), ("fr", "un chien\n")):
        keep(kept, f"multi30k/train.{language}.gz", text)
    config = DataConfig(train="data:multi30k/train", valid_share=0, source_language="fr", target_language="en")
    assert texts(open_data(config, "translate")["train"]) == [{"source": "un chien", "target": "a dog"}]
    pair = {"source": "data:multi30k/train.de", "target": "data:multi30k/train.en"}
    assert texts(open_source(pair, task="translate")) == [{"source": "ein Hund", "target": "a dog"}]
    with pytest.raises(DataError, match=r"several languages: train.en.gz.*\n.*data.source_language"):
        open_source("data:multi30k/train", task="translate")


def test_a_set_that_is_not_there_says_how_to_get_it(kept):
    with pytest.raises(DataError) as caught:
        open_source("data:imdb/train", task="classify")
    assert str(caught.value) == "data:imdb: train.tsv is not on this machine\n    -> seqloom data get imdb"


def test_names_that_are_not_known(kept):
    with pytest.raises(UnknownName, match=r"no data set is called 'imbd'\n    -> did you mean imdb"):
        open_source("data:imbd/train")
    with pytest.raises(DataError, match=r"no split 'test'\n    -> there are: data:imdb/train, data:imdb/valid"):
        open_source("data:imdb/test")


def test_without_a_folder_of_ones_own_it_is_the_cache_of_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv("SEQLOOM_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = keep(tmp_path, "seqloom/data/cmudict/train.tsv", "source\ttarget\na\tAH\n")
    assert dataset_paths("data:cmudict/train") == [made]
