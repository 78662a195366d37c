"""Feature columns beside the text."""

import json

import numpy as np
import pytest

from seqloom.data.features import Features
from seqloom.data.record import Place, Record
from seqloom.errors import DataError


def record(line=1, **columns):
    return Record(columns, Place("people.csv", line))


PEOPLE = [
    record(age="35", male="1", country="CN"),
    record(age="31", male="0", country="FR"),
    record(age=29, male=True, country="CN"),
    record(age="45.5", male=0.0, country=""),
    record(age="28", male="no", country="US"),
]


def test_a_row_is_numbers_then_binary_then_one_hot_with_the_frequent_first():
    features = Features(["age"], ["male"], ["country"]).fit(PEOPLE)
    assert features.names == ["age", "male", "country=CN", "country=FR", "country=US"]
    assert len(features) == 5
    rows = np.stack([features(person) for person in PEOPLE])
    assert rows.dtype == np.float32
    assert rows.tolist() == [
        [35, 1, 1, 0, 0],
        [31, 0, 0, 1, 0],
        [29, 1, 1, 0, 0],
        [45.5, 0, 0, 0, 0],  # missing: all zero
        [28, 0, 0, 0, 1],
    ]


@pytest.mark.parametrize("country", [{"country": "DE"}, {"country": None}, {"country": " "}, {}])
def test_a_category_unseen_or_missing_is_the_zero_vector(country):
    features = Features(categories=["country"]).fit(PEOPLE)
    assert features(record(**country)).tolist() == [0, 0, 0]


def test_categories_do_not_depend_on_the_order_of_the_data():
    forward, backward = (Features(categories=["country"]).fit(people) for people in (PEOPLE, PEOPLE[::-1]))
    assert forward.names == backward.names


def test_standardised_numbers_have_mean_zero_and_deviation_one():
    people = [record(age=age, same=7) for age in (1e6 + 1, 1e6 + 2, 1e6 + 6)]
    features = Features(["age", "same"], standardise=True).fit(people)
    rows = np.stack([features(person) for person in people])
    np.testing.assert_allclose(rows[:, 0].mean(), 0, atol=1e-6)
    np.testing.assert_allclose(rows[:, 0].std(), 1, atol=1e-6)
    assert rows[:, 1].tolist() == [0, 0, 0]


def test_what_was_learned_survives_json():
    features = Features(["age"], ["male"], ["country"], standardise=True).fit(PEOPLE)
    again = Features.from_json(json.loads(json.dumps(features.to_json())))
    assert again.names == features.names
    for person in PEOPLE:
        np.testing.assert_array_equal(again(person), features(person))


@pytest.mark.parametrize(
    "columns, what",
    [
        ({"age": "old", "male": 1}, "column 'age': 'old' is no number"),
        ({"age": "nan", "male": 1}, "column 'age': 'nan' is no number"),
        ({"age": "1e39", "male": 1}, "column 'age': '1e39' is no number"),  # infinite as float32
        ({"age": None, "male": 1}, "column 'age': None is no number"),
        ({"age": 3, "male": "2"}, "column 'male': '2' is neither 0 nor 1"),
        ({"age": 3, "male": 0.5}, "column 'male': 0.5 is neither 0 nor 1"),
        ({"male": 1}, "no column is called 'age'; there are: male"),
    ],
)
def test_a_value_that_is_none_is_an_error_with_its_place(columns, what):
    with pytest.raises(DataError) as caught:
        Features(["age"], ["male"])(record(7, **columns))
    assert (caught.value.where, caught.value.what) == ("people.csv:7", what)
