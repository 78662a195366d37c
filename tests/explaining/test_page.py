"""The page in a real browser: one symbol everywhere, its numbers, its moments, and boxes that open."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from playwright.sync_api import Page, expect

from seqloom.explaining.page import explanation_data, page
from seqloom.explaining.panels import BarChart, Experiment, HeatMap, LineChart, Series, Table
from seqloom.explaining.values import Value
from seqloom.views.document import VIEWS, frame
from tests.explaining.pages import EXPERIMENT, HOSTILE, PANES, area, example, lit, place, row, two_digits

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
    assert tab.locator("#value .says").inner_text() == "the forget gate: how much of the old cell state is kept"
    assert tab.locator("#value .heat.unit").count() == 1, "a gate is between 0 and 1"
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
def test_the_slider_moves_time(visit):
    tab = visit(example("lstm"))
    tab.locator("#time input[type=range]").fill("2")
    assert tab.locator("#time .count").inner_text() == "3 of 4"
    tab.locator("#time .chip").first.click()
    assert tab.locator("#time input[type=range]").input_value() == "0"


@pytest.mark.browser
def test_arrow_keys_and_buttons_move_time(visit):
    tab = visit(example("lstm"))
    current = tab.locator('.chip[aria-checked="true"]')
    tab.keyboard.press("ArrowRight")
    expect(current).to_have_text("cat")
    tab.get_by_label("Next token").click()
    expect(current).to_have_text("sat")
    current.focus()
    tab.keyboard.press("End")
    expect(current).to_have_text("down")
    expect(current).to_be_focused()
    expect(tab.get_by_label("Next token")).to_be_disabled()
    tab.get_by_label("Play").click()
    expect(current).to_have_text("the")
    expect(current).to_have_text("cat")
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
    assert crumbs(tab) == ["encoder-block", "attention: multi-head"]
    assert tab.locator("article:visible").count() == 1
    assert "multi_head" in tab.locator(".code:visible").inner_text()
    inner = next(view for view in explained.views if view.path.startswith("A/")).path
    tab.locator(f'article:not([hidden]) .figure [data-opens="{inner}"]').first.click()
    assert crumbs(tab) == ["encoder-block", "attention: multi-head", "attention: scaled-dot-product"]
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
def test_the_latex_is_that_of_what_is_open(visit):
    tab = visit(example("encoder-block"))
    assert r"\text{attention}(X, X, \mathrm{mask})" in tab.locator("#latex").inner_text()
    tab.locator('article:not([hidden]) .figure [aria-label*="network" i][data-opens]').first.press("Enter")
    assert r"\max(0, x W_1 + b_1)" in tab.locator("#latex").inner_text()


@pytest.mark.browser
def test_the_panel_offers_to_open(visit):
    tab = visit(example("encoder-block"))
    place(tab, "code", "F").first.click()
    tab.get_by_role("button", name="Open feed-forward").click()
    assert crumbs(tab) == ["encoder-block", "network: feed-forward"]


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
    assert crumbs(tab) == ["encoder-block", "network: feed-forward"]
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
def test_a_script_that_is_not_the_pages_own_does_not_run(new_page, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page(example("dot")).replace("</main>", "<img src='data:,' onerror='window.ran = 1'></main>"))
    tab = new_page()
    tab.goto(file.as_uri())
    tab.wait_for_selector("#theme button")
    tab.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 2'}))"
    )
    assert tab.evaluate("window.ran") is None


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
    modules = [VIEWS / name.removeprefix("seqloom/") for name in inside]
    assert "seqloom/experiment.js" in inside and "seqloom/studio/studio.js" not in inside  # what the page needs
    assert all(address.startswith("data:text/javascript;base64,") for address in inside.values())
    for file in modules:
        imports = re.findall(r'\bfrom "([^"]+)"|\bimport\("([^"]+)"', file.read_text(encoding="utf-8"))
        assert {name for pair in imports for name in pair if name} <= set(inside), file.name


@pytest.mark.browser
def test_a_notebook_shows_the_page_in_a_frame(new_page):
    wrong: list[str] = []
    tab = new_page()
    tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    tab.set_content(f"<!doctype html><p>a notebook</p>{frame(page(example('gru')), height=500)}")
    inside = tab.frame_locator("iframe")
    inside.locator('.figure [data-id="z"]').last.hover()
    expect(inside.locator('.formula [data-id="z"][data-lit]').first).to_be_visible()
    inside.get_by_label("Colours: dark").click()  # nothing can be kept here, and that is no error
    assert area(tab.locator("iframe"))["height"] == 500
    assert wrong == []


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
