"""Data that was made to take all memory, all time, or to hang whoever reads it."""

import gzip
import io
import os
import sys
from contextlib import suppress
from importlib import import_module

import numpy as np
import pytest

from seqloom.data.line_reader import open_bytes
from seqloom.data.source import open_source
from seqloom.errors import DataError, SeqloomError
from tests.forked import forked

BOMB = 1 << 31


def test_quotes_that_never_close_take_time_in_measure(write):
    """Each line was looked for the end of its quote to the end of the file: 81 KB took 27 seconds."""
    file = write("a.csv", 'x","\n' * 40_000)
    with pytest.raises(DataError, match=r"a\.csv:\d+: too many quotes are opened and not closed"):
        list(open_source(str(file), format="csv", on_bad="skip"))


def test_one_quote_that_never_closes_is_skipped_as_before(write):
    file = write("a.csv", 'label,text\n1,"open\n' + "2,closed\n" * 50)
    assert len(list(open_source(str(file), format="csv", on_bad="skip"))) == 50


def test_a_header_of_many_columns_takes_time_in_measure(write):
    """Each name was looked for among all others: a header of a megabyte took minutes."""
    names = ",".join(f"c{number}" for number in range(130_000))
    file = write("a.csv", f"label,text,{names}\ngood,a film{',' * 130_000}\n")
    found = forked(lambda: sum(len(record.columns) for record in open_source(str(file), task="classify")), seconds=60)
    assert (found.kind, found.text) == ("answer", "130002"), found


def packed(header: bytes, piece: bytes, size: int) -> bytes:
    """So many bytes of one piece again and again, packed once: gzip files may stand one after the other."""
    together = piece * max((1 << 20) // len(piece), 1)
    return gzip.compress(header) + gzip.compress(together, 1) * (size // len(together))


def npy_header(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return stream.getvalue()


@pytest.mark.parametrize(
    "name, content, said",
    [
        ("a.npy.gz", packed(npy_header((BOMB // 4, 1)), bytes(1 << 20), BOMB), "a sequence of 2,147,483,648 bytes"),
        ("a.csv.gz", packed(b"", b"1,2,3,4,5,6,7,8,9,0\n" * 50_000, 40 << 20), "overlong block"),
        ("c.csv.gz", packed(b"", b"1," * 4_000 + b"1\n", 40 << 20), "characters without a blank line"),
        ("b.csv.gz", packed(b"", b"1\n" * 500_000, 3_300_000), "overlong block"),
    ],
)
def test_a_packed_file_of_frames_takes_no_more_memory_than_a_sequence_may(name, content, said, tmp_path):
    (tmp_path / name).write_bytes(content)

    def read() -> int:
        return len(list(open_source(str(tmp_path / name), format="npy" if "npy" in name else "frames")))

    found = forked(read, more_bytes=1 << 30)
    assert found.kind == "error", found
    assert said in found.text


def test_a_pipe_among_files_is_said_and_not_waited_for(tmp_path):
    for label in ("good", "bad"):
        (tmp_path / "data" / label).mkdir(parents=True)
        (tmp_path / "data" / label / "1.txt").write_text("a film")
    os.mkfifo(tmp_path / "data" / "bad" / "2.txt")
    with pytest.raises(DataError, match=r"2\.txt: is not a regular file but a pipe or a device"):
        list(open_source(str(tmp_path / "data")))
    with pytest.raises(DataError, match="is not a regular file"), open_bytes(tmp_path / "data" / "bad" / "2.txt"):
        pass


@pytest.mark.parametrize("where", ["~x.tsv", "~nobody-of-this-name/x.tsv"])
def test_a_name_that_begins_like_a_home_is_a_name(where):
    with pytest.raises(DataError, match="there is no such file"):
        open_source(where)


def test_damaged_parquet_is_said(tmp_path):
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    file = tmp_path / "a.parquet"
    parquet.write_table(arrow.table({"label": ["a", "b"] * 50, "text": ["x y", "z"] * 50}), file)
    whole = file.read_bytes()

    def read_all() -> None:
        for place in range(4, len(whole), 11):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
            with suppress(SeqloomError):
                list(open_source(str(file)))

    found = forked(read_all, seconds=60)
    assert found.kind == "answer", found.text


def test_labels_do_not_steer_the_terminal():
    from seqloom.cli.console import TerminalConsole

    screen = TerminalConsole(file=io.StringIO(), force_terminal=True)
    screen.print("good\x1b]0;title\x07 \x9b31m", style="bold", highlight=False)
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "good␛]0;title" in shown and "\x07" not in shown and "\x9b" not in shown
    assert shown.startswith("\x1b[1m"), "its own colours stay"
    assert "\x1b" not in str(DataError("the label \x1b[2J", where="a\x1b.tsv"))


def test_an_answer_does_not_steer_the_terminal(monkeypatch):
    from seqloom.cli.predict import line_of

    class Answer:
        text = "x"

        def __str__(self) -> str:
            return "\x1b[2Jgood"

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert line_of(Answer(), as_json=False) == "␛[2Jgood"
