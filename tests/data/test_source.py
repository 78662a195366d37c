"""Any data opens the same way."""

import gzip
import json
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from seqloom.data.formats import Folders, find_files
from seqloom.data.record import Place
from seqloom.data.source import open_source
from seqloom.errors import DataError, UnknownName


def columns_of(source):
    return [record.columns for record in source]


REVIEWS = [{"label": "pos", "text": "a fine film"}, {"label": "neg", "text": "a bad film"}]


@pytest.fixture
def reviews(write, tmp_path):
    """The same reviews in every format."""

    def reviews(format):
        pairs = [(review["label"], review["text"]) for review in REVIEWS]
        if format == "parquet":
            pq.write_table(pa.Table.from_pylist(REVIEWS), tmp_path / "a.parquet")
            return tmp_path / "a.parquet"
        if format == "folder":
            for label, text in pairs:
                write(f"folder/{label}/1.txt", text)
            return tmp_path / "folder"
        if format == "labelled":
            return {label: write(f"a.{label}", text) for label, text in pairs}
        if format == "parallel":
            texts, labels = "\n".join(text for _, text in pairs), "\n".join(label for label, _ in pairs)
            return {"text": write("a.x", texts), "label": write("a.y", labels)}
        if format == "python":
            return pairs
        content = {
            "tsv": "".join(f"{label}\t{text}\n" for label, text in pairs),
            "csv": "text,label\n" + "".join(f'"{text}",{label}\n' for label, text in pairs),
            "jsonl": "".join(json.dumps(review) + "\n" for review in REVIEWS),
        }
        return write(f"a.{format}.gz", content[format])

    return reviews


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "parquet", "folder", "labelled", "parallel", "python"])
def test_the_same_reviews_come_from_every_format_and_come_again(reviews, format):
    source = open_source(reviews(format), task="classify")
    assert source.format == format
    for _ in range(2):
        assert sorted(columns_of(source), key=lambda found: found["label"]) == REVIEWS[::-1]
    assert not source.report


@pytest.mark.parametrize(
    "name, content, task, format",
    [
        ("a.txt", "words", None, "text"),
        ("a.txt", "a\tb", None, "text"),
        ("a.txt", "a\tb", "generate", "text"),
        ("a.txt.gz", "\na\tb", "translate", "tsv"),
        ("a.en", "words", "generate", "text"),
        ("a.txt", "the\tDET", "tag", "conll"),
        ("A.CSV.gz", "a,b", None, "csv"),
        ("a.json", "{}", None, "jsonl"),
        ("a.conllu", "x", None, "conllu"),
        ("a.bin", b"\x93NUMPY\x01\x00", None, "npy"),
        ("a.bin", b"PAR1", None, "parquet"),
    ],
)
def test_the_format_is_seen_by_name_and_content(write, name, content, task, format):
    assert open_source(write(name, content), task=task).format == format


def test_two_files_of_text_are_pairs_for_a_task_with_two_columns(write):
    files = [write("a.en", "one\n"), write("a.de", "eins\n")]
    source = open_source(files, task="translate")
    assert source.format == "parallel"
    assert columns_of(source) == [{"source": "one", "target": "eins"}]
    assert source.files == tuple(files)
    assert columns_of(open_source(files)) == [{"text": "one"}, {"text": "eins"}]
    tables = [write("a.tsv", "one\teins\n"), write("b.tsv", "two\tzwei\n")]
    assert len(columns_of(open_source(tables, task="translate"))) == 2


def test_tagged_sentences_have_their_roles_without_being_asked(write):
    file = write("a.conllu", "1\tcat\tcat\tNOUN\tNN\t_\t0\troot\t_\t_\n")
    assert columns_of(open_source(file)) == [{"tokens": ["cat"], "tags": ["NOUN"]}]
    assert columns_of(open_source(file, columns={"tags": "XPOS"})) == [{"tokens": ["cat"], "tags": ["NN"]}]


def test_files_are_found_by_pattern_in_the_order_of_their_names(write, tmp_path):
    for name in ("b.txt", "a.txt", "c.md"):
        write(name, name)
    source = open_source(str(tmp_path / "*.txt"))
    assert columns_of(source) == [{"text": "a.txt"}, {"text": "b.txt"}]
    assert [record.place for record in source] == [Place(str(tmp_path / name), 1) for name in ("a.txt", "b.txt")]
    odd = write("[x]*.txt", "odd")  # a file whose name looks like a pattern is that file
    assert columns_of(open_source(odd)) == [{"text": "odd"}]


