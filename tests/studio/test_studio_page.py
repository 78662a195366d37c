"""The studio in a real browser, as people use it."""

import re
import signal

import pytest
from playwright.sync_api import Page, expect

from tests.serving.conftest import Running

pytestmark = pytest.mark.browser
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def answer(tab: Page) -> str:
    return str(tab.locator(".answer output").text_content())


def sentence(tab: Page, name: str) -> str:
    return str(tab.locator(f".panel.{name} .sentence").text_content())


def test_a_person_types_points_steps_and_changes_a_word(visit):
    tab = visit(locale="en-US")
    text = tab.get_by_label("Your text")
    expect(text).not_to_have_value("")  # an example, at once
    text.fill("1 2 3")
    expect(tab.locator(".answer output")).to_have_text("one two three")
    tab.locator('.token[data-at="t1"]').hover()
    assert re.fullmatch(r"two looks most at 2, [01]\.\d\d", sentence(tab, "weave"))
    tab.locator("h1").evaluate("node => document.activeElement.blur()")
    tab.mouse.move(0, 0)
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    expect(tab.locator('.token[data-at="t1"]')).to_have_attribute("aria-pressed", "true")
    assert sentence(tab, "steps").startswith("two has probability")
    other = tab.locator("button.candidate").first
    instead = str(other.locator(".what").text_content())
    other.click()
    expect(tab.locator(".answer mark").first).to_have_text(instead)
    assert answer(tab).startswith(f"one {instead}")
    link = tab.url
    assert "prefix=" in link and "text=1+2+3" in link
    again = visit(link[link.index("#") :], locale="en-US")
    expect(again.locator(".answer output")).to_have_text(answer(tab))
    expect(again.locator(".answer .before")).to_contain_text("one two three")
    tab.get_by_role("button", name="Undo").click()
    expect(tab.locator(".answer output")).to_have_text("one two three")
    expect(tab.locator(".panel.strips")).to_be_visible()
    assert sentence(tab, "strips").startswith("The gate")
    assert tab.locator(".panel.tree .sentence").text_content()


def test_a_word_is_left_out_and_every_output_says_where_it_came_from(visit):
    tab = visit("#view=whatif&text=3+1+7", locale="en-US")
    tab.locator(".drops .word").nth(1).click()
    expect(tab.locator(".sides output").nth(1)).to_have_text("three seven")
    assert sentence(tab, "whatif") == "The answer turns from three one seven into three seven."
    tab.get_by_role("button", name="leaving one out").click()
    tab.locator(".outputs .word").nth(2).click()
    expect(tab.locator(".panel.origin .sentence")).to_contain_text("7 speaks most for seven")
    assert "other=3+7" in tab.url and "by=leave-one-out" in tab.url
    tab.get_by_label("Answered by").select_option("heads")
    expect(tab.locator(".side h3").nth(1)).to_have_text("By heads")
    tab.get_by_role("button", name="Undo").click()
    expect(tab.locator(".side.none")).to_be_visible()


def test_every_task_is_seen_in_both_languages_both_themes_narrow_and_wide(visit):
    panels = {
        "digits": {"weave", "matrix", "steps", "tree"},
        "mood": {"salience", "labels"},
        "words": {"tags", "steps"},
        "song": {"surprise", "steps"},
        "heads": {"weave", "matrix", "steps", "heads", "tree"},
    }
    tab = visit(width=375, locale="zh-CN", color_scheme="dark")
    assert tab.evaluate("document.documentElement.lang") == "zh"
    for model, expected in panels.items():
        tab.locator("select").first.select_option(model)
        for name in expected:
            tab.locator(f".panel.{name}").wait_for()
        for width in (1600, 375):
            tab.set_viewport_size({"width": width, "height": 900})
            tab.wait_for_timeout(50)
            assert tab.evaluate(WIDER) == 0, (model, width)
    tab.get_by_role("button", name="English").click()
    expect(tab.locator(".panel.heads h2")).to_have_text("1 layer of 2 heads")
    tab.get_by_label("Colours: light").click()
    tab.get_by_label("Switch off layer 1, head 2").click()
    expect(tab.locator(".answer .before")).to_be_visible()
    assert "off=cross.0.1" in tab.url
    tab.locator(".switch button", has_text="within the input").click()
    tab.locator('.token[data-at="s0"]').wait_for()
    tab.locator("select").first.select_option("mood")
    tab.get_by_role("button", name="by gradient").click()
    expect(tab.locator(".panel.salience .sentence")).to_contain_text("gradient × input")
    tab.get_by_label("Your text").fill("<img src=x onerror=alert(1)>")
    tab.locator(".salience-text .word").first.wait_for()
    assert tab.locator("main img").count() == 0
    tab.get_by_role("button", name="Runs").click()
    expect(tab.locator(".panel svg.chart").first).to_be_visible()
    assert tab.get_by_label("Your text").is_hidden()
    tab.get_by_role("button", name="Words", exact=True).click()
    tab.get_by_label("Find a word").fill("film")
    tab.get_by_label("Find a word").press("Enter")
    expect(tab.locator(".panel.nearest h2")).to_have_text("Nearest: film")
    assert tab.evaluate(WIDER) == 0 and "word=film" in tab.url
    tab.locator("select").first.select_option("heads")
    tab.get_by_role("button", name="Data", exact=True).click()
    expect(tab.locator(".panel.examples .sentence")).to_contain_text("wrong. The largest loss")
    tab.get_by_role("button", name="by length").click()
    wrong = str(tab.locator(".example .given").first.text_content())
    assert "sort=length" in tab.url and tab.evaluate(WIDER) == 0
    tab.locator("button.example").first.click()
    expect(tab.get_by_label("Your text")).to_have_value(wrong)
    tab.locator(".panel.weave").wait_for()


def test_the_tour_is_five_states_of_the_page_and_ends_inside_the_model(visit):
    tab = visit(locale="en-US")
    tab.get_by_role("button", name="Tour").click()
    for step in range(1, 5):
        expect(tab.locator(".tour .count")).to_have_text(f"{step} of 5")
        expect(tab.locator("[data-toured]")).to_have_count(1)
        assert f"tour={step}" in tab.url
        tab.get_by_role("button", name="Next", exact=True).click()
    expect(tab.locator(".inside .pane.figure:visible").first).to_be_visible()
    tab.locator('[data-part]:not([hidden]) article:not([hidden]) .figure .result[data-id="p"]').hover()
    expect(tab.locator("[data-part]:not([hidden]) .value h2")).to_contain_text("p")
    tab.get_by_role("button", name="Done").click()
    expect(tab.locator(".tour")).to_be_hidden()


def test_a_key_is_asked_for_and_a_server_that_goes_away_is_waited_for(new_page, models):
    running = Running([str(models / "digits")], key="open-sesame")
    tab = new_page(locale="en-US")
    tab.goto(running.url)
    expect(tab.locator(".trouble")).to_contain_text("wants a key")
    tab.get_by_label("Key").fill("open-sesame")
    tab.get_by_label("Key").press("Tab")
    tab.locator(".panel.weave").wait_for()
    assert "rnn-attention" in str(tab.locator(".facts").text_content())
    running.stop(signal.SIGKILL)
    tab.get_by_label("Your text").fill("4 4")
    expect(tab.locator(".trouble")).to_contain_text("The server does not answer")
    back = Running([str(models / "digits")], "--port", str(running.port), key="open-sesame")
    expect(tab.locator(".answer output")).to_have_text("four four")
    expect(tab.locator(".trouble")).to_be_hidden()
    tab.close()
    back.stop()
