"""JSON lines."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.bad_records import Policy
from seqloom.data.record import Place
from seqloom.data.sources.jsonl import is_array, read_json_array, read_jsonl
from seqloom.errors import DataError


def test_an_object_is_a_record_with_its_values_as_they_are(write):
    first = {"text": "a\nb\u2028", "label": 3, "score": -0.5, "tags": ["x", "y"], "hole": None, "ok": True}
    file = write("a.jsonl.gz", json.dumps(first) + '\n\n{"text": "c"}')
    policy = Policy()
    records = list(read_jsonl(file, policy))
    assert [record.columns for record in records] == [first, {"text": "c"}]
    assert [record.place for record in records] == [Place(str(file), 1), Place(str(file), 3)]
    assert policy.report.counts == {"empty line": 1}


def test_rows_of_numbers_are_frames(write):
    (record,) = read_jsonl(write("a.jsonl", '{"frames": [[1, 2.5, 3], [4, 5, 6]]}'))
    frames = record.columns["frames"]
    assert isinstance(frames, np.ndarray)
    assert frames.dtype == np.float32
    assert frames.tolist() == [[1, 2.5, 3], [4, 5, 6]]


BAD = [
    ('{"text": }', "not JSON: Expecting value, character 10 of the line"),
    ('["a"]', "not an object: a list"),
    ('"a"', "not an object: a str"),
    ('{"text": {"en": "a"}}', "nested value: column 'text': a dict"),
    ('{"text": [["a"], ["b"]]}', "nested value: column 'text': an array of 2 axes and type <U1"),
    ('{"text": [[1], [2, 3]]}', "nested value: column 'text': rows of unequal length, or no numbers"),
    ('{"text": "\\ud800"}', "invalid UTF-8: column 'text': half a surrogate pair, character 1 of the text"),
    ('{"text": "a\\u0000"}', "NUL byte: column 'text': character 2 of the text"),
    ('{"text": NaN}', "not a finite number: column 'text': nan"),
    ('{"text": 1e999}', "not a finite number: column 'text': inf"),
    ('{"text": [1, 1e300]}', "not a finite number: column 'text': NaN, infinite, or too large for float32"),
]


@pytest.mark.parametrize("line, what", BAD, ids=[line for line, _ in BAD])
def test_what_cannot_be_used_is_an_error_with_its_place_or_a_counted_skip(write, line, what):
    file = write("a.jsonl", f'{{"text": "a"}}\n{line}\n{{"text": "b"}}\n')
    with pytest.raises(DataError) as caught:
        list(read_jsonl(file))
    assert (caught.value.where, caught.value.what) == (f"{file}:2", what)
    policy = Policy("skip")
    assert [record.columns["text"] for record in read_jsonl(file, policy)] == ["a", "b"]
    assert policy.report.counts == {what.partition(":")[0]: 1}


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a": ' + "9" * 5000 + "}", '{"a": 1' + "0" * 400 + "}"])
def test_what_breaks_the_parser_or_the_numbers_is_a_problem_like_any_other(write, line):
    with pytest.raises(DataError, match=r"a.jsonl:1: not "):
        list(read_jsonl(write("a.jsonl", line)))


def test_only_columns_asked_for_need_values_that_can_be_used(write):
    file = write("a.jsonl", '{"text": "a", "meta": {"id": 1}}')
    assert [record.columns for record in read_jsonl(file, asked=["text"])] == [{"text": "a"}]
    with pytest.raises(DataError, match="column 'meta'"):
        list(read_jsonl(file, asked=["meta"]))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


@given(st.binary(max_size=40) | values.map(lambda value: json.dumps({"a": value}).encode()))
def test_any_bytes_are_records_or_a_data_error(tmp_path_factory, attempt, raw):
    file = tmp_path_factory.mktemp("any") / "a.jsonl"
    file.write_bytes(raw)
    records, error = attempt(read_jsonl(file))
    for record in records:
        for value in record.columns.values():
            assert value is None or isinstance(value, str | int | float | list | np.ndarray)
    assert error is None or error.where.startswith(str(file))


ROWS = [{"text": "a [fine] film, }", "label": "pos"}, {"text": "早上好", "label": "neg"}] * 3000


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_objects_is_read_one_at_a_time(write, indent):
    file = write("a.json", "\ufeff" + json.dumps(ROWS, indent=indent, ensure_ascii=False))
    assert is_array(file)
    records = list(read_json_array(file))
    assert [record.columns for record in records] == ROWS
    lines = [2, 6, 10] if indent else [1, 1, 1]
    assert [record.place.line for record in records[:3]] == lines


def test_lines_of_objects_are_no_array(write):
    assert not is_array(write("a.json", '{"text": "[a]"}\n{"text": "b"}\n'))


@pytest.mark.parametrize(
    "text, line, what",
    [
        ('[{"text": "a"},\n{"text": }]', 2, "not JSON: Expecting value, line 2"),
        ('[{"text": "a"}', 1, "not JSON: the array is not closed"),
        ('[{"text": "a"}, 3]', 1, "not an object: a int"),
        ('[{"text": {"en": "a"}}]', 1, "nested value: column 'text': a dict"),
    ],
)
def test_what_is_wrong_in_an_array_has_its_line(write, text, line, what):
    file = write("a.json", text)
    with pytest.raises(DataError) as caught:
        list(read_json_array(file))
    assert str(caught.value).startswith(f"{file}:{line}: {what}")


@given(st.text('[]{},:"a1\\\n ', max_size=30))
def test_any_text_is_objects_or_an_error(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("any") / "a.json"
    file.write_text(text)
    assert all(isinstance(record.columns, dict) for record in read_json_array(file, Policy("skip")))
