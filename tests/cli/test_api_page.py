"""docs/api.md is what the docstrings say; every public name is typed and documented."""

import inspect
from pathlib import Path
from types import ModuleType

import pytest

import seqloom
from seqloom.cli.api_page import members, page

NAMES = [name for name in seqloom.__all__ if name != "__version__"]


def test_the_page_is_made_from_the_docstrings():
    kept = (Path(seqloom.__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    assert kept == page(), "python -m seqloom.cli.api_page > docs/api.md"


@pytest.mark.parametrize("name", NAMES)
def test_public_names_are_documented_and_typed(name):
    thing = getattr(seqloom, name)
    assert inspect.getdoc(thing)
    if isinstance(thing, ModuleType):
        assert all(inspect.getdoc(getattr(thing, each)) for each in thing.__all__)
        return
    for method, value in members(thing) if inspect.isclass(thing) else [(name, thing)]:
        plain = value.fget if isinstance(value, property) else value
        assert inspect.getdoc(plain), f"{name}.{method} says nothing of itself"
        assert "return" in plain.__annotations__, f"{name}.{method} does not say what it returns"


def test_a_definition_is_made_from_the_package_alone(tmp_path, monkeypatch):
    (tmp_path / "own_cell.py").write_text(
        "import seqloom\nfrom seqloom.equations import tanh\n\n\n@seqloom.definition\ndef own_cell(x, h, *, W, U):\n"
        '    """A cell.\n\n    x  (D)     the input\n    h  (H)     the state\n    W  (D, H)  from the input\n'
        '    U  (H, H)  from the state\n    """\n    h = tanh(x @ W + h @ U)  # the new state\n    return h\n',
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    import own_cell  # type: ignore[import-not-found]

    assert own_cell.own_cell.count(D=3, H=5) == {"W": 15, "U": 25}