def test_columns_are_named_by_the_user(write):
    file = write("a.csv", "id,stars,review\n1,5,good\n")
    expected = [{"label": "5", "text": "good"}]
    assert columns_of(open_source(file, task="classify", columns={"text": "review", "label": "stars"})) == expected
    assert columns_of(open_source(file, task="classify", columns={"text": 3, "label": 2}, header=True)) == expected


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_missing_column_names_those_that_exist_and_the_nearest(write, tmp_path, name):
    if name == "a.parquet":
        pq.write_table(pa.table({"stars": ["5"], "review": ["good"]}), tmp_path / name)
    else:
        write(name, "stars,review\n5,good\n" if name == "a.csv" else '{"stars": "5", "review": "good"}\n')
    with pytest.raises(DataError) as caught:
        list(open_source(tmp_path / name, task="classify", columns={"text": "reveiw", "label": "stars"}))
    message = "no column is called 'reveiw'; there are: stars, review\n    -> did you mean review?"
    assert str(caught.value) == f"{tmp_path / name}: {message}"


@pytest.mark.parametrize("task, roles", [("translate", "source and target"), ("classify", "label and text")])
def test_one_column_where_two_are_needed_is_an_error(write, task, roles):
    with pytest.raises(DataError, match=f"one column where {task} needs 2: {roles}"):
        list(open_source(write("a.tsv", "words\n"), task=task))
    with pytest.raises(DataError, match=f"one column where {task} needs 2: {roles}"):
        list(open_source(write("a.txt", "words\n"), task=task))


def test_python_gives_texts_tuples_and_dicts(write):
    assert columns_of(open_source(["some", "words"], format="python")) == [{"text": "some"}, {"text": "words"}]
    assert columns_of(open_source({"text": text} for text in "ab")) == [{"text": "a"}, {"text": "b"}]
    assert columns_of(open_source([("eins", "one")], task="translate")) == [{"source": "eins", "target": "one"}]
    tagged = [(["the", "cat"], ["DET", "NOUN"])]
    assert columns_of(open_source(tagged, task="tag")) == [{"tokens": ["the", "cat"], "tags": ["DET", "NOUN"]}]
    frames = open_source([{"frames": np.zeros((3, 2)), "label": "walk"}], task="classify")
    assert [np.shape(found["frames"]) for found in columns_of(frames)] == [(3, 2)]


def test_what_can_be_iterated_once_can_be_read_once(write):
    source = open_source(iter([("a", "b")]))
    assert len(list(source)) == 1
    with pytest.raises(DataError, match="used up by the first reading"):
        list(source)
    again = open_source(lambda: iter([("a", "b")]))
    assert len(list(again)) == len(list(again)) == 1


def test_every_reading_has_its_own_report(write):
    file = write("a.txt", b"good\n\xff\nbetter\n")
    source = open_source(file, on_bad="skip")
    for _ in range(2):
        assert columns_of(source) == [{"text": "good"}, {"text": "better"}]
        assert str(source.report) == f"left out 1: 1 × invalid UTF-8 ({file}:2)"


@pytest.mark.parametrize("content", [b"", b"\xff\n", b"\n\n"])
def test_nothing_to_read_is_an_error_under_every_policy(write, content):
    for on_bad in ("error", "skip"):
        with pytest.raises(DataError):
            list(open_source(write("a.tsv", content), on_bad=on_bad))
    with pytest.raises(DataError, match="<python>: there is no record in it"):
        list(open_source([]))


def test_what_cannot_be_opened_is_said_in_words(write, tmp_path):
    write("a.txt", "a")
    write("b.csv", "a")
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (tmp_path / "none.txt", {}, "there is no such file"),
        ([tmp_path / "none.txt"], {}, "there is no such file"),
        (tmp_path / "*.none", {}, "no file matches this pattern"),
        (tmp_path, {"format": "text"}, "is a folder, not a file"),
        (tmp_path, {}, "there is no folder in this folder"),
        (tmp_path / "*", {}, "files of different formats"),
        (tmp_path / "a.txt", {"format": "parallel"}, "parallel files are two, not 1"),
        (tmp_path / "a.txt", {"format": "labelled"}, "the format labelled needs files by name"),
        ({"source": tmp_path / "*", "target": tmp_path / "a.txt"}, {}, "2 files match where one is needed"),
        ("words", {"format": "python"}, "'words' is not a collection of records"),
        (3, {}, "3 is not a collection of records"),
        ("python:0a1b", {}, "the rows of this run were given from Python, and are not kept"),
    ]
    for where, options, what in cases:
        with pytest.raises(DataError) as caught:
            list(open_source(where, **options))
        assert what in caught.value.what
        assert caught.value.remedy
    with pytest.raises(UnknownName, match=r"no format is called 'jsnl'\n    -> did you mean jsonl"):
        open_source(tmp_path / "a.txt", format="jsnl")  # type: ignore[arg-type]


