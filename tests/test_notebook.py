"""A model in a real notebook: Jupyter's kernel runs the cells, and what they show opens in a browser."""

import html
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.browser
FRAMED = re.compile(r'srcdoc="([^"]*)"', re.DOTALL)


@pytest.fixture(scope="module")
def shown(models: Path) -> dict[str, str]:
    """What Jupyter shows for each line, as HTML."""
    lines = {
        "answer": 'model("3 1 7")',
        "opened": 'model.explain("3 1")',
        "label": 'mood("a fine film")',
    }
    setup = f"import seqloom\nmodel, mood = (seqloom.load(f'{models}/{{name}}') for name in ('digits', 'mood'))"
    cells = [nbformat.v4.new_code_cell(source) for source in (setup, *lines.values())]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    found = {}
    for name, cell in zip(lines, notebook.cells[1:], strict=True):
        (output,) = cell["outputs"]
        assert output["output_type"] == "execute_result"
        found[name] = output["data"]["text/html"]
    return found


@pytest.mark.parametrize(
    "name, seen, says",
    [
        ("answer", ".panel.weave .sentence", "looks most at"),
        ("opened", ".pane.figure:visible", ""),
        ("label", ".panel.labels", ""),
    ],
)
def test_a_cell_shows_a_page_that_opens_without_an_error(shown, open_html, name, seen, says):
    tab = open_html(f"<!doctype html><title>notebook</title>{shown[name]}", 1000, 800, locale="en-US")
    frame = tab.frame_locator("iframe")
    frame.locator(seen).first.wait_for()
    assert says in str(frame.locator(seen).first.text_content())


def test_a_page_in_a_notebook_asks_for_nothing_from_outside(shown):
    for text in shown.values():
        (page,) = map(html.unescape, FRAMED.findall(text))
        assert not re.search(r"(?:src|href)=[\"']https?://", page)
