"""Notation as MathML, which every current browser draws by itself; `data-id` ties it to the other views."""

from __future__ import annotations

from html import escape
from typing import Any

from seqloom.equations import marks as m
from seqloom.equations.definition import Equations
from seqloom.equations.notation import notation

ACCENTS = {"tilde": "~", "hat": "^", "bar": "¯", "right": "→", "left": "←"}
TIMES = "<mo>\u2062</mo>"  # a product that is not written
APPLY = "<mo>\u2061</mo>"  # between a function and its argument


def mathml(definition: Equations[..., Any], prefix: str = "") -> list[str]:
    """The formulas of a definition, each a <math> of its own; `prefix` goes before every id."""
    return [line(formula) for formula in notation(definition, prefix)]


def line(formula: m.Formula) -> str:
    condition = f'<mspace width="2em"/>{spell(formula.condition)}' if formula.condition else ""
    return block(equation(formula) + condition)


def lines(formula: m.Formula) -> str:
    """A formula, and what its index runs over in a line of its own: for a narrow place."""
    return block(equation(formula)) + (block(spell(formula.condition)) if formula.condition else "")


def equation(formula: m.Formula) -> str:
    return f"{spell(formula.left)}<mo>=</mo>{spell(formula.right)}"


def block(inside: str) -> str:
    return f'<math display="block"><mrow>{inside}</mrow></math>'


def spell(mark: m.Mark) -> str:
    """One piece of notation; its id goes to the element that holds all of it."""
    match mark:
        case m.Letter():
            return letter(mark)
        case m.Numeral():
            return tag("mn", mark.text, mark)
        case m.Sign():
            return sign(mark)
        case m.FunctionName():
            upright = ' mathvariant="normal"' if len(mark.text) == 1 else ""
            if mark.below is not None:
                return tag("msub", f"<mi{upright}>{escape(mark.text)}</mi>{spell(mark.below)}", mark)
            return tag("mi", escape(mark.text), mark, upright)
        case m.Words():
            return tag("mtext", escape(mark.text), mark)
        case m.Row():
            return tag("mrow", row(mark.parts), mark)
        case m.Below():
            return tag("msub", spell(mark.base) + spell(mark.below), mark)
        case m.Above(base=m.Below(base=base, below=below) as inner) if not isinstance(base, m.Fence):
            return tag("msubsup", spell(base) + spell(below) + spell(mark.above), inner if inner.id else mark)
        case m.Above():
            return tag("msup", spell(mark.base) + spell(mark.above), mark)
        case m.Fraction():
            return tag("mfrac", spell(mark.top) + spell(mark.bottom), mark)
        case m.Root():
            return tag("msqrt", spell(mark.inside), mark)
        case m.Fence():
            return tag(
                "mrow",
                f"{bracket(mark.left, 'prefix')}{spell(mark.inside)}{bracket(mark.right, 'postfix')}",
                mark,
            )
        case m.Sum():
            return tag("mrow", total(mark) + spell(mark.body), mark)
        case m.Column():
            return tag("mtable", "".join(f"<mtr><mtd>{spell(part)}</mtd></mtr>" for part in mark.rows), mark)
        case m.Cases():
            rows = "".join(f"<mtr><mtd>{spell(value)}</mtd><mtd>{spell(when)}</mtd></mtr>" for value, when in mark.rows)
            table = f'<mtable columnalign="left">{rows}</mtable>'
            return tag("mrow", bracket("{", "prefix") + table, mark)
    raise AssertionError(f"no MathML for {type(mark).__name__}")


def tag(name: str, inside: str, mark: m.Mark, attributes: str = "") -> str:
    id = f' data-id="{escape(mark.id)}"' if mark.id else ""
    return f"<{name}{id}{attributes}>{inside}</{name}>"


def letter(mark: m.Letter) -> str:
    text = f"<mi>{escape(mark.text)}</mi>"
    if mark.accent:
        return tag("mover", f'{text}<mo stretchy="false">{ACCENTS[mark.accent]}</mo>', mark, ' accent="true"')
    return tag("mi", escape(mark.text), mark)


def sign(mark: m.Sign) -> str:
    text = mark.text.strip()
    if text in ("⊤", "∞", "…"):
        return tag("mi" if text != "…" else "mo", text, mark, ' mathvariant="normal"' if text == "⊤" else "")
    separator = ' separator="true"' if text in (",", ";") else ""
    return tag("mo", escape(text), mark, separator)


def bracket(text: str, form: str) -> str:
    return f'<mo fence="true" form="{form}">{text}</mo>'


def total(mark: m.Sum) -> str:
    big = '<mo largeop="true" movablelimits="false">∑</mo>'
    if mark.over is None:
        return f"<munder>{big}{spell(mark.under)}</munder>"
    return f"<munderover>{big}{spell(mark.under)}{spell(mark.over)}</munderover>"


def row(parts: tuple[m.Mark, ...]) -> str:
    """Things side by side: between two of them that are no signs stands a product, or f and its argument."""
    pieces: list[str] = []
    for position, part in enumerate(parts):
        before = parts[position - 1] if position else None
        if isinstance(before, m.FunctionName):
            pieces.append(APPLY)
        elif before is not None and not isinstance(before, m.Sign) and not isinstance(part, m.Sign) and part.id:
            pieces.append(TIMES)
        pieces.append(spell(part))
    return "".join(pieces)
