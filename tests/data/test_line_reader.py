"""Bytes become lines safely, whatever they are."""

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.character_encoding import MARKS, OTHERS
from seqloom.data.line_reader import ARCHIVES, OLD_OFFICE, read_blocks, read_lines, scan
from seqloom.data.record import Place
from seqloom.data.source import open_source
from seqloom.errors import DataError

ODD = "a\u2028b\x85c\x0bd\x0ce\rf\u2029g\x1ch"
"""Everything that str.splitlines would split at."""


def lines(file, **policy):
    return [line for _, line in read_lines(file, Policy(**policy))]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "packed-without-the-ending"])
def test_lines_come_back_with_their_numbers_from_plain_and_packed_files(write, name):
    content = b"one\n\nthree\n"
    file = write(name, content if name[0] == "a" else gzip.compress(content))
    assert list(read_lines(file, Policy())) == [(1, "one"), (2, ""), (3, "three")]


def test_only_newlines_end_a_line(write):
    assert lines(write("a.txt", f"{ODD}\nnext")) == [ODD, "next"]


@pytest.mark.parametrize(
    "content, expected",
    [
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\nb\r", ["a\r", "b\r"]),  # one \r goes, and only before \n
        (b"\xef\xbb\xbfa\nb", ["a", "b"]),
        (b"a\n\xef\xbb\xbfb", ["a", "\ufeffb"]),  # a mark only at the start of the file
        (b"\n", [""]),
        (b"\xef\xbb\xbf\n", [""]),
        (b"a\n\nb", ["a", "", "b"]),
    ],
)
def test_line_ends_and_marks(write, content, expected):
    assert lines(write("a.txt", content)) == expected


@given(st.lists(st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])), min_size=1))
def test_lines_that_were_written_are_read_back(tmp_path_factory, written):
    file = tmp_path_factory.mktemp("lines") / "a.txt"
    file.write_bytes("".join(f"{line}\r\n" for line in written).encode())
    expected = [written[0].removeprefix("\ufeff"), *written[1:]]
    assert lines(file, longest_line=1000) == expected


@given(st.binary(max_size=200), st.integers(1, 20))
def test_any_bytes_give_every_line_its_number(tmp_path_factory, attempt, raw, longest):
    file = tmp_path_factory.mktemp("bytes") / "a.txt"
    file.write_bytes(raw)
    found, error = attempt(scan(file, Policy("skip", longest)))
    if error is not None:
        assert raw.startswith((b"\x1f\x8b", OLD_OFFICE, *ARCHIVES))
        return
    if raw.startswith(tuple(MARKS)):
        return  # UTF-16, whose lines are elsewhere
    parts = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    parts = parts if parts[-1] else parts[:-1]
    assert [number for number, _ in found] == list(range(1, len(parts) + 1))
    for part, (_, line) in zip(parts, found):
        clean = part.removesuffix(b"\r") if part != parts[-1] or raw.endswith(b"\n") else part
        if isinstance(line, str):
            assert line.encode() in (clean, part)
            assert len(line.encode()) <= longest
        else:
            assert line.reason in ("overlong line", "NUL byte", "invalid UTF-8")


BAD = [
    (b"caf\xe9 au lait", "invalid UTF-8: 0xe9, byte 4 of the line", f"save the file as UTF-8, or {OTHERS}"),
    (
        b"\xed\xa0\x80",
        "invalid UTF-8: 0xed, byte 1 of the line",
        f"save the file as UTF-8, or {OTHERS}",
    ),  # half a surrogate pair
    (b"a\0b", "NUL byte: byte 2 of the line", "check that the file is text"),
    (b"x" * 21, "overlong line: 21 bytes, over 20", "set data.longest_line higher"),
    (b"x" * 999_999, "overlong line: 999,999 bytes, over 20", "set data.longest_line higher"),
]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
@pytest.mark.parametrize("bad, what, remedy", BAD, ids=[what for _, what, _ in BAD])
def test_a_bad_line_is_an_error_with_its_place_or_a_counted_skip(write, bad, what, remedy, name):
    file = write(name, b"good\n" + bad + b"\nbetter\n" + bad)
    with pytest.raises(DataError) as caught:
        lines(file, longest_line=20)
    assert str(caught.value) == f"{file}:2: {what}\n    -> {remedy}, or leave such out with data.on_bad=skip"

    policy = Policy("skip", 20)
    assert list(read_lines(file, policy)) == [(1, "good"), (3, "better")]
    assert policy.report.counts == {what.partition(":")[0]: 2}
    assert policy.report.places == {what.partition(":")[0]: [Place(str(file), 2), Place(str(file), 4)]}


