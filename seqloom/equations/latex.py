r"""Notation as LaTeX, to copy into a paper: needs amsmath, nothing else."""

from __future__ import annotations

from typing import Any

from seqloom.equations import marks as m
from seqloom.equations.definition import Equations
from seqloom.equations.names import GREEK
from seqloom.equations.notation import notation

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
    lines = [line(formula) for formula in notation(definition)]
    return "\\begin{aligned}\n" + " \\\\\n".join(f"  {text}" for text in lines) + "\n\\end{aligned}"


def line(formula: m.Formula) -> str:
    text = f"{spell(formula.left)} &= {spell(formula.right)}"
    return f"{text} \\qquad {spell(formula.condition)}" if formula.condition else text


def spell(mark: m.Mark) -> str:
    match mark:
        case m.Letter():
            return letter(mark)
        case m.Numeral():
            return mark.text
        case m.Sign():
            return SIGNS.get(mark.text.strip(), mark.text.strip())
        case m.FunctionName():
            return mark.latex if mark.below is None else f"{mark.latex}_{braced(spell(mark.below))}"
        case m.Words():
            return rf"\text{{{mark.text}}}"
        case m.Row():
            return row(mark)
        case m.Below():
            return f"{group(mark.base)}_{braced(spell(mark.below))}"
        case m.Above():
            return f"{group(mark.base)}^{braced(spell(mark.above))}"
        case m.Fraction():
            return rf"\frac{{{spell(mark.top)}}}{{{spell(mark.bottom)}}}"
        case m.Root():
            return rf"\sqrt{{{spell(mark.inside)}}}"
        case m.Fence():
            return fence(mark)
        case m.Sum():
            over = f"^{{{spell(mark.over)}}}" if mark.over else ""
            return rf"\sum_{{{spell(mark.under)}}}{over} {spell(mark.body)}"
        case m.Column():
            return r"\begin{matrix} " + r" \\ ".join(map(spell, mark.rows)) + r" \end{matrix}"
        case m.Cases():
            rows = r" \\ ".join(f"{spell(value)} & {spell(condition)}" for value, condition in mark.rows)
            return rf"\begin{{cases}} {rows} \end{{cases}}"
    raise AssertionError(f"no LaTeX for {type(mark).__name__}")


def row(mark: m.Row) -> str:
    """Things side by side; letters of one subscript and a sign in front stand close."""
    if all(isinstance(part, m.Letter) and not part.id for part in mark.parts):
        return "".join(map(spell, mark.parts))
    text = ""
    for position, part in enumerate(mark.parts):
        piece = spell(part)
        after_lone_sign = position == 1 and isinstance(mark.parts[0], m.Sign)
        follows_name = position > 0 and isinstance(mark.parts[position - 1], m.FunctionName)
        close = not text or piece in (",", ";") or (after_lone_sign and not text.startswith("\\")) or follows_name
        text += piece if close else f" {piece}"
    return text


def fence(mark: m.Fence) -> str:
    """Brackets; those around something tall grow with it."""
    inside = spell(mark.inside)
    if mark.left in "([" and not tall(mark.inside):
        return f"{mark.left}{inside}{mark.right}"
    return f"{FENCES[mark.left]} {inside} {CLOSING.get(mark.right, FENCES[mark.right])}"


def tall(mark: m.Mark) -> bool:
    match mark:
        case m.Fraction() | m.Sum() | m.Column() | m.Cases() | m.Root():
            return True
        case m.Row():
            return any(map(tall, mark.parts))
        case m.Fence():
            return tall(mark.inside)
        case m.Above() | m.Below():
            return tall(mark.base)
    return False


def group(mark: m.Mark) -> str:
    """What a script is attached to, as one thing."""
    text = spell(mark)
    return text if isinstance(mark, m.Letter | m.Numeral | m.Fence | m.Below) else f"{{{text}}}"


def braced(text: str) -> str:
    """A script; a single character or command needs no braces."""
    return text if len(text) == 1 or (text[0] == "\\" and text[1:].isalpha()) else f"{{{text}}}"


def letter(mark: m.Letter) -> str:
    if mark.text in COMMANDS:
        text = COMMANDS[mark.text]
    else:
        text = mark.text if len(mark.text) == 1 else rf"\mathrm{{{mark.text}}}"
    return f"{ACCENTS[mark.accent]}{{{text}}}" if mark.accent else text
