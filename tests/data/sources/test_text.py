"""Plain text."""

from seqloom.data.record import Place, Record
from seqloom.data.sources.text import read_text


def test_every_line_is_a_record_and_blank_ones_too(write):
    file = write("a.txt.gz", "one\n\ntwo")
    assert list(read_text(file)) == [
        Record({"text": "one"}, Place(str(file), 1)),
        Record({"text": ""}, Place(str(file), 2)),
        Record({"text": "two"}, Place(str(file), 3)),
    ]


def test_a_file_is_read_as_it_is_asked_for(write):
    file = write("a.txt", b"good\n\xff\n")
    assert next(read_text(file)).columns == {"text": "good"}  # the bad line was not reached
