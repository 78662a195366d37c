"""What is outside the grammar is an error when the module loads, with its file and line."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from seqloom.equations import nodes
from seqloom.errors import GrammarError

HEAD = (
    "from seqloom.equations import *\nfrom seqloom.layers.lstm import lstm\nfrom seqloom.layers.scores import dot\n\n"
)


def load(tmp_path: Path, text: str) -> ModuleType:
    """A user's own module in their own file."""
    file = tmp_path / "mine.py"
    file.write_text(HEAD + text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("mine", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFUSED = {
    "a branch": ("def f(x):\n    if x: y = x\n    return y", 7, "`if x:` branches, and a formula does not"),
    "a loop": ("def f(x):\n    for i in x: y = i\n    return x", 7, "a loop runs over parts, and x holds values"),
    "a second value": ("def f(x):\n    y = x + 1\n    y = y + 1\n    return y", 8, "y has a value already"),
    "an assigned input": ("def f(x):\n    x = x + 1\n    y = x\n    return y", 7, "x is an argument"),
    "an assigned weight": ("def f(x, *, W):\n    W = x @ W\n    return W", 7, "W is an argument"),
    "a state assigned twice": (
        "def f(h):\n    h = h + 1\n    h = h + 1\n    return h",
        8,
        "h has a value already",
    ),
    "a state as it came": ("def f(x, h):\n    y = x + h\n    return y, h", 6, "returned as it came"),
    "an unknown function": (
        "def f(x):\n    y = print(x)\n    return y",
        7,
        "print is neither a known function",
    ),
    "a method": ("def f(x):\n    y = x.sum()\n    return y", 7, "x.sum is neither a known function"),
    "an attribute": ("def f(x):\n    y = x.shape\n    return y", 7, "`x.shape` is not part"),
    "a slice": ("def f(x):\n    y = x[1:]\n    return y", 7, "`x[1:]` is not part"),
    "a text": ("def f(x):\n    y = x + 'a'\n    return y", 7, "`'a'` is not part"),
    "a chain of comparisons": ("def f(x):\n    y = 0 < x < 1\n    return y", 7, "`0 < x < 1` is not part"),
    "a choice": ("def f(x):\n    y = 1 if x else 2\n    return y", 7, "is not part"),
    "a list": ("def f(x):\n    y = [x for x in x]\n    return y", 7, "is not part"),
    "no value": ("def f(x):\n    y = x + z\n    return y", 7, "z has no value here"),
    "a value from later": ("def f(x):\n    y = z\n    z = x\n    return y, z", 7, "z has no value here"),
    "an unused weight": ("def f(x, *, W, b):\n    y = x @ W\n    return y", 6, "b is taken but never used"),
    "a default": ("def f(x, y=1):\n    z = x + y\n    return z", 6, "a default value"),
    "open arguments": ("def f(*x):\n    y = x\n    return y", 6, "*x has no letter"),
    "no return": ("def f(x):\n    y = x", 6, "does not end in a return"),
    "an empty return": ("def f(x):\n    y = x\n    return", 6, "does not end in a return"),
    "two unnamed results": ("def f(x):\n    return x + 1, x + 2", 7, "several results need names"),
    "an attribute as target": ("def f(x):\n    x.y = 1\n    return x", 7, "cannot assign to x.y"),
    "an added assignment": ("def f(x):\n    y = x\n    y += 1\n    return y", 8, "`y += 1` changes a value in place"),
    "an assertion": ("def f(x):\n    assert x\n    return x", 7, "`assert x` is no line of a formula"),
    "a family without an index": ("def f(X):\n    y = sum(x for x in X)\n    return y", 7, "share an index"),
    "a family of two indices": (
        "def f(X, Y):\n    z = sum(x_i * y_j for x_i, y_j in zip(X, Y))\n    return z",
        7,
        "share an",
    ),
    "a family with a condition": (
        "def f(X):\n    y = sum(x_i for x_i in X if x_i)\n    return y",
        7,
        "leaves nothing out",
    ),
    "a sum of no family": ("def f(X):\n    y = sum(X)\n    return y", 7, "sum takes a family"),
    "a nested call without weights": (
        "def f(x, h, c):\n    a, b = lstm(x, h, c)\n    return a, b",
        7,
        "weights of lstm",
    ),
    "a nested call with too few inputs": (
        "def f(x):\n    e = dot(x)\n    return e",
        7,
        "dot takes 2 inputs: q, k",
    ),
    "too few results taken": (
        "def f(x, h, c, *, w):\n    y = lstm(x, h, c, **w)\n    return y",
        7,
        "2 results",
    ),
    "several names for one value": ("def f(x):\n    a, b = x + 1\n    return a, b", 7, "several results"),
    "a group of weights": (
        "def f(x, h, c, *, w):\n    a, b = lstm(x, h, c, **w)\n    return a, b",
        7,
        "not handed on as a group",
    ),
    "a part with weights by name": (
        "def f(x, *, cell, W):\n    y = cell(x, W=W)\n    return y",
        7,
        "the part cell has its own weights",
    ),
    "a loop over values": ("def f(X, *, W):\n    for x in X: W = x\n    return W", 7, "a loop runs over parts"),
    "a loop that carries nothing": (
        "def f(x, *, blocks):\n    for block in blocks:\n        y = block(x)\n    z = x + 1\n    return z",
        7,
        "a loop over parts carries a value",
    ),
    "a value from inside a loop": (
        "def f(X, *, blocks):\n    for block in blocks:\n        Y = block(X)\n        X = Y\n    Z = Y\n    return Z",
        10,
        "Y has no value here",
    ),
    "a default that is no definition": ("def f(x, *, cell=1):\n    y = cell(x)\n    return y", 6, "not a definition"),
    "a scan of no part": ("def f(X, *, cell):\n    Y = scan(X, cell)\n    return Y", 7, "scan takes a part"),
    "an argument by name": ("def f(x):\n    y = tanh(x=x)\n    return y", 7, "takes no arguments by name"),
}


@pytest.mark.parametrize("text, line, message", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_outside_the_grammar_is_refused_with_file_and_line(tmp_path, text, line, message):
    with pytest.raises(GrammarError) as caught:
        load(tmp_path, f"@equations\n{text}\n")
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'mine.py'}:{line}: ")


INSTEAD = {
    "if": ("def f(x):\n    if x: y = x\n    return y", "`y = where(condition, x, z)`"),
    "a choice": ("def f(x):\n    y = 1 if x > 0 else 2\n    return y", "write `where(x > 0, 1, 2)`"),
    "a loop over values": ("def f(X):\n    for x in X: y = x\n    return y", "`stack(f(x_i) for x_i in X)` for values"),
    "a loop over layers": ("def f(X):\n    for x in X: y = x\n    return y", "`for block in blocks: X = block(X)`"),
    "a list": ("def f(X):\n    y = [tanh(x_i) for x_i in X]\n    return y", "write `stack(tanh(x_i) for x_i in X)`"),
    "torch": ("def f(x):\n    y = torch.sigmoid(x)\n    return y", "write `sigmoid(...)`, from seqloom.equations"),
    "numpy": ("def f(x, W):\n    y = np.matmul(x, W)\n    return y", "write `x @ W`"),
    "a method": ("def f(x):\n    y = x.mean()\n    return y", "write `mean(...)`"),
    "an unknown function": ("def f(x):\n    y = abs(x)\n    return y", "with @known() or @equations"),
    "an own function": ("def f(x):\n    y = own(x)\n    return y", "mark own with @equations"),
    "a mistyped function": ("def f(x):\n    y = sigmiod(x)\n    return y", "did you mean sigmoid?"),
    "a value added to": ("def f(x):\n    y = x\n    y += 1\n    return y", "write `y_2 = y + 1`"),
    "a state added to": ("def f(x, h):\n    h += x\n    return h", "write `h = h + x`"),
    "a type": ("def f(x):\n    y: int = x\n    return y", "write `y = x`"),
    "two names": ("def f(x):\n    y = z = x\n    return y", "write one name a line"),
    "a chain of comparisons": ("def f(x):\n    y = 0 < x < 1\n    return y", "write `(0 < x) & (x < 1)`"),
    "and": ("def f(x):\n    y = x and x\n    return y", "write `(x) & (x)`"),
    "not": ("def f(x):\n    y = not x\n    return y", "write `~(x)`"),
    "a slice": ("def f(X):\n    y = X[1:]\n    return y", "`tail(X, size)`"),
    "a shape": ("def f(x):\n    y = x.shape\n    return y", "write `dim(x)`"),
    "a loop without end": ("def f(x):\n    while x: y = x\n    return y", "write `scan(cell, X)`"),
    "a function inside": (
        "def f(x):\n    def g(z): pass\n    y = x\n    return y",
        "define it outside with @equations",
    ),
}


@pytest.mark.parametrize("text, remedy", INSTEAD.values(), ids=INSTEAD.keys())
def test_an_error_says_what_to_write_instead(tmp_path, text, remedy):
    with pytest.raises(GrammarError) as caught:
        load(tmp_path, f"import torch, numpy as np\ndef own(x): return x\n@equations\n{text}\n")
    assert remedy in str(caught.value)
    assert not caught.value.more, "one mistake is one error"


def test_all_errors_of_a_function_are_reported_at_once(tmp_path):
    text = """import torch
@equations
def f(x, h, *, W, b, blocks):
    if x: y = x
    z = torch.sigmoid(y) + torch.tanh(u)
    h += z
    for block in blocks:
        z = block(torch.relu(z))
        z = block(torch.exp(z))
    return h, y
"""
    with pytest.raises(GrammarError) as caught:
        load(tmp_path, text)

    lines = [int(line.split(":")[1]) for line in str(caught.value).splitlines() if line.startswith(str(tmp_path))]
    assert lines == [8, 9, 9, 10, 12, 13, 7, 7]
    assert [error.what for error in caught.value.more][-2:] == [
        "W is taken but never used",
        "b is taken but never used",
    ]


def test_equations_without_source_are_refused():
    space: dict[str, object] = {}
    exec("from seqloom.equations import equations\ndef f(x):\n    y = x\n    return y", space)
    with pytest.raises(GrammarError, match="the source of f cannot be read"):
        exec("equations(f)", space)


def test_a_user_can_write_equations_in_their_own_package(tmp_path):
    mine = load(
        tmp_path,
        "@equations\ndef gate(x, h, *, W, U):\n    h = sigmoid(x @ W + h @ U)  # open or shut\n    return h\n",
    )
    assert mine.gate.body.states == ("h",)
    assert mine.gate.body.lines[0].caption == "open or shut"


def test_state_is_a_name_taken_and_returned():
    from seqloom.layers.lstm import lstm

    assert lstm.body.states == ("h", "c")
    before = {node.id for line in lstm.body.lines[:4] for node in line.value.walk() if isinstance(node, nodes.Symbol)}
    assert "h.before" in before
    assert "h" not in before, "the gates look at the state of the step before"


def test_every_operation_has_an_id_of_its_own():
    from seqloom.layers.multi_head import multi_head

    ids = [
        node.id
        for _, value, _ in multi_head.body.statements()
        for node in value.walk()
        if not isinstance(node, nodes.Symbol | nodes.Number)
    ]
    assert len(ids) == len(set(ids)) > 5


def test_names_resolve_through_a_closure(tmp_path):
    mine = load(
        tmp_path,
        "def by(score):\n    @equations\n    def total(q, K):\n"
        "        e = sum(score(q, k_j) for k_j in K)\n        return e\n    return total\n\ndefinition = by(dot)\n",
    )
    names = [
        node.definition.name  # type: ignore[union-attr]
        for node in mine.definition.body.lines[0].value.walk()
        if isinstance(node, nodes.Nested)
    ]
    assert names == ["dot"]
