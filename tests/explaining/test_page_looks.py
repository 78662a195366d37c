"""How the page looks: light and dark, narrow and wide, for everybody."""

import re
from io import BytesIO

import pytest
import torch
from PIL import Image
from playwright.sync_api import Page, expect

from seqloom.explaining.panels import Experiment, HeatMap
from seqloom.explaining.values import value_of
from tests.explaining.pages import EXPERIMENT, area, example

# --- how it looks -------------------------------------------------------------------------------

CONTRAST = """names => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1});
  const pen = canvas.getContext("2d", {willReadFrequently: true});
  const probe = document.body.appendChild(document.createElement("i"));
  const light = name => {
    probe.style.color = `var(--${name})`;
    pen.fillStyle = getComputedStyle(probe).color;
    pen.fillRect(0, 0, 1, 1);
    const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(c => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return names.map(([a, b]) => [a, b, (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05)]);
}"""


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_what_is_behind_it(visit, scheme):
    tab = visit(EXPERIMENT, color_scheme=scheme)
    text = ["ink", "soft", "input", "state", "weight", "call"]
    pairs = [(name, behind) for name in text for behind in ("sheet", "paper")]
    pairs += [("ink", behind) for behind in ("plus", "minus", "unit", "zero", "lit", "lit-faint", "well")]
    pairs += [(f"look-{look}", "sheet") for look in range(6)]
    assert [pair for pair in tab.evaluate(CONTRAST, pairs) if pair[2] < 4.5] == []
    lines = [("lit-edge", "sheet"), ("focus", "sheet"), ("strong-rule", "sheet")]
    assert [pair for pair in tab.evaluate(CONTRAST, lines) if pair[2] < 3] == []


def darkness(tab: Page) -> bool:
    red, green, blue = map(
        int, re.findall(r"\d+", tab.evaluate("getComputedStyle(document.documentElement).backgroundColor"))[:3]
    )
    return red + green + blue < 380


@pytest.mark.browser
def test_dark_is_the_systems_choice_until_the_reader_chooses(visit):
    tab = visit(example("dot"), color_scheme="dark")
    assert darkness(tab)
    tab.get_by_label("Colours: light").click()
    assert not darkness(tab)
    tab.reload()
    assert not darkness(tab), "and the choice is kept"
    tab.get_by_label("Colours: as the system").click()
    assert darkness(tab)
    tab.emulate_media(color_scheme="light")
    assert not darkness(tab)
    tab.get_by_label("Colours: dark").click()
    assert darkness(tab)
    tab.emulate_media(media="print")
    assert not darkness(tab)
    expect(tab.get_by_label("Colours: dark")).to_be_hidden()


@pytest.mark.browser
@pytest.mark.parametrize("width", [375, 800, 1100, 1600])
def test_no_page_is_wider_than_its_window(visit, width):
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for name in ("lstm", "encoder-block", "dot"):
        tab = visit(example(name), width)
        assert tab.evaluate(overflow) == 0
        for box in tab.locator(".figure [data-opens]").all()[:1]:
            box.click()
            assert tab.evaluate(overflow) == 0
    assert visit(EXPERIMENT, width).evaluate(overflow) == 0


@pytest.mark.browser
def test_panes_stand_side_by_side_where_there_is_room(visit):
    for width, beside in ((1600, True), (1100, True), (375, False)):
        tab = visit(example("encoder-block"), width)
        formula, code = (area(tab.locator(f".pane.{name}").first) for name in ("formula", "code"))
        assert (code["x"] > formula["x"] + formula["width"] - 1) is beside
        assert (code["y"] >= formula["y"] + formula["height"]) is not beside


@pytest.mark.browser
def test_figure_formula_code_and_value_are_seen_at_once(visit):
    for name in ("lstm", "multi-head", "encoder-block"):
        tab = visit(example(name))
        for part in (".pane.figure", ".pane.formula", ".pane.code", "#value"):
            box = area(tab.locator(part).first)
            assert box["y"] + box["height"] <= 900, f"{name}: {part} ends below the window"


@pytest.mark.browser
def test_nothing_moves_for_who_wants_no_motion(visit):
    duration = "getComputedStyle(document.querySelector('.figure [data-lit]')).transitionDuration"
    assert visit(example("dot")).evaluate(duration) != "0s"
    assert visit(example("dot"), reduced_motion="reduce").evaluate(duration) == "0s"


@pytest.mark.browser
def test_long_chinese_headers_are_turned_and_seen(visit):
    words = ["今天天气好", "我们去公园", "明天会下雨"]
    panel = HeatMap("权重", value_of(torch.eye(3), words, words))
    tab = visit(Experiment("headers", "Headers", "Can they be read?", ["As a table."], [panel]))
    heads = tab.locator(".heat thead th span")
    assert heads.all_inner_texts() == words
    for head in heads.all():
        box = area(head)
        assert box["height"] > 3 * box["width"], "turned, with all its characters"
        style = head.evaluate("it => [getComputedStyle(it).textOrientation, getComputedStyle(it).writingMode]")
        assert style == ["sideways", "vertical-rl"], "upright, it would stand on its head once it is turned"
        assert head.evaluate("it => it.scrollHeight <= it.clientHeight + 1"), "nothing of it is cut off"
        shades = [count for count, _ in Image.open(BytesIO(head.screenshot())).convert("L").getcolors() or []]
        assert max(shades) < 0.95 * sum(shades), "something is drawn there"
