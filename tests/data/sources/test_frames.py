"""Sequences of number vectors."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.bad_records import Policy
from seqloom.data.source import open_source
from seqloom.data.sources.frames import read_frames, read_npy
from seqloom.errors import DataError


def packed(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def frames_of(records):
    return [(record.columns["frames"], record.place.line) for record in records]


@pytest.mark.parametrize("name", ["a.npy", "a.npy.gz"])
@pytest.mark.parametrize("kind", ["<f4", ">f8", "<f2", "|u1", "<i8", "|b1"])
@pytest.mark.parametrize("by_column", [False, True])
def test_two_axes_are_one_sequence_and_three_are_many(write, name, kind, by_column):
    array = (np.arange(24).reshape(2, 3, 4) % 5).astype(kind)
    array = np.asfortranarray(array) if by_column else array
    found = frames_of(read_npy(write(name, packed(array))))
    assert [line for _, line in found] == [1, 2]
    for frames, expected in zip([frames for frames, _ in found], array):
        assert frames.dtype == np.float32
        np.testing.assert_array_equal(frames, expected.astype(np.float32))
    ((frames, _),) = frames_of(read_npy(write(name, packed(array[1]))))
    np.testing.assert_array_equal(frames, array[1].astype(np.float32))


@pytest.mark.parametrize(
    "array",
    [np.zeros(3), np.zeros((1, 1, 1, 1)), np.zeros((0, 2)), np.array([["a"]]), np.zeros((2, 2), complex)],
    ids=str,
)
def test_what_is_no_sequence_of_frames_is_an_error(write, array):
    with pytest.raises(DataError, match=r"a.npy: holds no frames"):
        list(read_npy(write("a.npy", packed(array))))


def test_objects_are_refused_and_nothing_in_them_runs(write):
    class Mine:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was read",))

    file = write("a.npy", packed(np.array([[Mine()]], dtype=object), allow_pickle=True))
    with pytest.raises(DataError, match="holds no frames"):
        list(read_npy(file))


def test_a_file_cut_short_is_an_error_and_a_false_header_takes_no_memory(write):
    whole = packed(np.zeros((3, 4)))
    with pytest.raises(DataError, match="the file ends too early"):
        list(read_npy(write("a.npy", whole[:-1])))
    false = whole.replace(b"(3, 4), }          ", b"(99999999999, 999)}")
    assert false != whole
    with pytest.raises(DataError, match="a sequence of 799,199,999,992,008 bytes, over 268,435,456"):
        list(read_npy(write("a.npy", false)))


def test_a_number_that_is_none_is_an_error_or_a_counted_skip(write):
    array = np.zeros((3, 2, 2))
    array[1, 0, 1] = np.nan
    file = write("a.npy", packed(array))
    with pytest.raises(DataError, match=r"a.npy:2: not a finite number"):
        list(read_npy(file))
    policy = Policy("skip")
    assert [line for _, line in frames_of(read_npy(file, policy))] == [1, 3]
    assert policy.report.counts == {"not a finite number": 1}


@given(st.binary(max_size=120), st.booleans())
def test_any_bytes_behind_the_magic_are_a_data_error(tmp_path_factory, raw, one):
    file = tmp_path_factory.mktemp("any") / "a.npy"
    file.write_bytes(b"\x93NUMPY" + bytes([1 if one else 2, 0]) + raw)
    with pytest.raises(DataError):
        list(read_npy(file))


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_lines_are_frames_and_blank_lines_stand_between_sequences(write, name):
    found = frames_of(read_frames(write(name, "x,y\n1,2\n3,-4.5e1\n\n5,6\n")))
    assert [(frames.tolist(), line) for frames, line in found] == [([[1, 2], [3, -45]], 2), ([[5, 6]], 5)]
    ((frames, _),) = frames_of(read_frames(write(name, "1 2\t3\n")))
    assert frames.tolist() == [[1, 2, 3]]


@pytest.mark.parametrize(
    "line, what",
    [
        ("1,2,3", "wrong number of columns: 3 where the first row has 2"),
        ("1,x", "not a number: column 2"),
        ("1,", "not a number: column 2"),
        ("1,1_0", "not a number: column 2"),
        ("inf,1", "not a finite number: column 1: NaN, infinite, or too large for float32"),
    ],
)
def test_a_bad_frame_is_an_error_with_its_place_or_its_sequence_is_skipped(write, line, what):
    file = write("a.csv", f"0,0\n\n1,1\n{line}\n2,2\n\n3,3\n")
    with pytest.raises(DataError) as caught:
        list(read_frames(file))
    assert (caught.value.where, caught.value.what) == (f"{file}:4", what)
    policy = Policy("skip")
    assert [frames.tolist() for frames, _ in frames_of(read_frames(file, policy))] == [[[0, 0]], [[3, 3]]]
    assert policy.report.counts == {what.partition(":")[0]: 1}


@pytest.mark.parametrize("content", ["", "\n \n", "x y\n\n"])
def test_a_text_without_frames_is_an_error_or_a_counted_skip(write, content):
    file = write("a.csv", content)
    with pytest.raises(DataError, match=r"a.csv: (empty file|no frames)"):
        list(read_frames(file))
    policy = Policy("skip")
    assert list(read_frames(file, policy)) == []
    assert policy.report.total == 1


@pytest.mark.parametrize("format", ["npy", "frames"])
def test_frames_of_several_files_have_one_width(write, format):
    for name, width in (("a", 2), ("b", 3), ("c", 2)):
        rows = np.ones((4, width))
        write(
            f"{name}.{format}", packed(rows) if format == "npy" else "\n".join(" ".join(map(str, row)) for row in rows)
        )
    pattern = write("any", "").with_name(f"*.{format}")
    with pytest.raises(
        DataError, match=rf"b.{format}:1: frames of another width: 3 numbers, and those of .*a.{format}:1 have 2"
    ):
        list(open_source(pattern, format=format))
    source = open_source(pattern, format=format, on_bad="skip")
    assert [frames.shape for frames, _ in frames_of(source)] == [(4, 2), (4, 2)]
    assert source.report.counts == {"frames of another width": 1}
