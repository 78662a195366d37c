"""Formulas mean what the code means: read back by others, and by eye for each construct."""

import importlib.util
import itertools
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from sympy import Symbol
from sympy.parsing.latex import parse_latex

from seqloom.equations import Equations, nodes
from seqloom.equations.latex import latex, spell
from seqloom.equations.notation import notation
from seqloom.equations.plain import plain
from tests.equations.every import every_definition

FILES = itertools.count()
LEGEND = """
    a, b, c  ()      numbers
    x, y, z  (D)     rows
    X, Y, Z  (T, D)  matrices
    N        int     a size
"""


def define(folder: Path, body: str, arguments: str = "a, b, c, x, y, z, X, Y, Z") -> Equations[..., object]:
    """A definition made of text; unused arguments are left out."""
    names = [name for name in arguments.split(", ") if re.search(rf"\b{name}\b", body)]
    text = f'@equations\ndef f({", ".join(names)}):\n    """F.\n{LEGEND}    """\n    {body}\n'
    file = folder / f"made_{next(FILES)}.py"
    file.write_text(
        f"from seqloom.equations import *\nfrom seqloom.layers.scores import dot\n\n{text}", encoding="utf-8"
    )
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    definition = module.f
    assert isinstance(definition, Equations)
    return definition


WRITTEN = {
    "u = x * y": r"x \odot y",
    "u = a * x": r"a x",
    "u = 2 * a": r"2 a",
    "u = a * (b + c)": r"a \cdot (b + c)",  # a (b + c) would be a function of b + c
    "u = a * 2": r"a \cdot 2",
    "u = a ** 2 * 2 ** b": r"a^2 \cdot 2^b",
    "u = 2 * (1 / a)": r"2 \cdot \frac{1}{a}",
    "u = x @ Y": r"x Y",
    "u = x @ y": r"x y^\top",
    "u = X @ Y.T": r"X Y^\top",
    "u = (X @ Y).T": r"(X Y)^\top",
    "u = (x * y) @ Z": r"(x \odot y) Z",
    "u = x * (y @ Z)": r"x \odot (y Z)",
    "u = x * (y + z)": r"x \odot (y + z)",
    "u = x - (y + z)": r"x - (y + z)",
    "u = x - (y - z)": r"x - (y - z)",
    "u = x - y - z": r"x - y - z",
    "u = -x + y": r"-x + y",
    "u = x / a": r"\frac{x}{a}",
    "u = (x + y) / (a + b)": r"\frac{x + y}{a + b}",
    "u = x ** 2": r"x^2",
    "u = (-a) ** 2": r"(-a)^2",
    "u = -a ** 2": r"-a^2",
    "u = (a ** b) ** c": r"(a^b)^c",
    "u = a ** b ** c": r"a^{b^c}",
    "u = sqrt(a + b) * x": r"\sqrt{a + b} x",
    "u = softmax(X @ Y.T / sqrt(dim(Y)))": r"\operatorname{softmax}\left( \frac{X Y^\top}{\sqrt{\dim(Y)}} \right)",
    "u = concat(x, y) @ Z": r"[x, y] Z",
    "u = sum(x_i for x_i in X) / len(X)": r"\frac{\sum_{i = 1}^{T} x_i}{T}",
    "u = norm(x) * y": r"\left\| x \right\| y",
    "u = relu(x + y)": r"\max(0, x + y)",
    "u = sum(x_i * y_i for x_i, y_i in zip(X, Y))": r"\sum_{i = 1}^{T} x_i \odot y_i",
    "u = sum(x_i for x_i in X) / a": r"\frac{\sum_{i = 1}^{T} x_i}{a}",
    "u = sum(x_i for x_i in X) * y": r"\left( \sum_{i = 1}^{T} x_i \right) \odot y",
    "u = x[a + 1]": r"x_{a + 1}",
    "u = (x < a) & (y >= b)": r"(x < a) \land (y \ge b)",
    "u = where(x > a, x, -inf)": r"\begin{cases} x & x > a \\ -\infty & \text{elsewhere} \end{cases}",
    "u = 1e-5 * x": r"10^{-5} x",
    "u = dot(x, y) * z": r"\text{dot}(x, y) z",
    "u = append(X, y)": r"\left[ \begin{matrix} X \\ y \end{matrix} \right]",
    "u = ~(x < a)": r"\lnot (x < a)",
}


@pytest.mark.parametrize("line, expected", WRITTEN.items())
def test_each_construct_is_written_as_in_a_paper(tmp_path, line, expected):
    (formula,) = notation(define(tmp_path, f"{line}  # this\n    return u"))
    assert spell(formula.right) == expected


@pytest.mark.parametrize(
    "name, expected",
    [
        ("W_xh", "W_{xh}"),
        ("alpha_j", r"\alpha_j"),
        ("gamma", r"\gamma"),
        ("h_tilde", r"\tilde{h}"),
        ("h_fwd", r"\overrightarrow{h}"),
        ("b_1", "b_1"),
        ("W_10", "W_{10}"),
        ("head", r"\mathrm{head}"),
        ("d_model", r"d_{\mathrm{model}}"),
    ],
)
def test_names_are_written_as_symbols(tmp_path, name, expected):
    (formula,) = notation(define(tmp_path, f"{name} = x + y\n    return {name}"))
    assert spell(formula.left) == expected


def test_state_reads_as_time():
    from seqloom.layers.bidirectional import bidirectional
    from seqloom.layers.gru import gru

    assert plain(gru)[-1] == "hₜ = zₜ ⊙ hₜ₋₁ + (1 − zₜ) ⊙ h̃ₜ"
    assert spell(notation(bidirectional)[1].right).count("t + 1") == 1, "the backward reader comes from the right"


def test_a_single_formula_needs_no_name_for_its_result(tmp_path):
    (formula,) = notation(define(tmp_path, "return x * y  # the product"))
    assert (spell(formula.left), formula.caption) == (r"\text{f}(x, y)", "the product")


# --- the meaning survives: any arithmetic, read back by sympy ---------------------------------------

NUMBERS = st.sampled_from(["a", "b", "c", "2", "3"])


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    power = st.tuples(inner, st.sampled_from(["2", "3"])).map(lambda t: f"({t[0]} ** {t[1]})")
    return pair | power | inner.map(lambda t: f"(-{t})")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(expression=st.recursive(NUMBERS, combined, max_leaves=7))
def test_any_arithmetic_read_back_by_sympy_gives_the_same_number(tmp_path, expression):
    text = f"u = {expression} + a + b + c"
    (formula,) = notation(define(tmp_path, f"{text}\n    return u"))
    written = spell(formula.right).replace(r"\left(", "(").replace(r"\right)", ")")
    values = {"a": 1.375, "b": -0.625, "c": 2.75}
    try:
        meant = eval(f"{expression} + a + b + c", {}, values)
    except ZeroDivisionError:
        reject()
    read = float(parse_latex(written).subs({Symbol(name): value for name, value in values.items()}))
    assert read == pytest.approx(meant, rel=1e-9)


@every_definition
def test_plain_text_has_one_line_for_each_line_of_code(definition):
    values = [value for _, value, _ in definition.body.statements()]
    assert len(plain(definition)) == sum(len(each.lines) if isinstance(each, nodes.Repeat) else 1 for each in values)


@every_definition
def test_latex_has_balanced_braces_and_environments(definition):
    text = latex(definition)
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") == text.count(r"\right") + text.count(r"\leftarrow")
    assert text.count(r"\begin") == text.count(r"\end")
