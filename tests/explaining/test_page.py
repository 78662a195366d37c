"""The page in a real browser: one symbol everywhere, its numbers, its moments, and boxes that open."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Dialog, FloatRect, Locator, Page, expect

from seqloom.explaining.catalogue import find
from seqloom.explaining.explanation import Explanation, explain_definition
from seqloom.explaining.page import VIEWS, explanation_data, frame, page
from seqloom.explaining.panels import BarChart, Experiment, HeatMap, LineChart, Series, Table
from seqloom.explaining.values import Value, value_of

Visit = Callable[..., Page]

HOSTILE = ["<script>alert(1)</script>", "\"&'", "</script><img src=x onerror=alert(2)>", "<b>bold</b>"]
PANES = ["figure", "formula", "code"]
LARGE = value_of(torch.linspace(-1, 1, 80 * 60).reshape(80, 60))
EXPERIMENT = Experiment(
    name="reach",
    title="Reach",
    question="How far does it reach?",
    text=["As far as `lstm` goes.", "1 < 2 & 3"],
    panels=[
        LineChart("Gradient", "distance", "size", [
            Series("plain", [0, 10, 20], [1.0, 0.01, 0.0001]), Series("gated", range(0, 30, 10), [1.0, 0.5, 0.25]),
        ], y_scale="log"),
        BarChart("Parts", "numbers", ["words", "gates"], [("small", [10, 20]), ("large", [30, 60])], stacked=True),
        HeatMap("Shares", value_of(torch.tensor([[0.25, 0.75], [1.0, 0.0]]), ["a", "b"], ["c", "d"])),
        HeatMap("Heads", value_of(torch.arange(12.0).reshape(2, 2, 3) - 5.5)),
        HeatMap("Large", LARGE),
        Table("Scores", ["layer", "score"], [["lstm", "99.1 %"], ["<i>gru</i>", "98.0 %"]]),
    ],
)  # fmt: skip


def example(name: str, sentence: str = "the cat sat down") -> Explanation:
    return explain_definition(find(name), sentence)


@pytest.fixture
def visit(chromium: Browser, tmp_path: Path) -> Iterator[Visit]:
    """Open a page from a file; nothing may be fetched by it, and nothing may go wrong in it."""
    wrong: list[str] = []
    opened: list[Page] = []

    def asked(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def opens(explained: Explanation | Experiment, width: int = 1600, height: int = 900, **options: Any) -> Page:
        file = tmp_path / f"{len(opened)}.html"
        file.write_text(page(explained), encoding="utf-8")
        tab = chromium.new_page(viewport={"width": width, "height": height}, **options)
        opened.append(tab)
        tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("dialog", asked)
        tab.on("request", lambda request: None if re.match("file:|data:", request.url) else wrong.append(request.url))
        tab.goto(file.as_uri())
        expect(tab.locator("#theme button")).to_have_count(3)
        return tab

    yield opens
    for tab in opened:
        tab.close()
    assert wrong == []


def place(tab: Page, pane: str, id: str) -> Locator:
    """The places of an id in a pane of the view that is open."""
    return tab.locator(f'article:not([hidden]) .{pane} [data-id="{id}"]')


def area(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found, "it is drawn"
    return found


def lit(tab: Page, pane: str) -> set[str]:
    """The ids that are lit in a pane of the view that is open."""
    found = tab.locator(f"article:not([hidden]) .pane.{pane} [data-id][data-lit]").all()
    return {str(place.get_attribute("data-id")) for place in found}


def row(tab: Page) -> list[str]:
    """The numbers shown for this moment."""
    marked = tab.locator("#value tr.marked td")
    return (marked if marked.count() else tab.locator("#value tbody td")).all_inner_texts()


def two_digits(value: Value) -> list[str]:
    return [f"{number:.2f}".replace("-", "−") for number in value.data if number is not None]


# --- one symbol everywhere ----------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("pane", PANES)
def test_pointing_at_a_symbol_lights_it_everywhere(visit, pane):
    tab = visit(example("lstm"))
    assert lit(tab, pane) == {"h"}, "a page begins with its result"
    place(tab, pane, "f").last.hover()
    assert [lit(tab, other) for other in (*PANES, "symbols")] == [{"f"}] * 4


@pytest.mark.browser
@pytest.mark.parametrize("pane", PANES)
def test_pointing_at_an_operation_lights_it_everywhere(visit, pane):
    tab = visit(example("lstm"))
    place(tab, pane, "c.1").first.hover(position={"x": 2, "y": 8} if pane != "figure" else None)
    place(tab, pane, "c.1").first.focus()
    assert [lit(tab, other) for other in PANES] == [{"c.1"}] * 3
    assert tab.locator("#value .says").inner_text() == "product, entry by entry"


@pytest.mark.browser
def test_edges_into_and_out_of_a_symbol_are_lit(visit):
    tab = visit(example("lstm"))
    place(tab, "figure", "i").last.hover()
    edges = tab.locator(".figure .edge").evaluate_all(
        "all => all.map(e => [e.dataset.from, e.dataset.to, 'lit' in e.dataset])"
    )
    assert any(lit for _, _, lit in edges)
    assert all(lit == ("i" in (source, target)) for source, target, lit in edges)


@pytest.mark.browser
def test_tab_carries_a_symbol_from_pane_to_pane(visit):
    tab = visit(example("lstm"))
    place(tab, "figure", "g").last.focus()
    for pane in ("formula", "code"):
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.dataset.id") == "g"
        assert tab.evaluate(f"document.activeElement.closest('.pane.{pane}') !== null")
        assert [lit(tab, other) for other in PANES] == [{"g"}] * 3


@pytest.mark.browser
def test_a_pinned_symbol_comes_back_until_escape(visit):
    tab = visit(example("lstm"))
    place(tab, "formula", "f").first.click()
    place(tab, "code", "o").first.hover()
    assert lit(tab, "figure") == {"o"}
    tab.locator("h1").hover()
    assert lit(tab, "figure") == {"f"}
    tab.keyboard.press("Escape")
    assert lit(tab, "figure") == set()
    expect(tab.locator("#value .hint")).to_contain_text("Point at any symbol")


# --- numbers ------------------------------------------------------------------------------------


@pytest.mark.browser
def test_the_panel_shows_what_was_recorded(visit):
    explained = example("lstm")
    tab = visit(explained)
    place(tab, "figure", "f").last.hover()
    assert row(tab) == two_digits(explained.steps[0].values["f"])
    assert tab.locator("#value .sizes").inner_text() == "3"
    assert tab.locator("#value .says").inner_text() == "what to keep"
    assert tab.locator("#value .heat.share").count() == 1, "a gate is between 0 and 1"
    place(tab, "figure", "W_f").first.hover()
    assert row(tab) == two_digits(explained.steps[0].values["W_f"])
    assert tab.locator("#value .sizes").inner_text() == "4 × 3"
    assert tab.locator("#value .letters").inner_text() == "(D, H)"
    assert tab.locator("#value .kind").inner_text() == "weight"
    assert tab.locator("#value .heat.signed").count() == 1


@pytest.mark.browser
def test_a_symbol_is_named_whole_where_a_formula_takes_it_apart(visit):
    tab = visit(example("multi-head"))
    place(tab, "formula", "W_Q").first.hover()  # stands there with a second index
    assert tab.locator("#value h2").text_content() == "WQ"


@pytest.mark.browser
def test_a_matrix_of_words_is_labelled_with_them(visit):
    explained = example("scaled-dot-product")
    tab = visit(explained)
    place(tab, "formula", "A").first.hover()
    assert tab.locator("#value thead th").all_inner_texts() == explained.words
    assert tab.locator("#value tbody th").all_inner_texts() == explained.words
    place(tab, "code", "A.1").first.hover()  # -inf
    assert row(tab) == ["−∞"]


@pytest.mark.browser
def test_time_changes_the_numbers(visit):
    explained = example("lstm")
    tab = visit(explained)
    place(tab, "figure", "c").last.click()
    shown = []
    for step, word in enumerate(explained.words):
        tab.locator(".chip").nth(step).click()
        assert tab.locator('.chip[aria-checked="true"]').all_inner_texts() == [word]
        assert tab.locator("#value tr.marked th").inner_text() == word
        assert row(tab) == two_digits(explained.steps[step].values["c"])
        shown.append(row(tab))
    assert shown[0] != shown[1]
    tab.locator("#value tbody tr").nth(1).click()  # the table itself leads to a moment
    assert row(tab) == shown[1]


@pytest.mark.browser
def test_arrow_keys_and_buttons_move_time(visit):
    tab = visit(example("lstm"))
    current = tab.locator('.chip[aria-checked="true"]')
    tab.keyboard.press("ArrowRight")
    expect(current).to_have_text("cat")
    tab.get_by_label("One word on").click()
    expect(current).to_have_text("sat")
    current.focus()
    tab.keyboard.press("End")
    expect(current).to_have_text("down")
    expect(current).to_be_focused()
    expect(tab.get_by_label("One word on")).to_be_disabled()
    tab.get_by_label("Play").click()
    expect(current).to_have_text("the")
    expect(current).to_have_text("cat", timeout=3000)
    tab.get_by_label("Pause").click()


@pytest.mark.browser
def test_a_single_run_has_no_time(visit):
    tab = visit(example("multi-head"))
    expect(tab.locator("#time")).to_be_hidden()


def test_what_does_not_change_is_stored_once():
    first, *later = (step["values"] for step in explanation_data(example("lstm"))["steps"])
    assert "W_f" in first
    assert all("W_f" not in values and "f" in values for values in later)


# --- boxes that open ----------------------------------------------------------------------------


def crumbs(tab: Page) -> list[str]:
    return tab.locator("#trail li:not(.hint)").all_inner_texts()


@pytest.mark.browser
def test_a_box_opens_in_all_panes_and_closes(visit):
    explained = example("encoder-block")
    tab = visit(explained)
    assert crumbs(tab) == ["encoder-block"]
    tab.locator('.figure [data-opens="A"]').first.click()
    assert crumbs(tab) == ["encoder-block", "A: multi-head"]
    assert tab.locator("article:visible").count() == 1
    assert "multi_head" in tab.locator(".code:visible").inner_text()
    inner = next(view for view in explained.views if view.path.startswith("A/")).path
    tab.locator(f'article:not([hidden]) .figure [data-opens="{inner}"]').first.click()
    assert crumbs(tab) == ["encoder-block", "A: multi-head", "head: scaled-dot-product"]
    place(tab, "formula", f"{inner}/E").first.hover()
    assert [lit(tab, pane) for pane in PANES] == [{f"{inner}/E"}] * 3
    assert tab.locator("#value .sizes").inner_text() == "2 × 4 × 4"
    assert tab.locator("#value .slice").count() == 2, "one matrix for each head"
    tab.get_by_role("button", name="encoder-block").click()
    assert crumbs(tab) == ["encoder-block"]
    assert lit(tab, "figure") == {"A"}, "the box that was closed"


@pytest.mark.browser
def test_an_open_box_closes_by_its_upper_edge_only(visit):
    tab = visit(example("encoder-block"))
    tab.locator('.figure [data-opens="A"]').first.click()
    frame = tab.locator('article:not([hidden]) .figure .frame[data-opens="A"]')
    box = area(frame)
    tab.mouse.click(box["x"] + 40, box["y"] + box["height"] - 6)
    assert len(crumbs(tab)) == 2
    tab.mouse.click(box["x"] + 40, box["y"] + 8)
    assert len(crumbs(tab)) == 1


@pytest.mark.browser
def test_the_panel_offers_to_open(visit):
    tab = visit(example("encoder-block"))
    place(tab, "code", "F").first.click()
    tab.get_by_role("button", name="Open feed-forward").click()
    assert crumbs(tab) == ["encoder-block", "F: feed-forward"]


@pytest.mark.browser
def test_the_keyboard_alone_is_enough(visit):
    tab = visit(example("encoder-block"))
    focused = "document.activeElement.dataset.id ?? ''"
    for _ in range(20):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.closest('.pane.figure') !== null"):
            break
    assert tab.evaluate(focused) == "Z"
    for _ in range(20):
        if tab.evaluate("document.activeElement.dataset.opens") == "F":
            break
        tab.keyboard.press("ArrowLeft")
    assert lit(tab, "formula") == {"F"}
    tab.keyboard.press("Enter")
    assert crumbs(tab) == ["encoder-block", "F: feed-forward"]
    assert tab.evaluate("document.activeElement.dataset.opens") == "F", "focus stays on the box"
    tab.keyboard.press("Tab")
    tab.keyboard.press("ArrowRight")
    inside = tab.evaluate(focused)
    assert inside.startswith("F/")
    tab.keyboard.press("Enter")
    expect(tab.locator("#value .pinned")).to_be_visible()
    tab.keyboard.press("Escape")
    expect(tab.locator("#value .pinned")).to_have_count(0)
    assert len(crumbs(tab)) == 2
    tab.keyboard.press("Escape")
    assert len(crumbs(tab)) == 1
    assert tab.evaluate(focused) == "F", "and returns to it"


@pytest.mark.browser
def test_only_the_chosen_symbol_of_a_pane_is_a_tab_stop(visit):
    tab = visit(example("lstm"))
    for pane in PANES:
        assert tab.locator(f'.pane.{pane} [data-id][tabindex="0"]').count() == 1


@pytest.mark.browser
def test_lines_are_aligned_at_the_sign_of_equality(visit):
    tab = visit(example("lstm"))
    signs = tab.locator(".formula math > mrow > mo:text-is('=')")
    assert signs.count() == 6
    places = [area(sign)["x"] for sign in signs.all()]
    assert max(places) - min(places) < 1


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
    pairs += [("ink", behind) for behind in ("plus", "minus", "share", "zero", "lit", "lit-faint", "well")]
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


# --- words of others ----------------------------------------------------------------------------


@pytest.mark.browser
def test_words_are_nothing_but_text(visit):
    explained = example("lstm")
    tab = visit(replace(explained, words=HOSTILE, labels=tuple(HOSTILE)))
    assert tab.locator(".chip").all_inner_texts() == HOSTILE
    place(tab, "figure", "h").last.hover()
    assert tab.locator("#value tbody th").all_inner_texts() == HOSTILE
    assert tab.locator("img, b:not(.total b), script[src]").count() == 0


@pytest.mark.browser
def test_words_of_an_experiment_are_nothing_but_text(visit):
    bad = HOSTILE[2]
    tab = visit(Experiment(bad, bad, bad, [bad], [
        LineChart(bad, bad, bad, [Series(bad, [1, 2], [1, 2])]), BarChart(bad, bad, [bad], [(bad, [1])]),
        HeatMap(bad, Value((1, 1), [1.0], [bad], [bad])), Table(bad, [bad], [[bad]]),
    ]))  # fmt: skip
    tab.locator(".chart").first.hover()
    assert tab.locator("h1").inner_text() == bad
    assert tab.locator(".panels td").all_inner_texts().count(bad) >= 1
    assert tab.locator("img").count() == 0


@pytest.mark.browser
def test_a_script_that_is_not_the_pages_own_does_not_run(chromium, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page(example("dot")).replace("</main>", "<img src='data:,' onerror='window.ran = 1'></main>"))
    tab = chromium.new_page()
    tab.goto(file.as_uri())
    tab.wait_for_selector("#theme button")
    tab.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 2'}))"
    )
    assert tab.evaluate("window.ran") is None
    tab.close()


class Elements(HTMLParser):
    """The text of the script elements, by type."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: dict[str, str] = {}
        self.within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.within = dict(attrs).get("type") or "" if tag == "script" else ""

    def handle_data(self, data: str) -> None:
        if self.within:
            self.scripts[self.within] = self.scripts.get(self.within, "") + data