def test_a_line_of_exactly_the_bound_is_good(write):
    file = write("a.txt", b"\xef\xbb\xbf" + b"x" * 20 + b"\r\n" + b"y" * 20 + b"\n" + b"z" * 20)
    assert lines(file, longest_line=20) == ["x" * 20, "y" * 20, "z" * 20]
    with pytest.raises(DataError, match=r":1: overlong line: 20 bytes, over 19"):
        lines(file, longest_line=19)


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_line_of_ten_megabytes_is_passed_over_without_being_held(write, name):
    file = write(name, b"a\n" + b"x" * 10_000_000 + b"\nb\n")
    policy = Policy("skip")
    tracemalloc.start()
    try:
        found = [line for _, line in read_lines(file, policy)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == ["a", "b"]
    assert str(policy.report) == f"left out 1: 1 × overlong line ({file}:2)"
    assert peak < 4_000_000


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_an_empty_file_is_an_error_or_a_counted_skip(write, content, name):
    file = write(name, content)
    with pytest.raises(DataError, match="empty file") as caught:
        lines(file)
    assert caught.value.where == str(file)
    policy = Policy("skip")
    assert list(read_lines(file, policy)) == []
    assert policy.report.places == {"empty file": [Place(str(file))]}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_utf_16_is_read_by_its_mark(write, encoding, name):
    """What Excel writes as Unicode text; 70,000 characters are more than one piece."""
    mark = "\ufeff" if encoding.endswith("be") else ""
    text = f"{mark}早上好\r\n{'😀' * 70_000}\nlast"
    assert lines(write(name, text.encode(encoding))) == ["早上好", "😀" * 70_000, "last"]


def test_half_a_character_of_utf_16_is_a_replacement(write):
    assert lines(write("a.txt", "one\ntwo".encode("utf-16")[:-1])) == ["one", "tw\ufffd"]


@pytest.mark.parametrize(
    "encoding, text", [("cp1252", "café £5 “so”"), ("gb18030", "早上好，世界"), ("shift_jis", "日本語")]
)
def test_another_encoding_is_named_by_the_user(write, encoding, text):
    file = write("a.csv", f"label;text\npos;{text}\nneg;{text} 2\n".encode(encoding))
    with pytest.raises(DataError, match=r":2: invalid UTF-8(.|\n)*data\.encoding=cp1252 .* gb18030"):
        list(open_source(file, task="classify"))
    with pytest.raises(DataError, match=r"there is no record; left out 2: 2 × invalid UTF-8(.|\n)*data\.encoding"):
        list(open_source(file, task="classify", on_bad="skip"))
    found = [record.columns["text"] for record in open_source(file, task="classify", encoding=encoding)]
    assert found == [text, f"{text} 2"]


def test_what_is_no_readable_file_is_said_in_words(tmp_path, write, monkeypatch):
    packed = gzip.compress(b"some words\n" * 1000)
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    cases = [
        (tmp_path / "none.txt", "there is no such file"),
        (tmp_path, "is a folder, not a file"),
        (write("cut.gz.bin", packed[:-20]), "the gzip file ends too early"),
        (write("damaged.bin", bytes(damaged)), "the gzip file is damaged"),
        (write("a.zip", b"PK\x03\x04rest"), "is a zip archive"),
    ]
    for file, what in cases:
        with pytest.raises(DataError) as caught:
            lines(file, on_bad="skip")
        assert caught.value.what.startswith(what)
        assert caught.value.where == str(file)
        assert caught.value.remedy

    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # chmod does not stop root
    with pytest.raises(DataError, match="may not be read"):
        lines(tmp_path / "a.txt")


def test_blocks_stand_between_blank_lines_and_a_bad_line_spoils_its_own(write):
    file = write("a.txt", b"\n\na\nb\n\t\nc\n\xff\nd\n\xff\n\ne")
    policy = Policy("skip")
    assert list(read_blocks(file, policy)) == [[(3, "a"), (4, "b")], [(11, "e")]]
    assert policy.report.places == {"invalid UTF-8": [Place(str(file), 7)]}


def test_a_block_without_end_is_not_held(write):
    file = write("a.txt", "abc\nabc\nabc\nabc\n\nabc\nabc\n")
    policy = Policy("skip")
    assert list(read_blocks(file, policy, longest=6)) == [[(6, "abc"), (7, "abc")]]
    assert policy.report.places == {"overlong block": [Place(str(file), 3)]}


def test_a_bad_line_keeps_its_quotes_for_readers_of_quotes(write):
    file = write("a.txt", b'a"\xff\n' + b'"' * 31 + b"\n" + b'"' * 200_000)
    found = [line for _, line in scan(file, Policy("skip", 30))]
    assert all(isinstance(line, Problem) for line in found)
    assert [line.stand_in for line in found if isinstance(line, Problem)] == ['a"\ufffd', '"', ""]
