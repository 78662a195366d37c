r"""Notation as LaTeX, to copy into a paper: needs amsmath, nothing else."""

from __future__ import annotations

from typing import Any

from seqloom.equations import notation as n
from seqloom.equations.definition import Equations
from seqloom.equations.names import GREEK

COMMANDS = {letter: "\\" + name for name, letter in GREEK.items()}
ACCENTS = {
    "tilde": r"\tilde",
    "hat": r"\hat",
    "bar": r"\bar",
    "right": r"\overrightarrow",
    "left": r"\overleftarrow",
}
SIGNS = {
    "−": "-", "⊙": r"\odot", "·": r"\cdot", "⊤": r"\top", "∧": r"\land", "∨": r"\lor", "¬": r"\lnot",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "∞": r"\infty", "…": r"\ldots",
}  # fmt: skip
FENCES = {
    "(": r"\left(", ")": r"\right)", "[": r"\left[", "]": r"\right]", "|": r"\left|", "‖": r"\left\|",
    "⌊": r"\left\lfloor", "⌋": r"\right\rfloor",
}  # fmt: skip
CLOSING = {"|": r"\right|", "‖": r"\right\|"}


def latex(definition: Equations[..., Any]) -> str:
    """The formulas of a definition, aligned at their equals signs."""
    lines = [line(formula) for formula in n.notation(definition)]
    return "\\begin{aligned}\n" + " \\\\\n".join(f"  {text}" for text in lines) + "\n\\end{aligned}"


def line(formula: n.Formula) -> str:
    text = f"{spell(formula.left)} &= {spell(formula.right)}"
    return f"{text} \\qquad {spell(formula.condition)}" if formula.condition else text


def spell(mark: n.Mark) -> str:
    match mark:
        case n.Letter():
            return letter(mark)
        case n.Numeral():
            return mark.text
        case n.Sign():
            return SIGNS.get(mark.text.strip(), mark.text.strip())
        case n.FunctionName():
            return mark.latex
        case n.Words():
            return rf"\text{{{mark.text}}}"
        case n.Row():
            return row(mark)
        case n.Below():
            return f"{group(mark.base)}_{braced(spell(mark.below))}"
        case n.Above():
            return f"{group(mark.base)}^{braced(spell(mark.above))}"
        case n.Fraction():
            return rf"\frac{{{spell(mark.top)}}}{{{spell(mark.bottom)}}}"
        case n.Root():
            return rf"\sqrt{{{spell(mark.inside)}}}"
        case n.Fence():
            return fence(mark)
        case n.Sum():
            over = f"^{{{spell(mark.over)}}}" if mark.over else ""
            return rf"\sum_{{{spell(mark.under)}}}{over} {spell(mark.body)}"
        case n.Column():
            return r"\begin{matrix} " + r" \\ ".join(map(spell, mark.rows)) + r" \end{matrix}"
        case n.Cases():
            rows = r" \\ ".join(f"{spell(value)} & {spell(condition)}" for value, condition in mark.rows)
            return rf"\begin{{cases}} {rows} \end{{cases}}"
    raise AssertionError(f"no LaTeX for {type(mark).__name__}")


def row(mark: n.Row) -> str:
    """Things side by side; letters of one subscript and a sign in front stand close."""
    if all(isinstance(part, n.Letter) and not part.id for part in mark.parts):
        return "".join(map(spell, mark.parts))
    text = ""
    for position, part in enumerate(mark.parts):
        piece = spell(part)
        after_lone_sign = position == 1 and isinstance(mark.parts[0], n.Sign)
        follows_name = position > 0 and isinstance(mark.parts[position - 1], n.FunctionName)
        close = not text or piece in (",", ";") or (after_lone_sign and not text.startswith("\\")) or follows_name
        text += piece if close else f" {piece}"
    return text


def fence(mark: n.Fence) -> str:
    """Brackets; those around something tall grow with it."""
    inside = spell(mark.inside)
    if mark.left in "([" and not tall(mark.inside):
        return f"{mark.left}{inside}{mark.right}"
    return f"{FENCES[mark.left]} {inside} {CLOSING.get(mark.right, FENCES[mark.right])}"


def tall(mark: n.Mark) -> bool:
    match mark:
        case n.Fraction() | n.Sum() | n.Column() | n.Cases() | n.Root():
            return True
        case n.Row():
            return any(map(tall, mark.parts))
        case n.Fence():
            return tall(mark.inside)
        case n.Above() | n.Below():
            return tall(mark.base)
    return False


def group(mark: n.Mark) -> str:
    """What a script is attached to, as one thing."""
    text = spell(mark)
    return text if isinstance(mark, n.Letter | n.Numeral | n.Fence | n.Below) else f"{{{text}}}"


def braced(text: str) -> str:
    """A script; a single character or command needs no braces."""
    return text if len(text) == 1 or (text[0] == "\\" and text[1:].isalpha()) else f"{{{text}}}"


def letter(mark: n.Letter) -> str:
    if mark.text in COMMANDS:
        text = COMMANDS[mark.text]
    else:
        text = mark.text if len(mark.text) == 1 else rf"\mathrm{{{mark.text}}}"
    return f"{ACCENTS[mark.accent]}{{{text}}}" if mark.accent else text
