"""Files of attention: picture, data, text, and what cannot be written."""

import json
import struct
import warnings

import pytest

from seqloom.attention import fonts
from seqloom.attention.export import save
from seqloom.attention.png import render_png
from seqloom.errors import DataError, OutputError
from tests.attention.maps import CHINESE, HEBREW, HOSTILE, example

SMALL = example(["das", "haus"], ["the", "house", "."])


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_a_picture_grows_with_its_words():
    words = [f"word{number}" for number in range(60)]
    small, large = size_of(render_png([SMALL])), size_of(render_png([example(words, words[:50])]))
    assert large[0] > 60 * 20 and large[1] > 50 * 20, "20 pixels a word, so that labels can be read"
    assert max(small) < 800
    both = size_of(render_png([SMALL, SMALL]))
    assert both[1] > 1.5 * small[1]


def test_any_words_can_be_drawn():
    size_of(render_png([example([*HOSTILE, *HEBREW], ["", " ", "x" * 500])]))


def test_a_font_is_found_or_its_absence_is_said(monkeypatch):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        chosen = fonts.fonts_for(["plain", *CHINESE])
    assert chosen[0] == fonts.USUAL
    assert len(chosen) > 1 or "我" in str(said[0].message)
    monkeypatch.setattr(fonts, "characters_of", lambda file: frozenset("abc"))
    with pytest.warns(UserWarning, match="no font on this machine has 我: drawn as boxes"):
        size_of(render_png([example(["abc", "我"], ["a"])]))


def test_one_map_is_an_object_and_several_are_a_list(tmp_path):
    one = json.loads(save(SMALL, tmp_path / "one.json").read_text(encoding="utf-8"))
    assert one == json.loads(json.dumps(SMALL.json()))
    several = json.loads(save([SMALL, SMALL], tmp_path / "new" / "two.JSON").read_text(encoding="utf-8"))
    assert several == [one, one]


def test_each_ending_has_its_kind(tmp_path):
    assert size_of(save(SMALL, str(tmp_path / "a.png")).read_bytes())
    assert save(SMALL, tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "house" in save([SMALL], tmp_path / "a.txt").read_text(encoding="utf-8")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.html", "a.png", "a.txt"]


@pytest.mark.parametrize("name", ["a.gif", "a"])
def test_another_ending_is_refused_with_the_four(tmp_path, name):
    with pytest.raises(OutputError, match=r"\.png, \.html, \.json or \.txt"):
        save(SMALL, tmp_path / name)


def test_what_cannot_be_written_is_said(tmp_path):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        save(SMALL, tmp_path / "folder.png")
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        save(SMALL, tmp_path / "file" / "a.json")
    with pytest.raises(DataError, match="no attention"):
        save([], tmp_path / "a.json")