def test_data_survives_words_that_look_like_markup():
    read = Elements()
    read.feed(page(replace(example("lstm"), labels=tuple(HOSTILE))))
    assert [step["label"] for step in json.loads(read.scripts["application/json"])["steps"]] == HOSTILE


def test_modules_import_only_each_other():
    read = Elements()
    read.feed(page(EXPERIMENT))
    inside = json.loads(read.scripts["importmap"])["imports"]
    modules = [file for file in VIEWS.iterdir() if file.name.endswith(".js")]
    assert set(inside) == {f"seqloom/{file.name}" for file in modules}
    assert all(address.startswith("data:text/javascript;base64,") for address in inside.values())
    for file in modules:
        imports = re.findall(r'\bfrom "([^"]+)"|\bimport\("([^"]+)"', file.read_text(encoding="utf-8"))
        assert {name for pair in imports for name in pair if name} <= set(inside), file.name


@pytest.mark.browser
def test_a_notebook_shows_the_page_in_a_frame(chromium):
    wrong: list[str] = []
    tab = chromium.new_page()
    tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    tab.set_content(f"<!doctype html><p>a notebook</p>{frame(page(example('gru')), height=500)}")
    inside = tab.frame_locator("iframe")
    inside.locator('.figure [data-id="z"]').last.hover()
    expect(inside.locator('.formula [data-id="z"][data-lit]').first).to_be_visible()
    inside.get_by_label("Colours: dark").click()  # nothing can be kept here, and that is no error
    assert area(tab.locator("iframe"))["height"] == 500
    assert wrong == []
    tab.close()


