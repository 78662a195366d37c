"""Attention as a file that a browser opens: the views of the studio, with nothing to ask."""

import csv
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page, expect

from seqloom.attention.attention_weights import AttentionMap, attention_map
from seqloom.attention.html import render_html
from tests.attention.maps import CHINESE, HEBREW, HOSTILE, example, random_weights

Visit = Callable[..., Page]
WEIGHTS = random_weights(2, 3, 4, 5, seed=1)
MAP = attention_map(["das", "ist", "ein", "kleines", "haus"], ["that", "small", "house", "."], WEIGHTS, ["low", "high"])

pytestmark = pytest.mark.browser


@pytest.fixture
def visit(open_html: Visit) -> Visit:
    """Open the page of maps."""

    def opens(maps: Sequence[AttentionMap], width: int = 1200, **options: object) -> Page:
        tab = open_html(render_html(maps), width, 800, **options)
        tab.locator(".threads .token").first.wait_for()
        return tab

    return opens


def sentence(tab: Page, name: str = "weave") -> str:
    return str(tab.locator(f".panel.{name} .sentence").first.text_content()).replace("\u2068", "").replace("\u2069", "")


def test_a_word_says_what_it_looks_at_and_its_numbers_can_be_taken_along(visit, tmp_path):
    tab = visit([MAP], accept_downloads=True)
    tab.get_by_role("button", name="small", exact=True).hover()
    row = WEIGHTS.mean((0, 1))[1]
    assert sentence(tab) == f"small looks most at {MAP.source[row.argmax()]}, {row.max():.2f}"
    assert tab.locator(".threads").get_attribute("data-chosen") == ""
    tab.get_by_label("layer", exact=True).select_option("1")
    tab.get_by_label("head", exact=True).select_option("2")
    tab.get_by_role("button", name="small", exact=True).hover()
    assert sentence(tab).endswith(f"{WEIGHTS[1, 2, 1].max():.2f}")
    tab.locator(".panel.matrix .save summary").click()
    with tab.expect_download() as taken:
        tab.get_by_role("button", name="Numbers (CSV)").click()
    taken.value.save_as(tmp_path / "numbers.csv")
    with (tmp_path / "numbers.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["target", *MAP.source]
    found = [[float(number) for number in row[1:]] for row in rows]
    assert [number for row in found for number in row] == pytest.approx(WEIGHTS[1, 2].ravel().tolist(), abs=1e-4)
    for kind, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        for panel in (".weave", ".matrix", ".heads"):
            tab.locator(f".panel{panel} .save summary").click()
            with tab.expect_download() as taken:
                tab.locator(f".panel{panel}").get_by_role("button", name=f"Picture ({kind})").click()
            assert taken.value.path().read_bytes().startswith(begins)
    assert tab.locator(".panel.heads .head").count() == 6
    assert tab.locator(".panel.heads .off").count() == 0, "nothing can be switched off in a file"
    tab.get_by_role("button", name="sharpest first").click()
    sharp = [float(text) for text in tab.locator(".head .sharp").all_inner_texts()]
    assert sharp == sorted(sharp, reverse=True)


def test_rows_are_walked_along_by_keys_in_the_direction_they_are_read(visit):
    tab = visit([example(HEBREW, ["hello", "big", "world"])])
    source, target = (
        tab.locator(".threads .row").nth(side).locator("button").evaluate_all("all => all.map(word => word.offsetLeft)")
        for side in (0, 1)
    )
    assert source == sorted(source, reverse=True)
    assert target == sorted(target)
    focused = "document.activeElement.textContent"
    tab.locator(".threads .token").first.focus()
    tab.keyboard.press("ArrowLeft")
    assert tab.evaluate(focused) == HEBREW[1]
    assert "is looked at most by" in sentence(tab)
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate(focused) in ("hello", "big", "world"), "the strongest partner"
    tab.keyboard.press("End")
    assert sentence(tab).startswith("world looks most at")
    tab.keyboard.press("Escape")
    assert tab.locator(".threads").get_attribute("data-chosen") is None


def test_words_are_text_whatever_they_say_in_both_languages_and_on_a_phone(visit):
    tab = visit([example(HOSTILE, HOSTILE[::-1]), example(CHINESE, ["*", "I"])], 375, color_scheme="dark")
    assert tab.locator(".run-title bdi").first.text_content() == " ".join(HOSTILE)
    assert tab.locator(".threads .row").first.locator("button").count() == len(HOSTILE)
    tab.get_by_role("button", name="中文").click()
    expect(tab.locator(".panel.weave h2").first).to_have_text("织线")
    assert "最关注" in sentence(tab)
    tab.locator(".run").nth(1).scroll_into_view_if_needed()
    tab.locator(".run").nth(1).get_by_role("button", name="*").hover()
    assert str(tab.locator(".run").nth(1).locator(".weave .sentence b").first.text_content()) == "*"
    assert tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_five_hundred_tokens_are_walked_along_and_what_is_pooled_says_so(visit):
    words = [f"w{number}" for number in range(500)]
    tab = visit([example(words, words)], 900)
    assert tab.locator(".threads .token").count() == 1000
    assert "Pooled by maximum" in sentence(tab, "matrix")
    tab.locator(".threads .token").first.focus()
    tab.keyboard.press("End")
    assert sentence(tab).startswith("w499 is looked at most by")
    assert tab.evaluate("document.querySelector('.threads').scrollLeft") > 1000, "the end of the row comes into view"
    assert tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


EVEN = """async () => {
  const {labPoints} = await import("seqloom/colour.js");
  const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
  return ["light", "dark"].map(look => {
    const points = labPoints(look, 21);
    const steps = points.slice(1).map((point, at) => apart(point, points[at]));
    return [Math.max(...steps) / Math.min(...steps), points.map(point => point[0])];
  });
}"""


def test_the_scale_of_colours_is_even_and_only_gets_darker_or_lighter(visit):
    for ratio, lightness in visit([MAP]).evaluate(EVEN):
        assert ratio < 1.1
        assert lightness in (sorted(lightness), sorted(lightness, reverse=True))
