"""What a terminal shows: in its width, with and without colour, whatever the words are."""

import re

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from seqloom.attention.attention_weights import AttentionMap, attention_map
from seqloom.attention.display_text import right_to_left, shown
from seqloom.attention.terminal import TerminalHeatmap
from tests.attention.maps import CHINESE, HEBREW, HOSTILE, example

STEPS = attention_map(["der", "hund"], ["the", "dog"], [[1.0, 0.0], [0.5, 0.5]])


def printed(one: AttentionMap, width: int = 80, **options) -> list[str]:
    console = Console(width=width, **{"color_system": None, **options})
    with console.capture() as captured:
        console.print(TerminalHeatmap(one))
    return captured.get().splitlines()


def test_words_stand_at_their_rows_and_columns():
    assert [line.rstrip() for line in printed(STEPS)[:3]] == ["    der hund", "the ███", "dog ▒▒▒ ▒▒▒▒"]
    assert printed(STEPS)[-1].split() == ["0", "░░", "▒▒", "▓▓", "██", "1"]


def test_shades_rise_with_the_weight():
    drawn = "\n".join(printed(STEPS, force_terminal=True, color_system="truecolor", no_color=False, _environ={}))
    levels = [int(level) for level in re.findall(r"48;2;(\d+);\1;\1m", drawn)]
    assert levels[:4] == [255, 24, 140, 140]
    assert "█" not in drawn


@pytest.mark.parametrize("options", [{"color_system": "standard"}, {"color_system": "truecolor", "no_color": True}])
def test_without_shades_of_grey_it_draws_with_letters(options):
    drawn = "\n".join(printed(STEPS, force_terminal=True, _environ={}, **options))
    assert "███" in drawn and "48;" not in drawn


@pytest.mark.parametrize("width", [20, 40, 80])
def test_long_sentences_go_on_in_blocks(width):
    source = [f"word{number}" for number in range(120)]
    one = example(source, ["a", "internationalisation-of-prices"])
    lines = printed(one, width)
    assert max(map(cell_len, lines)) <= width
    text = " ".join(lines)
    assert all(f"{number + 1} {word}" in text for number, word in enumerate(source)), "each number has its word"
    heads = [line for line in lines if re.fullmatch(r"[\d\s]+", line) and line.strip()]
    assert [int(n) for line in heads for n in line.split()] == list(range(1, 121))


def test_a_column_of_a_later_block_is_that_of_its_number():
    weights = np.zeros((1, 50))
    weights[0, 41] = 1
    lines = printed(attention_map([f"w{n}" for n in range(50)], ["x"], weights), 60)
    row = next(place for place, line in enumerate(lines) if "██" in line and line.startswith("x"))
    at = lines[row].index("██")
    assert lines[row - 1][at : at + 2] == "42"


def test_chinese_is_measured_by_its_cells():
    lines = printed(attention_map(CHINESE, CHINESE, np.eye(5)))
    head, rows = lines[0], lines[1:6]
    for place, row in enumerate(rows):
        at = cell_len(row[: row.index("█")])
        assert at == cell_len(head[: head.index(CHINESE[place])])


def test_words_from_right_to_left_stay_where_they_are():
    lines = printed(attention_map(HEBREW, ["a", *HEBREW[:2]], np.eye(3)))
    places = [lines[0].index(word) for word in HEBREW]
    assert places == sorted(places)
    assert all(f"\u2068{word}\u2069" in lines[0] for word in HEBREW), "no word can pull the next to its side"
    assert lines[0].startswith("\u200e") and lines[2].startswith("\u200e")
    assert "\u200e" not in lines[1]


def test_no_word_can_write_to_the_terminal():
    lines = printed(example(HOSTILE, HOSTILE), 200)
    text = "\n".join(lines)
    assert "\x1b" not in text and "a↵b�[31m" in text
    assert "<script>alert(1)</script>" in text
    assert len(lines) == 7


@pytest.mark.parametrize(
    "word, seen",
    [("a\tb", "a⇥b"), ("  ", "␣␣"), ("\u202eabc", "abc"), ("\x7f", "�"), ("\x9b", "�"), ("می\u200cروم", "می\u200cروم")],
)
def test_what_cannot_be_seen_is_shown_or_left_out(word, seen):
    assert shown(word) == seen


def test_direction_is_that_of_most_words():
    assert right_to_left((*HEBREW, "ok", "1"))
    assert not right_to_left(("ok", "1"))
    assert not right_to_left(("1", "!"))