@pytest.mark.browser
def test_latex_is_copied(visit):
    explained = example("lstm")
    tab = visit(explained)
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.get_by_role("button", name="Copy LaTeX").click()
    expect(tab.get_by_role("button", name="Copied")).to_be_visible()
    assert tab.evaluate("navigator.clipboard.readText()") == explained.latex
    assert tab.locator("#latex").inner_text().strip() == explained.latex.strip()


@pytest.mark.browser
def test_parameters_stand_beside_their_symbols(visit):
    tab = visit(example("encoder-block"))
    explained = example("encoder-block")
    shown = tab.locator("article:visible .symbols tbody .number").all_inner_texts()
    assert sum(int(text) for text in shown if text) == explained.total == 129
    tab.locator('.figure [data-opens="A"]').first.click()
    inside = dict(
        zip(*(tab.locator(f"article:visible .symbols tbody {cell}").all_inner_texts() for cell in ("th", ".number")))
    )
    assert sum(int(text) for text in inside.values() if text) == sum(
        number for name, (_, number) in explained.count.items() if name.startswith("attention.")
    )


# --- experiments --------------------------------------------------------------------------------


def panel(tab: Page, title: str) -> Locator:
    return tab.locator("figure.pane").filter(has=tab.get_by_role("heading", name=title, exact=True))


