"""Columns find their part in a task."""

import numpy as np
import pytest

from seqloom.data.bad_records import Policy
from seqloom.data.column_roles import choose, with_roles
from seqloom.data.record import Place, Record
from seqloom.errors import DataError, SeqloomWarning, UnknownName


@pytest.mark.parametrize(
    "names, task, columns, chosen",
    [
        (["1", "2"], "classify", {}, {"label": "1", "text": "2"}),
        (["1", "2"], "translate", {}, {"source": "1", "target": "2"}),
        (["text", "label"], "classify", {}, {"label": "label", "text": "text"}),
        (["Text", "category"], "classify", {}, {"label": "category", "text": "Text"}),
        (["id", "text", "x"], "classify", {"label": "x"}, {"label": "x", "text": "text"}),
        (["id", "review", "stars"], None, {"text": "review", "label": "stars"}, {"text": "review", "label": "stars"}),
        (["id", "review", "stars"], "classify", {"text": "2", "label": "3"}, {"label": "stars", "text": "review"}),
        (["1", "2", "3"], "classify", {"text": "3", "label": "2"}, {"label": "2", "text": "3"}),
        (["1", "2"], "classify", {"text": "1"}, {"label": "2", "text": "1"}),
        (["text", "review", "label"], "classify", {"text": "review"}, {"label": "label", "text": "review"}),
        (["A", "Review", "STARS"], None, {"text": "review", "label": "Stars"}, {"text": "Review", "label": "STARS"}),
        (["a", "A"], None, {"text": "A"}, {"text": "A"}),
        (["label", "frames"], "classify", {}, {"label": "label", "frames": "frames"}),
        (["text", "label", "age"], "classify", {"years": "age"}, {"label": "label", "text": "text", "years": "age"}),
        (["a", "b"], None, {"text": "b"}, {"text": "b"}),
    ],
)  # fmt: skip
def test_every_role_finds_its_column(names, task, columns, chosen):
    assert choose(names, task, columns, "a.tsv") == chosen


@pytest.mark.parametrize(
    "names, task, columns, message",
    [
        (
            ["label", "review"],
            "classify",
            {"text": "reviw"},
            "a.tsv: no column is called 'reviw'; there are: label, review\n    -> did you mean review?",
        ),
        (
            ["1", "2"],
            None,
            {"text": "3"},
            "a.tsv: no column is called '3'; there are: 1, 2\n    -> name one of these in data.columns",
        ),
        (
            ["1"],
            "translate",
            {},
            "a.tsv: one column where translate needs 2: source and target\n"
            "    -> give source and target too, in a column or a file of its own",
        ),
        (
            ["1", "2", "3"],
            "translate",
            {},
            "a.tsv: which column is the source and which the target? there are: 1, 2, 3\n"
            "    -> say so, as in data.columns.source=1 data.columns.target=2",
        ),
        (
            ["a", "b"],
            "classify",
            {},
            "a.tsv: which column is the label and which the text? there are: a, b\n"
            "    -> say so, as in data.columns.label=a data.columns.text=b",
        ),
    ],
)
def test_what_cannot_be_decided_is_asked(names, task, columns, message):
    with pytest.raises(DataError) as caught:
        choose(names, task, columns, "a.tsv")
    assert str(caught.value) == message


def test_an_unknown_task_says_which_is_near():
    with pytest.raises(UnknownName, match=r"no task is called 'clasify'\n    -> did you mean classify\?"):
        choose(["1"], "clasify", {}, "a.tsv")


def cast(columns, task, **wanted):
    policy = Policy("skip")
    records = [Record(found, Place("a.jsonl", line)) for line, found in enumerate(columns, 1)]
    return [record.columns for record in with_roles(iter(records), task, wanted, policy)], policy.report.counts


def test_other_columns_stay_unless_the_user_said_which_there_are():
    found = [{"review": "a", "label": "x", "age": 3}, {"review": "b", "label": "y", "city": "Ulm"}]
    assert cast(found, None) == (found, {})
    kept, _ = cast([{"text": "a", "label": "x"}, {"text": "b", "label": "y", "city": "Ulm"}], "classify")
    assert kept == [{"text": "a", "label": "x"}, {"text": "b", "label": "y", "city": "Ulm"}]
    assert cast(found, "classify", text="review")[0] == [{"label": "x", "text": "a"}, {"label": "y", "text": "b"}]


def test_every_file_may_have_another_header():
    records = [
        Record({"review": "a", "label": "x"}, Place("a.tsv", 2)),
        Record({"kind": "y", "text": "b"}, Place("b.tsv", 2)),
    ]
    assert [record.columns for record in with_roles(iter(records), "classify", {}, Policy())] == [
        {"label": "x", "text": "a"},
        {"label": "y", "text": "b"},
    ]


