"""Classify: columns beside the text."""

import json
import random

import numpy as np
import pytest

from seqloom.errors import ConfigError, DataError
from seqloom.training.run_config import load_run
from tests.tasks.classified import lines, sentence, trained


@pytest.fixture(scope="module")
def aged(tmp_path_factory):
    """Young or old, which the text does not say; the names of two columns are the user's own."""
    chance, rows = random.Random(3), []
    for number in range(300):
        age = chance.randint(1, 99)
        older = age > (30 if number % 3 == 0 else 70)
        rows.append({
            "review": sentence(chance), "kind": ("young", "old")[older], "age": age, "turned": number % 3 == 0,
            "city": chance.choice(["Ulm", "Bonn"]), "left": {"nested": 1},
        })  # fmt: skip
    del rows[0]["city"]
    file = lines(tmp_path_factory.mktemp("aged") / "people.jsonl", rows)
    return trained(
        file, "data.columns.text=review", "data.columns.label=kind", 'classify.numbers=["age"]',
        'classify.binary=["turned"]', 'classify.categories=["city"]', "train.steps=150",
    )  # fmt: skip


def test_a_column_beside_the_text_decides_where_the_text_cannot(tmp_path):
    chance = random.Random(3)
    rows = [
        {"text": sentence(chance), "label": "left" if number % 2 else "right", "x": -3 - number % 2}
        for number in range(99)
    ]
    model = trained(lines(tmp_path / "sides.jsonl", rows), 'classify.numbers=["x"]', "model.name=logistic")
    assert [answer.label for answer in model([{"text": "it", "x": -3}, {"text": "it", "x": "-4"}])] == ["right", "left"]


def test_feature_columns_survive_when_columns_are_named(aged):
    assert aged.config.data.columns == {
        "age": "age",
        "turned": "turned",
        "city": "city",
        "text": "review",
        "label": "kind",
    }
    assert sorted(aged.task.features.names) == ["age", "city=Bonn", "city=Ulm", "turned"]
    assert aged.network.readout.W_hy.shape == (12 + 4, 2)
    given = [
        {"text": "it", "age": 50, "turned": True},
        {"text": "it", "age": 50, "turned": "no", "city": "Rom"},
        {"text": "it", "age": "95", "turned": 0, "city": "Ulm"},
    ]
    assert [answer.label for answer in aged(given)] == ["old", "young", "old"]


def test_an_input_with_columns_may_be_written_as_json_and_named_as_in_training(aged):
    given = {"text": "it", "age": 80, "turned": 0}
    expected = aged(given)
    assert aged(json.dumps(given)) == expected
    assert aged({"review": "it", "age": "80", "turned": "no"}) == expected
    assert expected.text == "it"


@pytest.mark.parametrize(
    "given, message",
    [
        ({"text": "it", "turned": 1}, r"no column is called 'age'; there are: text, turned"),
        ({"text": "it", "age": "old", "turned": 1}, r"column 'age': 'old' is no number"),
        ({"text": "it", "age": 3, "turned": 7}, r"column 'turned': 7 is neither 0 nor 1"),
        ({"age": 3, "turned": 1}, r"no text; there are: age, turned"),
        ("plain text", r"input 'plain text': no column is called 'age'"),
        ('{"text": "it", "age": }', "not JSON"),
        (np.ones((2, 3)), r"array \(2, 3\): an array where a text is read"),
        (None, "a NoneType where a text is read"),
        (b"bytes", "a bytes where a text is read"),
    ],
)
def test_inputs_that_cannot_be_read_are_named(aged, given, message):
    with pytest.raises(DataError, match=message):
        aged(given)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"numbers": ["age"], "binary": ["age"]}, "age is listed twice"),
        ({"categories": ["label"]}, "label is not a feature column"),
        ({"separator": ""}, "separator"),
        ({"answer": "colour"}, "answer"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        load_run(None, [], task="classify", classify=settings)


def test_a_column_of_categories_that_is_not_there_is_named(tmp_path):
    file = lines(tmp_path / "a.jsonl", [{"text": "a", "label": "x"}, {"text": "b", "label": "y"}])
    with pytest.raises(DataError, match=r"a.jsonl: no record has a value in column 'contry'"):
        trained(file, 'classify.categories=["contry"]', "data.valid_share=0")
