import struct
import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seqloom.errors import DamagedError, DataError, OutputError, SeqloomError
from seqloom.vectors.vector_files import read_vectors, write_vectors
from seqloom.vectors.word_vectors import WordVectors

ROWS = {"the": [1.0, -0.5], "cat": [0.25, 2e-3], "猫": [-3.0, 1e10]}
TEXT = "the 1.0 -0.5\ncat 0.25 2e-3\n猫 -3 1e10\n"


def packed(rows=ROWS, header=None, end=b"\n"):
    """A binary file, by struct."""
    body = b"".join(word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + end for word, row in rows.items())
    return (header or f"{len(rows)} 2\n".encode()) + body


def expect(loaded, rows=ROWS):
    assert loaded.vectors.words == tuple(rows)
    np.testing.assert_array_equal(loaded.vectors.matrix.numpy(), np.array(list(rows.values()), np.float32))


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.gz"])
@pytest.mark.parametrize(
    "content, kind",
    [
        (TEXT, "text"),
        ("3 2\n" + TEXT, "text"),
        ("3 2\n" + TEXT.replace("\n", " \n"), "text"),  # as word2vec writes it
        (TEXT.replace("\n", "\r\n"), "text"),
        ("\ufeff" + TEXT, "text"),
        (TEXT.replace(" ", "\t"), "text"),
        (TEXT.rstrip("\n"), "text"),
        (TEXT + "\n\n", "text"),
        (packed(), "binary"),
        (packed(end=b""), "binary"),
    ],
)
def test_every_layout_reads_the_same(write, name, content, kind):
    loaded = read_vectors(write(name, content))
    expect(loaded)
    assert (loaded.kind, loaded.rows, loaded.duplicates) == (kind, 3, 0)


def test_a_binary_row_may_begin_with_a_line_end(write):
    row = struct.unpack("<2f", b"\n\n\x80\xbf\x20\x20\x80\x3f")
    expect(read_vectors(write("x.bin", packed({"the": row, "cat": row}))), {"the": row, "cat": row})


def test_long_binary_files_are_read_across_pieces(write, monkeypatch):
    monkeypatch.setattr("seqloom.vectors.binary_format.PIECE", 7)
    monkeypatch.setattr("seqloom.vectors.binary_format.LONGEST_WORD", 5)
    rows = {f"w{at}": [at + 0.5, -at] for at in range(99)}
    expect(read_vectors(write("x.bin", packed(rows))), rows)


def test_words_may_have_spaces_in_text(write):
    rows = {". . .": [1, 2], "at name@domain.com": [3, 4], "a\u00a0b\u0085c\u2028d": [5, 6]}
    text = "the 0 0\n" + "".join(f"{word} {a} {b}\n" for word, (a, b) in rows.items())
    expect(read_vectors(write("x.txt", text)), {"the": [0, 0], **rows})


@pytest.mark.parametrize("content", [TEXT, "3 2\n" + TEXT, packed()])
def test_only_wanted_words_and_only_the_first_rows(write, content):
    file = write("x", content)
    expect(read_vectors(file, wanted={"cat", "dog"}), {"cat": ROWS["cat"]})
    expect(read_vectors(file, wanted=["Cat"]), {"cat": ROWS["cat"]})  # its small spelling
    expect(read_vectors(file, limit=2), {word: ROWS[word] for word in ("the", "cat")})
    assert read_vectors(file, wanted={"the"}, limit=2).rows == 2
    with pytest.raises(DataError, match="none of the requested words was found"):
        read_vectors(file, wanted={"猫"}, limit=2)


def test_a_wanted_word_may_have_spaces(write):
    file = write("x", "the 1 2\n. . . 3 4\n. 5 6\n")
    expect(read_vectors(file, wanted={". . ."}), {". . .": [3, 4]})


@pytest.mark.parametrize("content", ["the 1 2\ncat 3 4\nthe 5 6\nthe 7 8\n", packed({"the": [1, 2], "cat": [3, 4]})])
def test_the_first_of_duplicates_counts(write, content):
    if isinstance(content, bytes):
        content = b"4 2\n" + content[4:] + 2 * (b"the " + struct.pack("<2f", 5, 6))
    loaded = read_vectors(write("x", content))
    expect(loaded, {"the": [1, 2], "cat": [3, 4]})
    assert (loaded.rows, loaded.duplicates) == (4, 2)


