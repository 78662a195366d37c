"""References are read as the standard library reads them, and known by their places."""

from html import unescape
from html.entities import html5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.serving.segmentation.entities import read

ATOMS = ["&", "&amp;", "&amp", "&nbsp;", "&#x4e2d;", "&#20013", "&notit;", "&not", "&#0;", "&#1;", "&#xd800;", "&bne;"]
RAW = st.lists(st.sampled_from([*ATOMS, "a", "it", ";", "#", "x", "9", " ", "中", "&#x110000;", "&#", "&#x"])).map(
    "".join
)


@given(RAW | st.text())
def test_as_the_standard_library(raw):
    assert read(raw)[0] == unescape(raw)


@pytest.mark.parametrize("name", sorted(html5)[::50])
def test_every_name(name):
    assert read(f"a&{name}b")[0] == unescape(f"a&{name}b")


@given(RAW | st.text())
def test_places_lead_back(raw):
    text, places = read(raw)
    assert len(places) == len(text) + 1
    assert places[len(text)] == len(raw)
    assert list(places) == sorted(places)
    for i, letter in enumerate(text):
        piece = raw[places[i] : places[i + 1]]
        assert piece.startswith(letter) or "&" in piece or piece == ""


def test_places():
    text, places = read("a&amp;b&bne;c")  # &bne; is two characters
    assert text == "a&b=\u20e5c"
    assert list(places) == [0, 1, 6, 7, 12, 12, 13]


def test_a_number_too_long_to_read_stays():
    raw = "&#" + "9" * 5000 + ";"  # int() refuses it
    assert read(raw)[0] == raw
