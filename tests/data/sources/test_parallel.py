"""Parallel files stay in step, whatever is in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.bad_records import Policy
from seqloom.data.record import Place, Record
from seqloom.data.sources.parallel import read_parallel
from seqloom.errors import DataError


def test_a_line_meets_its_partner(write):
    files = {"source": write("a.en.gz", "one\ntwo\n"), "target": write("a.de", "eins\r\nzwei")}
    assert list(read_parallel(files)) == [
        Record({"source": "one", "target": "eins"}, Place(str(files["source"]), 1)),
        Record({"source": "two", "target": "zwei"}, Place(str(files["source"]), 2)),
    ]


def test_a_line_bad_in_one_file_is_left_out_of_both_and_pairs_do_not_shift(write):
    source = write("a.en", b"1\n\xff\n3\n4\n5\x0c\xe2\x80\xa8\n6\n \n8")
    target = write("a.de", b"1\n2\nx\0\n\n5\n6\n\n8\n")
    policy = Policy("skip")
    pairs = [
        (r.columns["source"], r.columns["target"]) for r in read_parallel({"source": source, "target": target}, policy)
    ]
    assert pairs == [("1", "1"), ("5\x0c\u2028", "5"), ("6", "6"), ("8", "8")]
    assert policy.report.counts == {"invalid UTF-8": 1, "NUL byte": 1, "empty line": 2}
    assert policy.report.places["empty line"] == [Place(str(target), 4), Place(str(source), 7)]


def test_an_empty_line_on_one_side_is_an_error_that_names_both_files(write):
    files = {"source": write("a.en", "one\ntwo\n"), "target": write("a.de", "eins\n\n")}
    with pytest.raises(DataError) as caught:
        list(read_parallel(files))
    assert caught.value.where == f"{files['target']}:2"
    assert caught.value.what == "empty line"
    assert f"take the line out of this file and of {files['source']}" in caught.value.remedy


@pytest.mark.parametrize("on_bad", ["error", "skip"])
def test_unequal_files_are_an_error_with_both_counts_under_every_policy(write, on_bad):
    files = {"source": write("a.en", "one\ntwo\nthree\n"), "target": write("a.de", "eins\nzwei")}
    with pytest.raises(DataError) as caught:
        list(read_parallel(files, Policy(on_bad)))
    assert caught.value.what == f"unequal files: {files['source']} has 3 lines, {files['target']} has 2 lines"
    assert caught.value.where == f"{files['target']}:3"


def test_unequal_files_are_found_when_the_odd_line_is_bad(write):
    files = {"source": write("a.en", b"one\n\xff"), "target": write("a.de", "eins\n")}
    with pytest.raises(DataError, match="unequal files"):
        list(read_parallel(files, Policy("skip")))


sides = st.lists(st.binary(max_size=8).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=8)


@given(sides, sides)
def test_pairs_never_shift_whatever_the_bytes(tmp_path_factory, attempt, left, right):
    folder = tmp_path_factory.mktemp("pairs")
    files = {"source": folder / "a.en", "target": folder / "a.de"}
    for file, side in zip(files.values(), (left, right)):  # every line begins with its number
        file.write_bytes(b"".join(b"%d:%s\n" % (number, line) for number, line in enumerate(side, 1)))
    policy = Policy("skip", longest_line=6)
    records, error = attempt(read_parallel(files, policy))
    for record in records:
        source, target = record.columns["source"], record.columns["target"]
        assert source.split(":")[0] == target.split(":")[0] == str(record.place.line)
    assert len(records) + policy.report.total == min(len(left), len(right))
    assert (error is not None and "unequal" in str(error)) == (len(left) != len(right))
