"""The Data view in a real browser: cells that filter, orders, and an example that opens in Weave."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_a_cell_keeps_its_examples_and_one_of_them_opens_in_weave(visit):
    tab = visit("#view=data&model=moods", locale="en-US")
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
    tab = visit("#view=data&model=moods", 375, locale="zh-CN", color_scheme="dark")
    expect(tab.locator(".panel.confusion h2")).to_have_text("混淆矩阵")
    assert tab.evaluate(WIDER) == 0
    with tab.expect_download() as saving:
        tab.locator(".panel.examples .save summary").click()
        tab.locator(".panel.examples .menu button", has_text="CSV").click()
    assert "input,expected,predicted,loss,length,right" in Path(saving.value.path()).read_text(encoding="utf-8")
