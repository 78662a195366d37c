"""The arithmetic behind a number on a page: it gives the number that Python recorded, for almost every one."""

import pytest

import seqloom
from seqloom.explaining.page import page

pytestmark = pytest.mark.browser
GIVEN = {"dim", "len", "arange", "past_mask", "full_mask"}
"""Counts and masks: nothing was multiplied or added."""
COUNTED = """async (given) => {
  const { Arithmetic } = await import("seqloom/arithmetic.js");
  const { Record } = await import("seqloom/value.js");
  const { views, steps, kinds } = JSON.parse(document.getElementById("data").textContent);
  const recipes = Object.assign({}, ...views.map((view) => view.recipes));
  const record = new Record(steps, kinds);
  const arithmetic = new Arithmetic((id) => record.at(0, id), recipes);
  let [all, explained, wrong] = [0, 0, []];
  for (const [id, [name]] of Object.entries(recipes)) {
    const value = record.at(0, id);
    if (!value || given.includes(name)) continue;
    value.data.forEach((number, at) => {
      if (typeof number !== "number") return;
      const below = (axis) => value.shape.slice(axis + 1).reduce((a, b) => a * b, 1);
      const index = value.shape.map((size, axis) => Math.floor(at / below(axis)) % size);
      const [line, ...more] = arithmetic.lines(id, index);
      all += 1;
      if (!line) return;
      if (line.kind === "from" && more.length) wrong.push([id, index, "the same number twice"]);
      explained += 1;
      const total = (list) => list.reduce((sum, term) => sum + (term.sign ?? 1) * term.value, 0);
      const most = line.terms.reduce((sum, term) => sum + Math.abs(term.value), 0);
      const added = line.kind === "dot" || line.kind === "sum";
      const made = added ? total(line.terms) + (line.more ? line.rest : 0) : number;
      if (Math.abs(made - number) > 0.006 * most + 1e-5) wrong.push([id, index, made, number]);
    });
  }
  return [all, explained, wrong];
}"""


@pytest.mark.parametrize("name", ["lstm", "soft-attention", "encoder-block", "transformer"])
def test_what_was_multiplied_and_added_gives_the_number(open_html, name):
    tab = open_html(page(seqloom.explain(name, "the cat sat on")), 1400, 900, bypass_csp=True)
    numbers, explained, wrong = tab.evaluate(COUNTED, sorted(GIVEN))
    assert wrong == [] and explained > 0.97 * numbers > 30


def test_a_reader_points_at_a_number_with_the_mouse_or_the_keyboard(open_html):
    tab = open_html(page(seqloom.explain("lstm", "the cat sat")), 1400, 900)
    tab.locator('.figure .result[data-id="f"]').first.click()
    lines = tab.locator(".value .arithmetic li")
    assert "σ(" in str(lines.first.text_content()) and "×" in str(lines.last.text_content())
    first = str(lines.first.text_content())
    tab.locator(".value .heat td").nth(1).hover()
    assert str(lines.first.text_content()) != first or tab.locator("td.ringed").count() == 1
    tab.locator(".value .slices").focus()
    before = str(lines.first.text_content())
    tab.keyboard.press("ArrowDown")
    assert str(lines.first.text_content()) != before
