"""The report of a comparison as a person sees it: small and large screens, both themes."""

import pytest
from playwright.sync_api import expect


@pytest.mark.browser
def test_the_report_fits_a_telephone_and_draws_every_chart(report_html, open_html):
    page = open_html(report_html, 375, 800, color_scheme="dark", locale="zh-CN")
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    charts = page.locator("[data-panel] svg.chart")
    assert charts.count() == page.locator("[data-panel]").count() > 10
    assert page.locator(".whisker").count() > 4
    page.locator("[data-run]").first.scroll_into_view_if_needed()
    expect(page.locator("[data-run] .panel.matrix").first).to_contain_text("The weights")  # in the language of the page
    expect(page.locator("[data-run] .panel.heads").first).to_be_visible()
    expect(page.locator("[data-run] .panel.weave").first).not_to_be_visible()
    dark = page.evaluate("getComputedStyle(document.body).color")
    page.get_by_role("button", name="Colours: light").click()
    assert page.evaluate("getComputedStyle(document.body).color") != dark


@pytest.mark.browser
def test_a_definition_opens_with_its_formulas_and_its_figure(report_html, open_html):
    page = open_html(report_html, 1600, 900)
    new = page.locator("details.new", has=page.locator("summary b", has_text="min-gru"))
    expect(new.locator("svg.figure")).not_to_be_visible()
    new.locator("summary").click()
    expect(new.locator("svg.figure")).to_be_visible()
    assert new.locator("math").count() > 2
    changed = page.locator("details.changed").first
    assert changed.locator("li.new").count() and changed.locator("li.gone").count()
    assert page.locator("details.changed svg [data-lit]").count() > 0


@pytest.mark.browser
def test_cards_of_a_row_begin_at_the_same_height_and_bars_of_one_kind_have_no_legend(report_html, open_html):
    page = open_html(report_html, 1600, 900)
    tops = page.locator(".cards .card").evaluate_all("cards => cards.map(card => card.getBoundingClientRect().top)")
    assert tops[0] == tops[1] == tops[2]
    bars = page.locator("#cost [data-panel]")
    assert bars.count() == bars.locator("svg.chart").count() > 3
    assert bars.locator(".legend .sample").count() == 0
    assert not page.locator("#cost .legend").first.inner_text().strip()
