"""Numbers as people read them, the same in the terminal, on the page and in LaTeX."""

from __future__ import annotations

from seqloom.evaluating.bootstrap import ConfidenceInterval


def number(value: float) -> str:
    """A metric: a share with three digits, a score of up to a hundred with one.

    >>> number(0.98765), number(34.567), number(1.2345), number(0.0)
    ('0.988', '34.6', '1.234', '0.000')
    """
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


def with_interval(found: ConfidenceInterval) -> str:
    return f"{number(found.value)} ({number(found.low)} to {number(found.high)})"


def large(value: float | None) -> str:
    """A count or a speed in three digits.

    >>> large(1234567), large(98765), large(12.3), large(None)
    ('1.23M', '98.8k', '12.3', '–')
    """
    if value is None:
        return "–"
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def megabytes(value: float) -> str:
    """Bytes.

    >>> megabytes(28_500), megabytes(1.234e6), megabytes(2.5e9)
    ('28.5 kB', '1.23 MB', '2,500 MB')
    """
    if value < 1e6:
        return f"{value / 1e3:.3g} kB"
    return f"{value / 1e6:,.3g} MB" if value < 1e9 else f"{value / 1e6:,.0f} MB"


def milliseconds(value: float) -> str:
    return f"{1000 * value:,.3g} ms" if value < 1 else f"{value:,.3g} s"


def p_value(value: float | None) -> str:
    """A probability; what a thousand draws cannot tell from nothing is below a thousandth or two.

    >>> p_value(0.000999), p_value(0.0312), p_value(None)
    ('< 0.002', '0.031', '')
    """
    return "" if value is None else "< 0.002" if value < 0.002 else f"{value:.2g}"


def listed(names: list[str], and_: str = "and") -> str:
    """
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {and_} {names[-1]}" if names else ""


def capital(text: str) -> str:
    """The same with a capital at the beginning; those of an abbreviation stay.

    >>> capital("exact match"), capital("BLEU")
    ('Exact match', 'BLEU')
    """
    return text[:1].upper() + text[1:]


def signed(value: float) -> str:
    """A difference with its sign.

    >>> signed(-0.25), signed(3.0)
    ('−0.250', '+3.000')
    """
    return f"{'+' if value >= 0 else '−'}{number(abs(value))}"
