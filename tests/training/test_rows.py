"""Training from rows in memory: DataFrames in, a model out; exact resume with the same rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

import seqloom
from seqloom.errors import ConfigError, DataError, SeqloomError
from seqloom.training.run_config import load_run
from tests.training.reviews import QUICK

SMALL = [*QUICK, "model.name=cnn"]


@pytest.fixture
def frame(reviews: Path) -> pd.DataFrame:
    return pd.read_csv(reviews, sep="\t", names=["label", "text"])


def read_weights(run: Path) -> bytes:
    return (run / "model.safetensors").read_bytes()


def test_a_data_frame_trains_a_model_that_measures_itself(frame, tmp_path):
    other = pl.from_dicts(frame.sample(60, random_state=1).to_dict("records"))
    model = seqloom.train(
        task="classify", data=frame, valid=other, out=tmp_path / "run", settings=SMALL, quiet=True, steps=80
    )
    assert model("a lovely film").label == "pos"
    assert sum(map(sum, model.evaluate().details["confusion"])) == 60
    assert model.evaluate(frame).metrics["accuracy"] > 0.8
    assert model.evaluate(row for row in frame.itertuples(index=False)).metrics["accuracy"] > 0.8
    loaded = seqloom.load(tmp_path / "run")
    with pytest.raises(DataError, match="given from Python, and are not kept"):
        loaded.evaluate()


def test_rows_train_the_same_model_as_their_file(frame, reviews, tmp_path):
    options: dict[str, Any] = {"task": "classify", "settings": SMALL, "quiet": True}
    seqloom.train(data=str(reviews), out=tmp_path / "file", **options)
    seqloom.train(data=list(zip(frame["label"], frame["text"])), out=tmp_path / "rows", **options)
    assert read_weights(tmp_path / "file") == read_weights(tmp_path / "rows")


def test_a_run_goes_on_with_the_same_rows_and_refuses_others(frame, tmp_path):
    options: dict[str, Any] = {"task": "classify", "settings": SMALL, "quiet": True}
    seqloom.train(data=frame, out=tmp_path / "whole", steps=60, **options)
    seqloom.train(data=frame, out=tmp_path / "run", steps=30, **options)
    with pytest.raises(ConfigError, match=r"data\.train: these rows are not those that the run was started with"):
        seqloom.train(data=frame[::-1], out=tmp_path / "run", steps=60, resume=True, **options)
    seqloom.train(data=frame.copy(), out=tmp_path / "run", steps=60, resume=True, **options)
    assert read_weights(tmp_path / "run") == read_weights(tmp_path / "whole")
    saved = json.loads((tmp_path / "run" / "config.json").read_text())["config"]["data"]["train"]
    assert saved.startswith("python:") and len(saved) < 60


def test_splits_of_a_dataset_are_found(frame, tmp_path):
    data = {"train": frame, "validation": frame[:50]}
    model = seqloom.train(task="classify", data=data, out=tmp_path / "run", settings=SMALL, quiet=True, steps=20)
    assert sum(map(sum, model.evaluate().details["confusion"])) == 50


def test_a_bad_row_is_named_by_its_place(frame, tmp_path):
    frame.loc[17, "text"] = None
    with pytest.raises(SeqloomError, match="row 17 of data: no text"):
        seqloom.train(task="classify", data=frame, out=tmp_path / "run", settings=SMALL, quiet=True)


def test_settings_in_a_file_never_name_rows():
    with pytest.raises(ConfigError):
        load_run(None, task="classify", data__train=[("pos", "text")])


def test_twelve_thousand_rows_make_no_long_message(tmp_path):
    rows = [{"label": "pos", "text": "a fine film " * 40, "more": {"nested": 1}}] * 12_000
    with pytest.raises(SeqloomError) as caught:
        seqloom.train(task="classify", data=rows, out=tmp_path / "run", quiet=True)
    assert len(str(caught.value)) < 1000


def test_a_text_where_a_path_is_asked_for_is_told_from_one():
    for given in ["a long text\nof two lines", "word " * 100_000, "word " * 100, ["the cat sat on", "the mat"]]:
        with pytest.raises(DataError, match=r"is not a file\n    -> check the path, or give texts as rows") as caught:
            seqloom.train(task="generate", data=given, out="never")
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("wrong", [{"settings": 5}, {"callbacks": 5}, {"out": 5}, {"model": 5}, {"teacher": 5}])
def test_an_argument_of_another_kind_says_what_is_right(wrong):
    with pytest.raises(SeqloomError, match=r": 5 is not a|^5 is not a model") as caught:
        seqloom.train(**{"task": "classify", "data": [("pos", "fine"), ("neg", "dull")] * 9, "out": "never", **wrong})
    assert "\n" in str(caught.value), "and a remedy"


def test_other_calls_say_what_is_right_too(tmp_path):
    for call in (
        lambda: seqloom.load(5),  # type: ignore[arg-type]
        lambda: seqloom.explain(5),  # type: ignore[arg-type]
        lambda: seqloom.explain("lstm", 5),
        lambda: seqloom.compare(5),  # type: ignore[arg-type]
        lambda: seqloom.tune(task="classify", data=[("a", "b")], vary=5),  # type: ignore[arg-type]
    ):
        with pytest.raises(SeqloomError, match=r"5 is not a"):
            call()


def test_columns_arrays_and_iterators_are_lists_of_inputs(frame, tmp_path):
    model = seqloom.train(task="classify", data=frame, out=tmp_path / "run", settings=SMALL, quiet=True)
    texts = ["a lovely film", "a dull film"]
    labels = [answer.label for answer in model(texts)]
    for several in (pd.Series(texts), pl.Series(texts), np.array(texts), iter(texts)):
        assert [answer.label for answer in model(several)] == labels
    assert model.vectors(pd.Series(texts)).equal(model.vectors(texts))
    with pytest.raises(SeqloomError, match="got 'a lovely film' instead of a list"):
        model.vectors("a lovely film")


def test_few_texts_of_each_label_are_trained_on(tmp_path):
    rows = [(f"intent {number % 30}", f"say it in words {number}") for number in range(60)]
    model = seqloom.train(task="classify", data=rows, out=tmp_path / "run", settings=SMALL, quiet=True)
    assert len(model.task.facts["labels"]) == 30