def test_what_a_task_needs_is_there_and_not_empty():
    found = [
        {"text": "a", "label": 0},
        {"text": " \u2028", "label": "x"},
        {"text": "b", "label": ""},
        {"text": None, "label": "x"},
        {"label": "x"},
        {"text": 3, "label": "x"},
    ]
    kept, counts = cast(found, "classify")
    assert kept == [{"label": 0, "text": "a"}]
    assert counts == {"empty text": 1, "empty label": 1, "no text": 2, "not a text": 1}


def test_frames_stand_in_for_the_text_and_must_be_there():
    walk = np.ones((2, 3), np.float32)
    kept, counts = cast([{"frames": walk, "label": "walk"}, {"frames": None, "label": "walk"}], "classify")
    assert [found["frames"] is walk for found in kept] == [True]
    assert counts == {"no frames": 1}


def test_a_language_model_reads_blank_lines():
    assert cast([{"text": ""}, {"text": "a"}], "generate") == ([{"text": ""}, {"text": "a"}], {})


def test_words_between_spaces_are_tokens_and_each_has_its_tag():
    found = [
        {"tokens": "the cat", "tags": "DET NOUN"},
        {"tokens": ["the", "cat"], "tags": ["DET"]},
        {"tokens": "", "tags": ""},
        {"tokens": 3, "tags": "x"},
    ]
    kept, _ = cast([{"tokens": "a b", "tags": "x y", "note": "a b"}], "tag", note="note")
    assert kept == [{"tokens": ["a", "b"], "tags": ["x", "y"], "note": "a b"}]
    kept, counts = cast(found, "tag")
    assert kept == [{"tokens": ["the", "cat"], "tags": ["DET", "NOUN"]}]
    assert counts == {"unequal tokens and tags": 1, "empty tokens": 1, "not a list of words": 1}


def table(**columns):
    rows = zip(*columns.values(), strict=True)
    return [Record(dict(zip(columns, row)), Place("a.csv", line)) for line, row in enumerate(rows, 2)]


SENTENCES = [f"this is the sentence number {number}" for number in range(40)]
KINDS = ["up", "down"] * 20


def read_roles(records, task="classify"):
    return [record.columns for record in with_roles(iter(records), task, {}, Policy())]


@pytest.mark.parametrize(
    "task, columns, said",
    [
        ("classify", {"note": SENTENCES, "direction": KINDS}, "direction is read as the label, note as the text"),
        (
            "classify",
            {"nr": range(40), "shown": ["yes"] * 40, "said": SENTENCES, "direction": KINDS},
            "direction is read as the label, said as the text",
        ),
        ("classify", {"Post": SENTENCES, "a": KINDS, "stars": KINDS}, "stars is read as the label, Post as the text"),
        ("translate", {"en": SENTENCES, "de": SENTENCES}, "en is read as the source, de as the target"),
    ],
)  # fmt: skip
def test_columns_are_recognised_by_content_and_it_is_said_in_one_line(task, columns, said):
    roles = {"classify": ("label", "text"), "translate": ("source", "target")}[task]
    wanted = f"a.csv: {said}; if not, set {' and '.join(f'data.columns.{role}' for role in roles)}"
    with pytest.warns(SeqloomWarning) as caught:
        found = read_roles(table(**columns), task)
    assert [str(warning.message) for warning in caught] == [wanted]
    assert len(found) == 40
    assert [*found[0]][:2] == list(roles)


@pytest.mark.parametrize("names", [("1", "2"), ("label", "text")])
def test_columns_in_the_wrong_order_are_refused(names):
    with pytest.raises(DataError) as caught:
        read_roles(table(**dict(zip(names, (SENTENCES, KINDS)))))
    assert str(caught.value) == (
        f"a.csv: column '{names[0]}' is read as labels and looks like texts: 'this is the sentence number 0'\n"
        f"    -> name the columns: data.columns.text={names[0]} data.columns.label={names[1]}"
    )


def test_a_label_that_is_a_long_sentence_is_quoted_with_its_end():
    with pytest.raises(DataError) as caught:
        read_roles(table(label=[f"{line} {'and on ' * 50}." for line in SENTENCES], text=KINDS))
    quote = str(caught.value).split("looks like texts: ")[1].split("\n")[0]
    assert len(quote) < 90 and quote.startswith("'this is") and quote.endswith("and on .'")


def test_numbers_and_few_records_are_in_no_wrong_order():
    assert len(read_roles(table(label=[f"{number / 7}" for number in range(40)], text=["a"] * 40))) == 40
    assert len(read_roles(table(label=SENTENCES[:4], text=KINDS[:4]))) == 4


def test_what_is_broken_further_on_fails_when_it_is_reached():
    def records():
        yield from table(label=KINDS[:3], text=SENTENCES[:3])
        raise DataError("broken")

    found = with_roles(records(), "classify", {}, Policy())
    assert [next(found).columns["label"] for _ in range(3)] == KINDS[:3]
    with pytest.raises(DataError, match="broken"):
        next(found)
