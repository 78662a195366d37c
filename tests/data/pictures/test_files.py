"""A picture is found beside its table or in the archive of its name, and nowhere else."""

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from seqloom.data.pictures import files
from seqloom.data.pictures.files import identity_of, pixels_of, problem_in, shape_of
from seqloom.data.record import Place, Record
from seqloom.data.source import open_source
from seqloom.errors import DataError


@pytest.fixture
def table(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "inner").mkdir(parents=True)
    Image.new("L", (5, 3), 90).save(home / "inner" / "a.png")
    Image.new("L", (5, 3), 10).save(tmp_path / "secret.png")
    (home / "table.tsv").write_text("image\tcaption\n")
    return home / "table.tsv"


def record(table: Path, image: object, line: int = 7) -> Record:
    return Record({"image": image, "caption": "a"}, Place(str(table), line))  # type: ignore[dict-item]


def test_names_are_relative_to_the_table(table):
    assert (pixels_of(record(table, "inner/a.png"), 5, 3, 1) == 90).all()
    assert shape_of(record(table, "inner/a.png")) == (5, 3, True)


def test_bytes_and_arrays_are_pictures_themselves(table):
    content = (table.parent / "inner" / "a.png").read_bytes()
    assert (pixels_of(record(table, content), 5, 3, 1) == 90).all()
    assert shape_of(record(table, np.zeros((3, 5, 3), np.uint8))) == (5, 3, False)


def test_an_archive_of_the_same_name_holds_pictures(table):
    with zipfile.ZipFile(table.parent / "table.zip", "w") as archive:
        archive.write(table.parent / "inner" / "a.png", "b.png")
    assert (pixels_of(record(table, "b.png"), 5, 3, 1) == 90).all()
    with pytest.raises(DataError, match="neither a file, nor in table"):
        pixels_of(record(table, "c.png"), 5, 3, 1)
    (table.parent / "table.zip").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(DataError, match="zip cannot be read"):
        pixels_of(record(table, "b.png"), 5, 3, 1)


def wrong(table: Path) -> dict[str, tuple[object, str]]:
    home = table.parent
    os.mkfifo(home / "pipe.png")
    (home / "link.png").symlink_to(table.parent.parent / "secret.png")
    (home / "ring.png").symlink_to(home / "ring.png")
    (home / "text.png").write_text("no picture")
    return {
        "a name that leaves the folder": ("../secret.png", "picture outside the folder of the table"),
        "an absolute name": (str(table.parent.parent / "secret.png"), "picture outside the folder of the table"),
        "a link that leaves the folder": ("link.png", "picture outside the folder of the table"),
        "a ring of links": ("ring.png", "pictur"),
        "no file": ("none.png", "no such picture: there is no file of this name"),
        "a pipe": ("pipe.png", "not a picture: a pipe, a socket or a device"),
        "a folder": ("inner", "not a picture: a folder"),
        "a NUL": ("a\0.png", "pictur"),
        "a text": ("text.png", "not a picture: no format that is read"),
        "a number": (3.5, "not a picture: 3.5"),
    }


def test_every_wrong_name_is_an_error_with_its_line_and_a_remedy(table):
    for image, what in wrong(table).values():
        with pytest.raises(DataError) as caught:
            pixels_of(record(table, image), 5, 3, 1)
        assert what in caught.value.what and caught.value.remedy
        assert caught.value.where.startswith(f"{table}:7")
        found = problem_in(record(table, image))
        assert found is not None and found.reason


def test_a_device_is_refused_where_any_file_may_be_named():
    with pytest.raises(DataError, match="a pipe, a socket or a device"):
        files.read(Path("/dev/zero"), "/dev/zero")


def test_a_file_that_is_too_large_is_not_read(table, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    with pytest.raises(DataError, match="bytes, over 10"):
        pixels_of(record(table, "inner/a.png"), 5, 3, 1)


def test_what_cannot_be_used_is_left_out_and_counted(table):
    table.write_text("image\tcaption\ninner/a.png\tone\nnone.png\ttwo\n../secret.png\tthree\n")
    source = open_source(table, task="caption", on_bad="skip")
    assert [found.columns["caption"] for found in source] == ["one"]
    assert source.report.counts == {"no such picture": 1, "picture outside the folder of the table": 1}


def test_pictures_that_change_have_another_identity(table):
    before = identity_of([record(table, "inner/a.png")])
    assert before == identity_of([record(table, "inner/a.png")])
    Image.new("L", (9, 9), 1).save(table.parent / "inner" / "a.png")
    assert identity_of([record(table, "inner/a.png")]) != before


def test_parquet_holds_pictures_as_bytes_or_as_the_datasets_of_others_do(table):
    import pyarrow as arrow  # type: ignore[import-untyped]
    from pyarrow import parquet

    content = (table.parent / "inner" / "a.png").read_bytes()
    for image in (content, {"bytes": content, "path": "a.png"}):
        file = table.parent / "rows.parquet"
        parquet.write_table(arrow.table({"image": [image, image], "caption": ["one", "two"]}), file)
        rows = list(open_source(file, task="caption"))
        assert [row.columns["caption"] for row in rows] == ["one", "two"]
        assert (pixels_of(rows[1], 5, 3, 1) == 90).all()
