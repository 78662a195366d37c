"""Notation as plain Unicode text, for a terminal."""

from __future__ import annotations

from typing import Any

from seqloom.equations import marks as m
from seqloom.equations.definition import Equations
from seqloom.equations.notation import notation

LOW = dict(zip("0123456789+−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))
HIGH = dict(zip("0123456789+−()⊤nilL", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵀⁿⁱˡᴸ", strict=True))
ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304", "right": "\u20d7", "left": "\u20d6"}
SPACED = set("+−⊙=≤≥<>≠∧∨·")


def plain(definition: Equations[..., Any]) -> list[str]:
    """The formulas of a definition, one string each; the equals signs stand below each other."""
    formulas = notation(definition)
    lefts = [spell(formula.left) for formula in formulas]
    width = max(map(columns, lefts))
    texts = []
    for left, formula in zip(lefts, formulas, strict=True):
        text = " " * (width - columns(left)) + f"{left} = {spell(formula.right)}"
        texts.append(f"{text}   ({spell(formula.condition)})" if formula.condition else text)
    return texts


def columns(text: str) -> int:
    """How wide a text is in a terminal: what is drawn above a letter takes no place."""
    return sum(character not in ACCENTS.values() for character in text)


def spell(mark: m.Mark) -> str:
    match mark:
        case m.Letter():
            return mark.text + ACCENTS.get(mark.accent, "")
        case m.FunctionName(below=m.Mark() as below):
            return mark.text + script(spell(below), LOW, "_")
        case m.Numeral() | m.FunctionName() | m.Words() | m.Sign():
            return mark.text
        case m.Row():
            return row(mark.parts)
        case m.Below():
            return spell(mark.base) + script(spell(mark.below), LOW, "_")
        case m.Above():
            return spell(mark.base) + script(spell(mark.above), HIGH, "^")
        case m.Fraction():
            return f"{operand(mark.top)} / {operand(mark.bottom)}"
        case m.Root():
            inside = spell(mark.inside)
            return f"√{inside}" if isinstance(mark.inside, m.Letter | m.Numeral) else f"√({inside})"
        case m.Fence():
            return f"{mark.left}{spell(mark.inside)}{mark.right}"
        case m.Sum():
            limits = spell(mark.under).replace(" ", "") + (f"…{spell(mark.over)}" if mark.over else "")
            return f"∑[{limits}] {spell(mark.body)}"
        case m.Column():
            return " ; ".join(map(spell, mark.rows))
        case m.Cases():
            (value, condition), (other, _) = mark.rows
            return f"{spell(value)} where {spell(condition)}, else {spell(other)}"
    raise AssertionError(f"no text for {type(mark).__name__}")


def row(parts: tuple[m.Mark, ...]) -> str:
    text = ""
    for position, part in enumerate(parts):
        piece = spell(part)
        if isinstance(part, m.Sign):
            binary = piece in SPACED and position > 0
            text += f" {piece} " if binary else piece + " " * (piece == ";")
        else:
            side_by_side = text and position > 0 and not isinstance(parts[position - 1], m.Sign | m.FunctionName)
            text += " " * bool(side_by_side) + piece
    return text


def operand(mark: m.Mark) -> str:
    """Above or below a stroke written on one line, whatever has several parts needs brackets."""
    text = spell(mark)
    single = isinstance(mark, m.Letter | m.Numeral | m.Below | m.Fence | m.Root | m.Above)
    return text if single or (isinstance(mark, m.Row) and isinstance(mark.parts[0], m.FunctionName)) else f"({text})"


def script(text: str, alphabet: dict[str, str], sign: str) -> str:
    """A sub- or superscript in small characters where Unicode has all of them; else `W_Q`, `W_(Q,n)`."""
    tight = text.replace(" ", "")
    if (len(tight) < 3 or not tight.isalpha()) and all(
        character in alphabet or character == "," for character in tight
    ):
        return "".join("‚" if character == "," else alphabet[character] for character in tight)
    return f"{sign}{tight}" if len(tight) == 1 or tight.isalpha() else f"{sign}({tight})"
