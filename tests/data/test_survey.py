"""The figures of a survey, against plain counting in Python."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.record import Place
from seqloom.data.settings import DataConfig
from seqloom.data.source import open_source
from seqloom.data.survey import survey
from seqloom.data.survey.duplicates import DuplicateFinder
from seqloom.data.survey.guess_task import open_for_survey, settings_of
from seqloom.data.survey.lengths import LengthCount, Lengths
from seqloom.data.survey.scripts import odd_scripts, script_of
from seqloom.data.survey.vocabulary import WordCount, vocabulary_report
from seqloom.errors import DataError

ROWS = [(["pos", "neg"][index % 3 == 0], f"word{index % 17} is word{index} " * (index % 5 + 1)) for index in range(90)]


def made(rows, task):
    return survey({"train": open_source(rows, task=task, on_bad="skip")}, task)


def test_counts_lengths_words_and_labels_are_those_of_plain_counting():
    found = made(ROWS, "classify")
    assert found.splits == {"train": 90}
    assert found.labels == {"label": dict(Counter(label for label, _ in ROWS).most_common())}
    column = found.columns["text"]
    lengths = [len(text.split()) for _, text in ROWS]
    assert column.words.counts == dict(Counter(lengths))
    assert column.words.mean == pytest.approx(np.mean(lengths))
    assert column.characters.counts == dict(Counter(len(text) for _, text in ROWS))
    words = Counter(word for _, text in ROWS for word in text.split())
    assert (column.vocabulary.total, column.vocabulary.different) == (words.total(), len(words))
    assert column.vocabulary.once == sum(times == 1 for times in words.values())
    assert dict(column.vocabulary.frequent[:3]) == dict(words.most_common(3))
    assert all(words[word] == times for word, times in [*column.vocabulary.frequent, *column.vocabulary.rare])


def test_a_tenth_is_held_out_where_there_is_one_split():
    known = {word for index, (_, text) in enumerate(ROWS, 1) if index % 10 for word in text.split()}
    held = [word for index, (_, text) in enumerate(ROWS, 1) if index % 10 == 0 for word in text.split()]
    rate = sum(word not in known for word in held) / len(held)
    assert 0 < rate < 1
    assert made(ROWS, "classify").columns["text"].vocabulary.unknown == {
        "the tenth held out": {"all": pytest.approx(rate)}
    }


def test_unknown_words_are_counted_for_every_split_and_dictionary():
    splits = {"train": WordCount(), "valid": WordCount()}
    splits["train"].add([f"w{index}" for index in range(10_500)] + ["often"] * 3)
    splits["valid"].add(["often", "w10499", "new", "new"])
    unknown = vocabulary_report(splits, "train").unknown["valid"]
    assert unknown == {"all": 0.5, "10000": 0.75}


def test_words_beyond_the_limit_are_forgotten_the_rare_first():
    count = WordCount(most=10)
    for index in range(40):
        count.add(["often", f"rare{index}"])
    assert len(count.counts) <= 10
    assert count.counts["often"] == 40
    assert count.forgot


@given(st.lists(st.integers(0, 300), min_size=1), st.integers(1, 30))
def test_lengths_agree_with_numpy(lengths, bins):
    counted = Lengths(dict(sorted(Counter(lengths).items())))
    for share in (0.5, 0.95):
        assert counted.quantile(share) == np.quantile(lengths, share, method="inverted_cdf")
    heights, first, width = counted.histogram(bins, share=1.0)
    edges = first + width * np.arange(len(heights) + 1)
    assert len(heights) <= bins
    assert heights == np.histogram(np.array(lengths), bins=edges - 0.5)[0].tolist()


def test_what_is_far_longer_than_others_is_found_with_its_place():
    count = LengthCount()
    for line in range(1, 101):
        count.add({70: 90_000}.get(line, 5_000 if line in (20, 40, 60) else 30), Place("a", line))
    assert count.overlong() == (4, [Place("a", 70), Place("a", 20), Place("a", 40)])


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("vwxyz"), st.integers(0, 1)), max_size=40))
def test_repeats_are_those_of_brute_force(rows):
    rows = sorted(rows, key=lambda row: row[0])  # split after split
    repeats = DuplicateFinder()
    for line, (split, text, label) in enumerate(rows, 1):
        repeats.add(split, text, label, Place("file", line))
    found = repeats.result()
    whole = Counter(rows)
    pairs = {(split, text) for split, text, _ in rows}
    same = [Place("file", line) for line, row in enumerate(rows, 1) if row in rows[: line - 1]]
    assert (found.same.count, found.same.places) == (len(same), same[:3])
    assert found.same.count == sum(times - 1 for times in whole.values())
    assert found.conflicting.count == len(whole) - len(pairs)
    first = {text for split, text, _ in rows if split == rows[0][0]}
    both = [line for line, (split, text, _) in enumerate(rows, 1) if split != rows[0][0] and text in first]
    for overlap in found.overlap.values():
        assert (overlap.count, [place.line for place in overlap.places]) == (len(both), both[:3])


def test_records_beyond_the_limit_are_not_compared():
    repeats = DuplicateFinder(most=3)
    for line in range(1, 9):
        repeats.add("train", "same", "", Place("file", line))
    found = repeats.result()
    assert (found.compared, found.same.count) == (3, 2)


def test_every_suspicion_is_found_with_its_place():
    pairs = [(f"a sentence of number {index}", f"ein Satz der Nummer {index}") for index in range(60)]
    pairs[3] = ("a good line", "Привет, мир")
    pairs[5] = ("so short", "so lang " * 20)
    pairs[7] = ("the same on both sides", "the same on both sides")
    pairs[9] = ("cafÃ© here", "ein Café hier")
    pairs[11] = ("...", "und so weiter")
    pairs[13] = ("a lost letter", "ein M\ufffddchen")
    pairs[15] = ("word " * 900, "Wort " * 900)
    found = made(pairs, "translate")
    places = {reason: [place.line for place in places] for reason, places in found.suspicious.places.items()}
    assert places == {
        "Cyrillic in target, where others are Latin": [3],
        "unequal pair": [5],
        "source and target are the same": [7],
        "garbled letters in source": [9],
        "no word in source": [11],
        "garbled letters in target": [13],
        "overlong source": [15],
        "overlong target": [15],
    }
    assert all(found.suspicious.counts[reason] == 1 for reason in places)


def test_blank_lines_of_a_text_are_no_suspicion_and_no_repeats():
    found = made([{"text": text} for text in ["one", "", "", "two", "---", ""]], "generate")
    assert found.suspicious.counts == {}
    assert found.repeated.same.count == 0
    assert found.columns["text"].words.counts == {0: 3, 1: 3}


def test_frames_are_counted_and_have_no_words():
    found = made([("a", np.zeros((7, 2))), ("b", np.ones((3, 2)))], None)
    assert found.columns["2"].words.counts == {3: 1, 7: 1}
    assert found.columns["2"].characters.total == 0


def test_what_cannot_be_read_is_left_out_with_its_place(write):
    file = write("a.tsv", b"pos\tgood\n\xff\tbad\nneg\tpoor\nneg\nneg\tno\0\n" + b"pos\tfine\n" * 3)
    splits, task = open_for_survey(DataConfig(train=str(file)))
    found = survey(splits, task)
    assert found.left_out.counts == {"invalid UTF-8": 1, "wrong number of columns": 1, "NUL byte": 1}
    assert [str(place) for place in found.left_out.places["NUL byte"]] == [f"{file}:5"]
    assert found.records == 5


def test_the_report_is_plain_json():
    figures = json.loads(json.dumps(made(ROWS, "classify").to_json()))
    assert figures["records"] == 90
    assert figures["columns"]["text"]["words"]["least"] == 3
    assert sum(figures["columns"]["text"]["words"]["histogram"]["counts"]) >= 89
    assert set(figures) == {
        "task", "records", "parts", "columns", "labels", "repeated", "left_out", "suspicious",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text, script",
    [
        ("Straße", "Latin"),
        ("ｆｕｌｌ", "Latin"),
        ("中文 a", "Han"),
        ("한국어", "Hangul"),
        ("עברית", "Hebrew"),
        ("!?", ""),
    ],
)
def test_scripts(text, script):
    assert script_of(text) == script


def test_han_is_not_odd_among_japanese():
    assert odd_scripts({"Japanese": 95, "Han": 3, "Latin": 2}) == ("Japanese", ["Latin"])


LOOKS = {
    "labels first": ("a.tsv", "".join(f"{'pn'[i % 2]}\ttext {i}\n" for i in range(30)), "classify", "text 0"),
    "labels last": ("a.tsv", "".join(f"text {i}\t{'pn'[i % 2]}\n" for i in range(30)), "classify", "text 0"),
    "named otherwise": ("a.csv", "review,text,mood\n" + "r,t,m\n" * 3, None, None),
    "a pair": ("a.tsv", "".join(f"text {i}\tTexte {i}\n" for i in range(30)), "translate", "text 0"),
    "a text": ("a.txt", "text 0\nline\n", "generate", "text 0"),
    "CoNLL": ("a.conll", "text X\n0 Y\n\nline Z\n", "tag", None),
}


@pytest.mark.filterwarnings("ignore::seqloom.errors.SeqloomWarning")
@pytest.mark.parametrize("name, content, task, first", LOOKS.values(), ids=LOOKS.keys())
def test_the_task_is_what_data_looks_like(name, content, task, first, write):
    splits, found = open_for_survey(DataConfig(train=str(write(name, content))))
    assert found == task
    if first:
        columns = next(iter(splits["train"])).columns
        assert columns.get("text", columns.get("source")) == first


def test_names_on_a_command_line(tmp_path):
    assert settings_of(["a.tsv"]) == {"train": "a.tsv"}
    assert settings_of(["a.tsv", "b.tsv"]) == {"train": ["a.tsv", "b.tsv"]}
    assert settings_of(["train.en", "train.de", "test.en"])["train"] == ["train.en", "train.de"]
    assert settings_of(["train.tsv", "other.tsv"]) == {"train": ["train.tsv", "other.tsv"]}
    with pytest.raises(DataError, match="cannot be combined"):
        settings_of(["embedded:dates", "a.tsv"])


def test_a_folder_of_frames_is_known_to_be_classified(tmp_path):
    for label in ("one", "two"):
        (tmp_path / label).mkdir()
        for number in range(3):
            np.save(tmp_path / label / f"{number}.npy", np.ones((4, 2), np.float32))
    splits, task = open_for_survey(DataConfig(train=str(tmp_path)))
    assert task == "classify"
    assert len(list(splits["train"])) == 6