@pytest.mark.browser
def test_an_experiment_shows_question_text_and_panels(visit):
    tab = visit(EXPERIMENT)
    assert tab.locator("h1").inner_text() == "How far does it reach?"
    assert tab.locator(".text p").all_inner_texts() == ["As far as lstm goes.", "1 < 2 & 3"]
    assert tab.locator(".text code").all_inner_texts() == ["lstm"]
    assert tab.locator(".panels h2").all_inner_texts() == [panel.title for panel in EXPERIMENT.panels]


@pytest.mark.browser
def test_a_line_chart_is_read_out_by_pointer_and_by_keys(visit):
    tab = visit(EXPERIMENT)
    chart = panel(tab, "Gradient")
    box = area(chart.locator("svg.chart"))
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    assert chart.locator(".legend .number").all_inner_texts() == ["0.01", "0.5"]
    assert chart.locator(".where").inner_text() == "distance 10"
    tab.mouse.move(5, 5)
    assert chart.locator(".legend .number").all_inner_texts() == ["", ""]
    chart.locator("svg.chart").focus()
    tab.keyboard.press("End")
    assert chart.locator(".legend .number").all_inner_texts() == ["10⁻⁴", "0.25"]
    assert chart.locator("[aria-live]").inner_text() == "distance 20: plain 10⁻⁴, gated 0.25"


