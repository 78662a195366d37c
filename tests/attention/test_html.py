"""The page of attention in a real browser."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from playwright.sync_api import Page

from seqloom.attention.attention_weights import AttentionMap, attention_map
from seqloom.attention.html import render_html
from tests.attention.maps import CHINESE, HEBREW, HOSTILE, example, random_weights

Visit = Callable[..., Page]
WEIGHTS = random_weights(2, 3, 4, 5, seed=1)
MAP = attention_map(["das", "ist", "ein", "kleines", "haus"], ["that", "small", "house", "."], WEIGHTS, ["low", "high"])


@pytest.fixture
def visit(open_html: Visit) -> Visit:
    """Open the page of maps."""

    def opens(maps: Sequence[AttentionMap], width: int = 1200, scheme: str = "light") -> Page:
        tab = open_html(render_html(maps), width, 800, color_scheme="dark" if scheme == "dark" else "light")
        tab.locator(".lines line").first.wait_for(state="attached")
        return tab

    return opens


def widths(tab: Page) -> dict[tuple[int, int], float]:
    """Of each line, the width, by target and source."""
    found = tab.locator(".lines line").evaluate_all(
        "all => all.map(line => [line.dataset.target, line.dataset.source, line.getAttribute('stroke-width')])"
    )
    return {(int(target), int(source)): float(width) for target, source, width in found}


@pytest.mark.browser
def test_lines_are_as_wide_as_their_weight_and_squares_say_it(visit):
    tab = visit([MAP])
    mean = WEIGHTS.mean((0, 1))
    drawn = widths(tab)
    assert set(drawn) == {(t, s) for t in range(4) for s in range(5) if round(float(mean[t, s]), 4) >= 0.01}
    for place, width in drawn.items():
        assert width == pytest.approx(12 * mean[place], abs=0.01)
    cells = tab.locator(".heat tbody td").all_inner_texts()
    assert [float(cell) for cell in cells] == pytest.approx(mean.ravel().tolist(), abs=0.0051)


@pytest.mark.browser
@pytest.mark.parametrize("layer, head", [(1, 2), (1, None), (None, 0)])
def test_layer_and_head_are_chosen_by_name(visit, layer, head):
    tab = visit([MAP])
    tab.get_by_label("Layer").select_option("mean of all" if layer is None else ["low", "high"][layer])
    tab.get_by_label("Head").select_option("mean of all" if head is None else f"head {head + 1}")
    expected = MAP.of(layer, head)
    for place, width in widths(tab).items():
        assert width == pytest.approx(12 * expected[place], abs=0.01)
    first = float(tab.locator(".heat tbody td").first.inner_text())
    assert first == pytest.approx(float(expected[0, 0]), abs=0.0051)


@pytest.mark.browser
def test_lines_end_at_their_words(visit):
    tab = visit([example(CHINESE, ["I", "love", "machine", "learning"])])
    places = tab.evaluate("""() => [...document.querySelectorAll('.lines line')].map(line => {
      const middle = word => { const box = word.getBoundingClientRect(); return box.x + box.width / 2; };
      const [source, target] = document.querySelectorAll('.sentence');
      const left = document.querySelector('.lines svg').getBoundingClientRect().x;
      return [Number(line.getAttribute('x1')) + left - middle(source.children[line.dataset.source]),
              Number(line.getAttribute('x2')) + left - middle(target.children[line.dataset.target])];
    })""")
    assert np.abs(places).max() < 1.5


@pytest.mark.browser
def test_a_word_is_chosen_by_keys_alone(visit):
    weights = [[0.1, 0.9, 0.0], [0.25, 0.0, 0.75]]
    tab = visit([attention_map(["le", "chat", "noir"], ["black", "cat"], weights)])
    focused = "document.activeElement.textContent"
    tab.locator("#theme button").last.focus()
    tab.keyboard.press("Tab")
    assert tab.evaluate(focused) == "le"
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate(focused) == "chat"
    assert "is attended to by \u2068black\u2069 0.90" in str(tab.locator("output").first.text_content())
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate(focused) == "black", "the strongest partner"
    assert tab.locator("line[data-lit]").count() == 2
    assert tab.locator("tr.marked th").all_inner_texts() == ["black"]
    tab.keyboard.press("End")
    assert tab.evaluate(focused) == "cat"
    assert tab.locator("output").first.text_content() == (
        "\u2068cat\u2069 attends to \u2068noir\u2069 0.75, \u2068le\u2069 0.25"
    )
    tab.keyboard.press("Escape")
    assert tab.locator("line[data-lit]").count() == 0
    assert tab.get_by_label("Head").count() == 0 or not tab.get_by_label("Head").is_visible()


@pytest.mark.browser
def test_a_sentence_that_is_read_from_the_right_begins_there(visit):
    tab = visit([example(HEBREW, ["hello", "big", "world"])])
    source, target = (
        tab.locator(".sentence").nth(side).locator("button").evaluate_all("all => all.map(word => word.offsetLeft)")
        for side in (0, 1)
    )
    assert source == sorted(source, reverse=True)
    assert target == sorted(target)
    tab.locator(".sentence button").first.focus()
    tab.keyboard.press("ArrowLeft")
    assert tab.evaluate("document.activeElement.textContent") == HEBREW[1]


@pytest.mark.browser
def test_words_are_text_whatever_they_say(visit):
    tab = visit([example(HOSTILE, HOSTILE[::-1])])
    assert (
        tab.locator(".sentence").first.locator("bdi").evaluate_all("all => all.map(word => word.textContent)")
        == HOSTILE
    )
    assert tab.locator("h2 bdi").first.text_content() == " ".join(HOSTILE)


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_long_sentences_keep_their_labels_and_the_page_its_width(visit, scheme):
    words = [f"word{number}" for number in range(60)]
    tab = visit([example(words, words[:50]), MAP], 375, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    long = tab.locator(".attention").first
    assert long.locator("tbody th").all_text_contents() == words[:50]
    assert long.locator("thead").count() == 2
    long.locator("tbody th").nth(40).click()
    assert str(long.locator("[data-map] > output").text_content()).startswith("\u2068word40\u2069 attends to")
    assert long.locator("tr.marked th").all_inner_texts() == ["word40"]
    red = int(re.findall(r"\d+", tab.evaluate("getComputedStyle(document.documentElement).backgroundColor"))[0])
    assert (red < 100) is (scheme == "dark")
