"""The page of an experiment in a real browser."""

import re

import pytest
from playwright.sync_api import Locator, Page

from tests.explaining.pages import EXPERIMENT, LARGE, area

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
