"""The Chinese of the pages of definitions: all of it is there, none of it is unused, and a reader can choose it."""

import re

import pytest
from playwright.sync_api import expect

from seqloom.equations import equations, sigmoid
from seqloom.equations.drawing.labels import WORDS
from seqloom.equations.functions import TABLE
from seqloom.equations.notation import notation
from seqloom.explaining.catalogue import definitions
from seqloom.explaining.chinese import catalogue, in_chinese
from seqloom.explaining.explanation import explain_definition
from seqloom.explaining.page import page_data, texts
from tests.explaining.pages import example, place

OPERATIONS = {"transpose", "one row", "negative", "comparison", "a part"}
"""What `Labels.operation` and `operations` say beside the words of their tables."""


@equations
def leaky(x, h, *, W, a):
    """A leaky unit of somebody's own.

    x  (D)     a word
    h  (H)     the hidden state
    W  (D, H)  what a word writes
    a  (H)     how much leaks
    """
    h = sigmoid(a) * h + x @ W  # what is left of it
    return h


def test_every_text_of_every_definition_has_its_chinese_and_nothing_else_has():
    said = {known.says for known in TABLE.values()} | {*WORDS.values()} | OPERATIONS
    for definition in definitions().values():
        said.add(definition.legend.title)
        said |= {entry.sense for _, entry in definition.legend.patterns}
        said |= {line.caption for line in definition.body.lines} | {line.caption for line in notation(definition)}
    assert said - {""} - set(catalogue()) == set(), "add these to seqloom/explaining/chinese.json"
    assert set(catalogue()) - said == set(), "take these away: no definition says them"


@pytest.mark.parametrize("name", ["transformer", "rnn-attention", "stacked"])
def test_a_bound_model_is_chinese_from_the_whole_to_a_single_operation(name):
    explained = example(name)
    assert [text for text in texts(explained) if text and not in_chinese(text)] == []


def test_chinese_texts_are_chinese():
    assert [text for text in catalogue().values() if not re.search("[一-鿿]|^eˣ", text)] == []
    assert len(set(catalogue().values())) > 0.9 * len(catalogue()), "different texts say different things"


def test_a_definition_of_ones_own_stays_as_it_was_written():
    texts = page_data(explain_definition(leaky, "a b"))["texts"]["zh"]
    assert texts["the hidden state"] == "隐藏状态"
    assert "what is left of it" not in texts


@pytest.mark.browser
def test_a_reader_chooses_the_language_and_goes_on_where_they_were(visit):
    tab = visit(example("lstm"))
    place(tab, "formula", "f").first.click()
    tab.locator("#time [role=radio]").nth(1).click()
    assert tab.locator("#value .says").inner_text().startswith("the forget gate")
    tab.locator("#language button", has_text="中文").click()
    assert tab.locator("h1").inner_text() == "长短期记忆网络"
    assert tab.locator("#value .says").inner_text() == "遗忘门：旧的细胞状态保留多少"
    assert tab.locator("#value .kind").inner_text() == "中间值"
    expect(tab.locator("#time [aria-checked=true]")).to_have_text("cat")
    assert tab.locator(".formula .caption").first.inner_text() == "输入门：候选值写入多少"
    assert tab.locator(".symbols").inner_text().count("一个门的偏置")
    assert tab.locator(".figure svg").first.get_attribute("aria-label") == "长短期记忆网络"
    tab.locator("#language button", has_text="English").click()
    assert tab.locator("#value .says").inner_text() == "the forget gate: how much of the old cell state is kept"
    assert tab.evaluate("document.documentElement.lang") == "en"


@pytest.mark.browser
def test_a_chinese_browser_gets_a_chinese_page(visit):
    tab = visit(example("multi-head"), locale="zh-CN")
    english = tab.locator(".caption, .symbols td:nth-child(4), h1, h2").evaluate_all(
        "all => all.map((one) => one.textContent).filter((text) => /[a-z]{3,}/.test(text))"
    )
    assert english == [], "but for the code, which is as it stands in the file"