HOSTILE = {
    "invalid UTF-8": b"neg\tcaf\xe9",
    "NUL byte": b"neg\ta\0b",
    "overlong line": b"neg\t" + b"x" * 10_000_000,
    "wrong number of columns": b"one column",
    "empty text": b"neg\t",
}


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz"])
@pytest.mark.parametrize("reason", HOSTILE)
def test_hostile_rows_stop_with_file_and_line_or_are_counted(tmp_path, name, reason):
    raw = b"\xef\xbb\xbfpos\tfirst\r\n" + HOSTILE[reason] + "\r\npos\tla\u2028st".encode()
    file = tmp_path / name
    file.write_bytes(gzip.compress(raw, 1) if name.endswith("gz") else raw)
    with pytest.raises(DataError) as caught:
        list(open_source(file, task="classify"))
    assert caught.value.where == f"{file}:2"
    assert caught.value.what.startswith(reason)
    assert "data.on_bad=skip" in caught.value.remedy
    source = open_source(file, task="classify", on_bad="skip")
    assert columns_of(source) == [{"label": "pos", "text": "first"}, {"label": "pos", "text": "la\u2028st"}]
    assert source.report.counts == {reason: 1}


def test_a_pattern_follows_no_links_and_comes_to_an_end(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.txt").write_text("one\n")
    (tmp_path / "a" / ".hidden").mkdir()
    (tmp_path / "a" / ".hidden" / "x.txt").write_text("two\n")
    (tmp_path / "a" / "round").symlink_to(tmp_path)
    assert find_files(tmp_path / "**" / "x.txt") == [tmp_path / "a" / "b" / "x.txt"]
    assert find_files(tmp_path / "**" / "b" / "**" / "x.txt") == [tmp_path / "a" / "b" / "x.txt"]
    with pytest.raises(DataError, match=r"no file matches this pattern; looked at \d+ files and folders"):
        find_files(tmp_path / "**" / "y.txt")
    with pytest.raises(DataError, match=r"looked at \d+ files and folders, and there are more"):
        list(Folders("**/x.txt", most=3).matches(f"{tmp_path}/**/x.txt"))


FILES_OF_OTHERS = {
    "a workbook": ("book.xlsx", b"PK\x03\x04....", "is an Excel workbook", "data=pandas.read_excel('book.xlsx')"),
    "an old workbook": ("book.xls", b"\xd0\xcf\x11\xe0....", "is an Excel workbook", "save it as CSV"),
    "an archive": ("book.zip", b"PK\x03\x04....", "is a zip archive", "unpack it first"),
    "lines of old Macs": ("a.csv", b"label,text\rpos,one\rneg,two\r", "carriage returns alone", "save it again"),
    "one object": (
        "a.json",
        b'{"data": [{"label": "a", "text": "b"}]}',
        "nested value",
        "or write an array of objects",
    ),
    "an object over lines": ("a.json", b'{\n"data": []\n}', "not JSON", "or write an array of objects"),
    "a header alone": ("a.csv", b"label,text\n", "there is no record in it", "check what was given"),
}


@pytest.mark.parametrize("name, content, what, remedy", FILES_OF_OTHERS.values(), ids=FILES_OF_OTHERS.keys())
@pytest.mark.parametrize("on_bad", ["error", "skip"])
def test_files_that_cannot_be_read_say_what_to_do(write, name, content, what, remedy, on_bad):
    with pytest.raises(DataError) as caught:
        list(open_source(write(name, content), task="classify", on_bad=on_bad))
    assert what in str(caught.value)
    assert remedy in caught.value.remedy


def test_a_folder_of_tables_says_how_they_are_named(write, tmp_path):
    write("parts/a.csv", "label,text\npos,one\n")
    write("parts/b.csv", "label,text\nneg,two\n")
    with pytest.raises(DataError, match="no folder in this folder") as caught:
        list(open_source(tmp_path / "parts", task="classify"))
    assert caught.value.remedy.endswith(f"'{tmp_path}/parts/*.csv'")
    assert len(list(open_source(f"{tmp_path}/parts/*.csv", task="classify"))) == 2
    write("parts/c.tsv", "pos\tone\n")
    with pytest.raises(DataError, match=r"-> name a file in it, as .*a\.csv"):
        list(open_source(tmp_path / "parts", task="classify"))


@pytest.mark.parametrize(
    "first, count",
    [
        (["Review Body", "Sentiment"], 16),
        (["review text", "its mood"], 16),
        (["a fine story", "pos"], 17),  # a record like all others
        (["what a review this is", "sentiment"], 17),  # a sentence names no column
    ],
)
def test_names_of_several_words_are_a_header(tmp_path, first, count):
    rows = [first] + [["a long and warm film", "pos"], ["a dull film without end", "neg"]] * 8
    file = tmp_path / "reviews.csv"
    file.write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    records = list(open_source(file))
    assert len(records) == count
    assert (set(records[0].columns) == set(first)) == (count == 16)
