"""The Data view in a real browser: cells that filter, orders, and an example that opens in Weave."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.serving.conftest import Running

pytestmark = pytest.mark.browser
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def running(moods) -> Iterator[Running]:
    found = Running([str(moods.folder)])
    yield found
    assert found.stop()[0] == 0


@pytest.fixture
def visit(new_page: Callable[..., Page], running: Running) -> Iterator[Callable[..., Page]]:
    wrong: list[str] = []

    def opens(width: int, **options: object) -> Page:
        tab = new_page(viewport={"width": width, "height": 900}, **options)
        tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.goto(f"{running.url}/#view=data")
        tab.locator(".confusion-table").wait_for()
        return tab

    yield opens
    assert wrong == []


def test_a_cell_keeps_its_examples_and_one_of_them_opens_in_weave(visit):
    tab = visit(1600, locale="en-US")
    cells = tab.locator(".confusion-table button")
    counts = [int(str(cell.text_content())) for cell in cells.all()]
    assert sum(counts) == int(re.findall(r"all \((\d+)\)", str(tab.locator(".panel.examples").text_content()))[0])
    wrong = tab.locator(".confusion-table td:not(.right) button").first
    said = str(wrong.get_attribute("aria-label"))
    wrong.focus()
    tab.keyboard.press("Enter")  # without a mouse
    row, column, count = re.findall(r"(\w+) taken for (\w+): (\d+)", said)[0]
    expect(tab.locator("button.example")).to_have_count(int(count))
    expect(tab.locator(".panel.examples .sentence")).to_contain_text(
        f"where {row} is right and the model says {column}"
    )
    expect(tab.locator('.confusion-table button[aria-pressed="true"]')).to_be_focused()
    assert "confused=" in tab.url
    tab.get_by_role("button", name="Show all examples").click()
    tab.get_by_role("button", name=re.compile("^all")).click()
    expect(tab.locator("button.example")).to_have_count(min(sum(counts), 40))
    tab.get_by_role("button", name="by label").click()
    first = str(tab.locator(".example .given").first.text_content())
    tab.locator("button.example").first.click()
    expect(tab.get_by_label("Your text")).to_have_value(first)
    expect(tab.locator(".panel.salience")).to_be_visible()


def test_it_fits_a_phone_in_chinese(visit):
    tab = visit(375, locale="zh-CN", color_scheme="dark")
    expect(tab.locator(".panel.confusion h2")).to_have_text("混淆矩阵")
    assert tab.evaluate(WIDER) == 0
    with tab.expect_download() as saving:
        tab.locator(".panel.examples .save summary").click()
        tab.locator(".panel.examples .menu button", has_text="CSV").click()
    assert "input,expected,predicted,loss,length,right" in Path(saving.value.path()).read_text(encoding="utf-8")


@pytest.mark.axe
@pytest.mark.parametrize("width", [375, 1600])
def test_nothing_stands_in_the_way_of_those_who_see_or_hear_it_otherwise(visit, width):
    tab = visit(width, locale="en-US", bypass_csp=True)
    tab.evaluate(Path(os.environ["SEQLOOM_AXE"]).read_text(encoding="utf-8"))
    for theme in ("light", "dark"):
        tab.get_by_label(f"Colours: {theme}").click()
        tab.wait_for_timeout(250)  # colours change softly
        found = tab.evaluate("axe.run().then(found => found.violations)")
        assert [(one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"]) for one in found] == []
