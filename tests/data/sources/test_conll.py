"""CoNLL and CoNLL-U."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.bad_records import Policy
from seqloom.data.record import Place, Record
from seqloom.data.sources.conll import read_conll, read_conllu
from seqloom.errors import DataError

VAMONOS = """# sent_id = 1
# text = vámonos al mar
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\tV\tMood=Imp\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_
2.1\tvamos\tir\tVERB\tV\t_\t_\t_\t_\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tS\t_\t5\tcase\t_\t_
4\tel\tel\tDET\tD\t_\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\t_

# sent_id = 2
1\t#\t#\tSYM\tSYM\t_\t0\troot\t_\t_
"""


def test_sentences_have_tokens_and_tags_from_the_first_and_last_column(write):
    file = write("a.conll.gz", "\n@you\tO\n#\tO\nParis\tB-loc\n\t\n\nBye\tO")
    assert list(read_conll(file)) == [
        Record({"tokens": ["@you", "#", "Paris"], "tags": ["O", "O", "B-loc"]}, Place(str(file), 2)),
        Record({"tokens": ["Bye"], "tags": ["O"]}, Place(str(file), 7)),
    ]


def test_columns_are_chosen_by_number_and_marks_of_documents_are_no_words(write):
    file = write("a.txt", "-DOCSTART- -X- O O\n\nEU NNP I-NP S-ORG\nrejects VBZ I-VP O\n")
    (record,) = read_conll(file, columns={"tags": 2, "chunks": "3"})
    assert record.columns == {"tokens": ["EU", "rejects"], "tags": ["NNP", "VBZ"], "chunks": ["I-NP", "I-VP"]}


def test_conllu_leaves_out_multiword_tokens_empty_nodes_and_comments(write):
    first, second = read_conllu(write("a.conllu", VAMONOS))
    assert first.columns["tokens"] == ["vamos", "nos", "a", "el", "mar"]
    assert first.columns["tags"] == ["VERB", "PRON", "ADP", "DET", "NOUN"]
    assert first.place.line == 4
    assert second.columns == {"tokens": ["#"], "tags": ["SYM"]}


def test_conllu_columns_go_by_name_or_number(write):
    first, _ = read_conllu(write("a.conllu", VAMONOS), columns={"tags": "xpos", "features": 6})
    assert first.columns["tags"] == ["V", "P", "S", "D", "N"]
    assert first.columns["features"] == ["Mood=Imp", "_", "_", "_", "_"]


def test_a_wrong_name_says_which_is_near(write):
    with pytest.raises(DataError, match=r"no column is called 'UPOSS'\n    -> did you mean UPOS\?"):
        list(read_conllu(write("a.conllu", VAMONOS), columns={"tags": "UPOSS"}))
    with pytest.raises(DataError, match="number the columns from 1; only CoNLL-U has names"):
        list(read_conll(write("a.conll", "a O\n"), columns={"tags": "UPOS"}))


@pytest.mark.parametrize(
    "line, what",
    [
        (b"b", "wrong number of columns: 1 where 2 are needed"),
        (b"b\tO\tx", "wrong number of columns: 3 where 2 are needed"),
        (b"b\t", "empty cell: nothing under tags"),
        (b"\tO", "empty cell: nothing under tokens"),
        (b"\xff\tO", "invalid UTF-8: 0xff, byte 1 of the line"),
    ],
)
def test_a_bad_line_is_an_error_with_its_place_or_its_sentence_is_skipped(write, line, what):
    file = write("a.conll", b"a\tO\n\nfirst\tO\n" + line + b"\nlast\tO\n\nc\tO\n")
    with pytest.raises(DataError) as caught:
        list(read_conll(file))
    assert (caught.value.where, caught.value.what) == (f"{file}:4", what)
    policy = Policy("skip")
    assert [record.columns["tokens"] for record in read_conll(file, policy)] == [["a"], ["c"]]
    assert policy.report.counts == {what.partition(":")[0]: 1}


def test_a_column_that_is_not_there_is_an_error(write):
    with pytest.raises(DataError, match=r"a.conll:1: wrong number of columns: 2 where 3 are needed"):
        list(read_conll(write("a.conll", "a O\n"), columns={"tags": 3}))


@pytest.mark.parametrize("read", [read_conll, read_conllu])
@given(raw=st.binary(max_size=60) | st.text("a1-.#\t\n _", max_size=60).map(str.encode))
def test_any_bytes_are_tokens_with_a_tag_each_or_a_data_error(tmp_path_factory, attempt, read, raw):
    file = tmp_path_factory.mktemp("any") / "a.conll"
    file.write_bytes(raw)
    for policy in (Policy(), Policy("skip")):
        records, error = attempt(read(file, policy))
        for record in records:
            tokens, tags = record.columns["tokens"], record.columns["tags"]
            assert len(tokens) == len(tags) > 0
            assert all(tokens) and all(tags)
        assert error is None or error.where.startswith(str(file))
