"""The page at /, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.serving.conftest import Running

pytestmark = pytest.mark.browser


@pytest.fixture
def page(new_page, served):
    tab = new_page(viewport={"width": 900, "height": 700})
    wrong: list[str] = []
    tab.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.goto(served.url)
    yield tab
    assert wrong == []


def test_a_text_is_answered(page):
    page.fill("textarea", "1 2 3")
    page.click("button")
    expect(page.locator("#answer")).to_have_text("one two three")
    assert page.text_content("#about") == "translate, rnn-attention"


def test_every_kind_of_answer_is_shown(page):
    page.select_option("select", "mood")
    page.fill("textarea", "a fine film")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer meter")
    assert page.locator("#answer .probability").count() == 2
    assert "%" in page.locator("#answer .probability").first.text_content()
    page.select_option("select", "words")
    page.fill("textarea", "the dog runs")
    page.click("button")
    page.wait_for_selector("#answer ruby")
    assert page.locator("#answer ruby").count() == 3


def test_what_was_written_is_text_and_never_a_tag(page):
    page.select_option("select", "words")
    page.fill("textarea", "<img src=x onerror=alert(1)>")
    page.click("button")
    page.wait_for_selector("#answer ruby")
    assert page.locator("#answer img").count() == 0


def test_it_fits_a_phone(page):
    page.set_viewport_size({"width": 375, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_a_key_is_asked_for_where_there_is_one(new_page, models):
    running = Running([str(models / "digits")], key="open-sesame")
    tab = new_page()
    try:
        tab.goto(running.url)
        tab.fill("textarea", "4")
        tab.click("button")
        expect(tab.locator("#answer")).to_contain_text("a key is needed")
        tab.fill("input[name=key]", "open-sesame")
        tab.click("button")
        expect(tab.locator("#answer")).to_have_text("four")
    finally:
        tab.close()
        assert running.stop()[0] == 0