HOSTILE = [
    ("the 1 2\ncat 3\n", ":2: 1 numbers where 2 are due"),
    ("the 1 2\ncat 3 4 5\n", ":2: 3 numbers where 2 are due"),
    ("the 1 2\ncat\n", ":2: 0 numbers where 2 are due"),
    ("2 3\nthe 1 2 3 4\n", ":2: 4 numbers where 3 are due"),
    ("the 1 2\ncat 3 x4\n", ":2: 'x4' is not a number"),
    ("the 1 2\ncat 3 1_0\n", ":2: '1_0' is not a number"),
    ("the 1 2\ncat  3\n", ":2: '' is not a number"),
    ("2 2\nthe one two\ncat 1 2\n", ":2: 'one' is not a number"),
    ("the 1 2\ncat 3 nan\n", ":2: a number is not finite"),
    ("the 1 2\ncat 3 -inf\n", ":2: a number is not finite"),
    ("the 1 2\ncat 3 1e300\n", ":2: a number is not finite"),
    ("the 1 2\n\ncat 3 4\n", ":2: an empty line between rows"),
    ("the 1 2\n 3 4\n", ":2: a row without a word"),
    ("3 2\nthe 1 2\ncat 3 4\n", ":3: the header promises 3 rows, the file has 2"),
    ("1 2\nthe 1 2\ncat 3 4\n", ":3: the header promises 1 rows, the file has more"),
    ("3 2\n", ":1: the header promises 3 rows, the file has 0"),
    ("0 2\n", ":1: the header promises 0 rows"),
    ("2 0\nthe\n", ":1: the header promises 2 rows of 0 numbers"),
    ("1000000000000 2\nthe 1 2\n", "the header promises 1,000,000,000,000 rows, the file has 1"),
    ("2 1000000000000\nthe 1 2\n", ":1: the header promises 2 rows of 1,000,000,000,000 numbers"),
    ("9" * 5000 + " 2\nthe 1 2\n", ":1: the header's counts are impossible"),
    ("the\ncat\n", ":1: a word without numbers"),
    (b"the 1 2\nc\xffat 3 4\n", r":2: a word is not UTF-8: byte 2 of b'c\xffat'"),
    (b"the 1 2\nc\0at 3 4\n", ":2: a NUL byte in a word"),
    (b"2 2\nc\0at 3 4\n", ":2: a NUL byte in a word"),
    (b"", ":1: has no vectors"),
    (b"\n\n", ":1: has no vectors"),
    (b"PK\x03\x04aaaa", "is a zip archive"),
    (b"\x1f\x8b\x08\x00aaaaaaaa", "the gzip file"),
    ("the 1 2\n" + "a" * 20_000 + " 1 2\n", ":2: a word of 20,000 bytes"),
    (packed()[:-3], "byte 30: row 3 of 3 ('猫') is cut off"),
    (packed()[:10], "byte 4: row 1 of 3 ('the') is cut off"),
    (packed()[:30], "byte 30: the header promises 3 rows, the file has 2"),
    (packed(header=b"4 2\n"), "the header promises 4 rows, the file has 3"),
    (packed(header=b"2 2\n"), "byte 29: the header promises 2 rows, the file has more"),
    (packed(header=b"1000000000000 2\n"), "the header promises 1,000,000,000,000 rows, the file has 3"),
    (packed(header=b"3 99999\n"), "row 1 of 3 ('the') is cut off"),
    (packed({"a": [1, 2], "": [3, 4]}), "row 2 of 2: a row without a word"),
    (packed({"a": [1, 2], "b" * 20_000: [3, 4]}), "row 2 of 2: a word has no end"),
    (packed({"a": [1, float("nan")]}), "byte 4: a number is not finite"),
    (packed({"a": [1, 2]}).replace(b"a ", b"\xff "), "byte 4: a word is not UTF-8"),
]


@pytest.mark.parametrize("content, what", HOSTILE, ids=[what for _, what in HOSTILE])
def test_hostile_files_are_refused_with_their_place_and_a_remedy(write, content, what):
    file = write("x", content)
    with pytest.raises(DataError) as caught:
        read_vectors(file)
    assert what in str(caught.value)
    assert str(caught.value).startswith(str(file)) and caught.value.remedy