@pytest.mark.browser
def test_a_logarithmic_axis_gives_each_power_of_ten_the_same_room(visit):
    tab = visit(EXPERIMENT)
    points = panel(tab, "Gradient").locator("svg.chart .curve").first.get_attribute("d")
    heights = [float(height) for height in re.findall(r"[ML][\d.]+ ([\d.]+)", str(points))]
    assert heights[1] - heights[0] == pytest.approx(heights[2] - heights[1], abs=0.2) != 0


@pytest.mark.browser
def test_stacked_bars_stand_on_each_other(visit):
    tab = visit(EXPERIMENT)
    bars = panel(tab, "Parts").locator("svg.chart .bar").all()
    boxes = [{name: float(bar.get_attribute(name) or "nan") for name in ("x", "y", "height")} for bar in bars]
    assert len(boxes) == 4
    small, large = boxes[:2]
    assert small["x"] == large["x"]
    assert large["height"] == pytest.approx(3 * small["height"], rel=1e-3)
    assert large["y"] + large["height"] == pytest.approx(small["y"])


@pytest.mark.browser
def test_one_heat_map_serves_small_and_large(visit):
    tab = visit(EXPERIMENT)
    assert panel(tab, "Shares").locator("tbody td").all_inner_texts() == ["0.25", "0.75", "1.00", "0.00"]
    strengths = (
        panel(tab, "Shares")
        .locator("tbody td")
        .evaluate_all("all => all.map(td => Number(td.style.getPropertyValue('--m')))")
    )
    assert strengths == [0.25, 0.75, 1, 0]
    heads = panel(tab, "Heads")
    assert heads.locator("figcaption").all_inner_texts() == ["[0]", "[1]"]
    assert heads.locator("td.minus").count() == heads.locator("td.plus").count() == 6
    large = panel(tab, "Large")
    assert large.locator("td").count() == 0
    drawing = large.locator("svg")
    drawing.hover(position={"x": 1, "y": area(drawing)["height"] - 1})
    assert large.locator(".readout").inner_text() == f"[79, 0]: {LARGE.data[79 * 60]}"


@pytest.mark.browser
def test_a_table_is_text(visit):
    tab = visit(EXPERIMENT)
    cells = panel(tab, "Scores").locator("td")
    assert cells.all_inner_texts() == ["lstm", "99.1 %", "<i>gru</i>", "98.0 %"]
    assert cells.nth(1).evaluate("cell => getComputedStyle(cell).textAlign") == "end"
