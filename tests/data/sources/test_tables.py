"""TSV and CSV, with and without a header, whole and broken."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.bad_records import Policy
from seqloom.data.record import Place
from seqloom.data.sources.tables import read_csv, read_tsv
from seqloom.errors import DataError


def rows(records):
    return [tuple(record.columns.values()) for record in records]


def test_a_table_without_header_numbers_its_columns(write):
    file = write("a.tsv.gz", "pos\ta fine film\nneg\ta bad film\n")
    records = list(read_tsv(file))
    assert [record.columns for record in records] == [{"1": "pos", "2": "a fine film"}, {"1": "neg", "2": "a bad film"}]
    assert [record.place for record in records] == [Place(str(file), 1), Place(str(file), 2)]


def test_tsv_knows_no_quotes(write):
    assert rows(read_tsv(write("a.tsv", '"a\tb"c\u2028\n'))) == [('"a', 'b"c\u2028')]


@pytest.mark.parametrize(
    "header, asked, known, is_header",
    [
        ("auto", [], [], True),  # a usual name for a column
        ("auto", ["stars"], [], True),
        ("auto", ["starz"], [], True),  # asked for by name: so there are names, and this one is wrong
        ("auto", ["2"], [], True),
        ("auto", [], ["text", "label"], True),  # Text
        ("auto", [], ["source", "target"], False),
        (True, [], [], True),
        (False, ["stars"], ["text"], False),
    ],
)
def test_the_rule_for_headers(write, header, asked, known, is_header):
    file = write("a.csv", "Text,stars\ngood,5\n")
    found = [record.columns for record in read_csv(file, None, header, asked, known)]
    if is_header:
        assert found == [{"Text": "good", "stars": "5"}]
    else:
        assert found == [{"1": "Text", "2": "stars"}, {"1": "good", "2": "5"}]


def test_a_header_with_a_mark_and_crlf_is_read_clean(write):
    file = write("a.csv", b"\xef\xbb\xbflabel,text\r\npos,good\r\n")
    assert [record.columns for record in read_csv(file, header=True)] == [{"label": "pos", "text": "good"}]


def test_names_in_a_header_lose_spaces_and_a_column_without_a_name_goes_by_its_number(write):
    file = write("a.csv", "label , text,\npos,good,7\n")
    assert [record.columns for record in read_csv(file, header=True)] == [{"label": "pos", "text": "good", "3": "7"}]


def test_two_columns_of_one_name_are_an_error(write):
    file = write("a.csv", "text,text\na,b\n")
    with pytest.raises(DataError, match=r"a.csv:1: two columns are called 'text'"):
        list(read_csv(file, header=True))


@pytest.mark.parametrize("read, comma", [(read_tsv, "\t"), (read_csv, ",")])
def test_a_row_of_another_width_is_an_error_with_its_place_or_a_counted_skip(write, read, comma):
    file = write("a.txt", "a,b\nc\nd,e,f\n\ng,h\n".replace(",", comma))
    with pytest.raises(DataError) as caught:
        list(read(file))
    assert caught.value.where == f"{file}:2"
    assert caught.value.what == "wrong number of columns: 1 where the first row has 2"
    policy = Policy("skip")
    assert rows(read(file, policy)) == [("a", "b"), ("g", "h")]
    assert policy.report.counts == {"wrong number of columns": 2, "empty line": 1}


def test_a_blank_line_in_a_table_is_counted_and_no_error(write):
    policy = Policy()
    assert rows(read_csv(write("a.csv", "a,b\n\nc,d\n\n"), policy)) == [("a", "b"), ("c", "d")]
    assert policy.report.counts == {"empty line": 2}


def test_quoted_cells_hold_commas_quotes_and_newlines_and_rows_know_their_first_line(write):
    file = write("a.csv", 'x,"one, ""two""\r\nthree"\r\ny,plain\r\n"z\n\n",end\nlast,"1"')
    records = list(read_csv(file))
    assert rows(records) == [("x", 'one, "two"\nthree'), ("y", "plain"), ("z\n\n", "end"), ("last", "1")]
    assert [record.place.line for record in records] == [1, 3, 4, 7]


def test_an_open_quote_costs_its_own_row_and_no_other(write):
    file = write("a.csv", 'a,b\nc,"d\ne,f\ng,h\n')
    with pytest.raises(DataError) as caught:
        list(read_csv(file))
    assert caught.value.where == f"{file}:2"
    assert caught.value.what == "broken quoting: a quote is opened here and not closed"
    policy = Policy("skip")
    assert rows(read_csv(file, policy)) == [("a", "b"), ("e", "f"), ("g", "h")]
    assert policy.report.counts == {"broken quoting": 1}


def test_an_open_quote_does_not_take_in_more_than_the_longest_line(write):
    file = write("a.csv", 'a,"b\n' + "c,d\n" * 1000)
    policy = Policy("skip", longest_line=100)
    assert len(rows(read_csv(file, policy))) == 1000
    assert policy.report.places == {"broken quoting": [Place(str(file), 1)]}


def test_text_after_a_closing_quote_is_broken(write):
    with pytest.raises(DataError, match=r"a.csv:1: broken quoting: ',' expected after"):
        list(read_csv(write("a.csv", '"a"b,c\n')))


def test_a_bad_line_inside_quotes_spoils_its_row_and_no_other(write):
    file = write("a.csv", b'a,"b\n\xff"\nc,"d\n' + b"x" * 50 + b'"\ne,"f"\n\0,"g\nh"\ni,j\n')
    policy = Policy("skip", longest_line=40)
    assert rows(read_csv(file, policy)) == [("e", "f"), ("i", "j")]
    assert policy.report.counts == {"invalid UTF-8": 1, "overlong line": 1, "NUL byte": 1}
    assert [places[0].line for places in policy.report.places.values()] == [2, 4, 6]


def test_a_lone_carriage_return_stays_in_a_plain_row(write):
    assert rows(read_csv(write("a.csv", b"a\rb,c\n"))) == [("a\rb", "c")]
    with pytest.raises(DataError, match="a carriage return stands outside quotes"):
        list(read_csv(write("b.csv", b'a\rb,"c"\n')))


def test_a_cell_longer_than_the_csv_module_likes_is_read(write):
    long = "x" * 200_000
    assert rows(read_csv(write("a.csv", f'a,"{long}"\n'))) == [("a", long)]


cells = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=6)


@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=6))
def test_what_the_csv_module_writes_is_read_back_with_the_right_lines(tmp_path_factory, table):
    file = tmp_path_factory.mktemp("csv") / "a.csv"
    written = io.StringIO()
    starts = []
    for row in table:
        starts.append(written.getvalue().count("\n") + 1)
        csv.writer(written, lineterminator="\n").writerow(row)
    file.write_bytes(written.getvalue().removeprefix("\ufeff").encode())
    table[0] = (table[0][0].removeprefix("\ufeff"), *table[0][1:]) if written.getvalue()[0] == "\ufeff" else table[0]
    records = list(read_csv(file, header=False))
    assert rows(records) == table
    assert [record.place.line for record in records] == starts


@pytest.mark.parametrize("read", [read_tsv, read_csv])
@given(raw=st.binary(max_size=60) | st.text('ab,"\n\r\t', max_size=40).map(str.encode))
def test_any_bytes_are_records_or_a_data_error(tmp_path_factory, attempt, read, raw):
    file = tmp_path_factory.mktemp("any") / "a"
    file.write_bytes(raw)
    for policy in (Policy("error", 30), Policy("skip", 30)):
        records, error = attempt(read(file, policy))
        starts = [record.place.line for record in records]
        assert starts == sorted(set(starts))
        assert error is None or error.where.startswith(str(file))


@pytest.mark.parametrize("first", ["good,a fine film", "5,review of it", "stars,5", "answer,antwort"])
def test_a_row_of_data_is_no_header(write, first):
    file = write("a.csv", f"{first}\nbad,a dull film\n")
    known = ["source", "target"] if first.startswith("answer") else ["label", "text"]
    assert len(list(read_csv(file, None, "auto", [], known))) == (1 if first.startswith("answer") else 2)


@pytest.mark.parametrize(
    "first, is_header",
    [("said,mood", True), ("Great,pos", False), ("said,7", False), ("said it,mood", False), ("said,mood,", True)],
)
def test_a_header_is_of_another_kind_than_the_rows_below(write, first, is_header):
    end = ",3" if first.endswith(",") else ""
    rows_below = "".join(f"a film that is long,{label}{end}\n" for label in ["pos", "neg"] * 6)
    found = rows(read_csv(write("a.csv", f"{first}\n{rows_below}")))
    assert len(found) == (12 if is_header else 13)


@pytest.mark.parametrize("separator", [",", ";", "|", "\t"])
@pytest.mark.parametrize("read", [read_csv, read_tsv])
def test_the_separator_is_found(write, read, separator):
    lines = [f"neg{separator}a film that is dull and long", f'pos{separator}"a fine{separator} fine film"'] * 2
    if read is read_tsv and separator == "\t":
        lines = lines[::2]  # tabs are never quoted
    lines[0] += " (yes or no)"
    found = rows(read(write("a.csv", "\n".join(lines) + "\n")))
    assert [label for label, _ in found] == ["neg", "pos", "neg", "pos"][:: 2 if len(lines) == 2 else 1]
    if len(lines) == 4:
        assert found[1] == ("pos", f"a fine{separator} fine film")


def test_commas_in_texts_between_semicolons_are_no_columns(write):
    file = write("a.csv", "review;stars\na film, a dull one;1\nfine;5\nlong, very, very long;2\n")
    assert rows(read_csv(file)) == [("a film, a dull one", "1"), ("fine", "5"), ("long, very, very long", "2")]
    assert rows(read_csv(file, separator="|")) == [(line,) for line in file.read_text().splitlines()]