def test_a_line_without_end_is_not_read_to_its_end(write, monkeypatch):
    monkeypatch.setattr("seqloom.vectors.text_format.LONGEST_LINE", 100)
    with pytest.raises(DataError, match=r":2: a line of over 100 bytes"):
        read_vectors(write("x", "the 1 2\n" + "cat " + "1" * 200))


def test_what_is_no_file(tmp_path, write):
    with pytest.raises(DataError, match="there is no such file"):
        read_vectors(tmp_path / "none")
    with pytest.raises(DataError, match="is a folder"):
        read_vectors(tmp_path)
    with pytest.raises(DataError, match=r"(?s)has no header.*read it as text"):
        read_vectors(write("x", TEXT), kind="binary")
    with pytest.raises(SeqloomError, match="a limit of 0 rows"):
        read_vectors(write("x", TEXT), limit=0)


def test_the_kind_may_be_told(write):
    readable = {"aaaa": struct.unpack("<2f", b"bbbb" * 2)}
    file = write("x", packed(readable))
    with pytest.raises(DataError):
        read_vectors(file)
    expect(read_vectors(file, kind="binary"), readable)


@pytest.mark.parametrize("size", [b"999999999999 99999", b"999999999999 2", b"2 999999999999"])
def test_a_header_that_lies_takes_no_memory(write, size):
    file = write("x", size + b"\nthe " + b"\x01" * 50)
    tracemalloc.start()
    with pytest.raises(DataError):
        read_vectors(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20


@pytest.mark.parametrize("kind", ["text", "binary", "folder"])
def test_what_is_written_is_read_back_to_the_bit(tmp_path, kind):
    matrix = torch.randn(50, 7) * torch.logspace(-38, 38, 50)[:, None]
    vectors = WordVectors(tuple(f"wörd-{at}" for at in range(50)), matrix)
    write_vectors(vectors, tmp_path / "x", kind)
    loaded = read_vectors(tmp_path / "x")
    assert loaded.kind == kind and loaded.vectors.words == vectors.words
    assert torch.equal(loaded.vectors.matrix, matrix)
    assert [file.name for file in tmp_path.iterdir()] == ["x"]
    some = read_vectors(tmp_path / "x", wanted={"wörd-7"}, limit=9)
    assert some.rows == 9 and torch.equal(some.vectors.matrix, matrix[7:8])


def test_a_binary_file_is_what_word2vec_writes(tmp_path):
    write_vectors(WordVectors(tuple(ROWS), torch.tensor(list(ROWS.values()))), tmp_path / "x", "binary")
    assert (tmp_path / "x").read_bytes() == packed()


@pytest.mark.parametrize("word", ["New York", "", "a\tb", "a\nb", "a\0b"])
@pytest.mark.parametrize("kind", ["text", "binary"])
def test_words_that_a_file_would_not_give_back_are_not_written(tmp_path, word, kind):
    vectors = WordVectors(("cat", word), torch.ones(2, 3))
    with pytest.raises(DataError, match="cannot be written to a"):
        write_vectors(vectors, tmp_path / "x", kind)
    write_vectors(vectors, tmp_path / "y", "folder")
    assert read_vectors(tmp_path / "y").vectors.words == vectors.words
    assert [file.name for file in tmp_path.iterdir()] == ["y"]


def test_a_file_that_cannot_be_written_is_left_as_it_was(tmp_path):
    with pytest.raises(OutputError, match="cannot write"):
        write_vectors(WordVectors(("cat",), torch.ones(1, 3)), tmp_path / "none" / "x", "text")


def test_a_damaged_folder_is_refused(tmp_path):
    write_vectors(WordVectors(("cat",), torch.ones(1, 3)), tmp_path / "x", "folder")
    (tmp_path / "x" / "words.json").write_text('{"words": ["dog"]}')
    with pytest.raises(DamagedError, match="is damaged"):
        read_vectors(tmp_path / "x")


@given(st.binary(max_size=60), st.sampled_from([b"", b"2 2\n", b"1 1\n", b"a 1\n", b"2 2\na 1 2\n"]))
def test_whatever_a_file_holds_it_is_read_or_refused(tmp_path_factory, content, start):
    file = tmp_path_factory.mktemp("vectors") / "x"
    file.write_bytes(start + content)
    try:
        loaded = read_vectors(file)
    except DataError:
        return
    assert loaded.vectors.matrix.isfinite().all()
    assert loaded.rows == len(loaded.vectors) + loaded.duplicates
