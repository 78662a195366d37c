"""Pre-tokenization: where words begin and end, in any script, as two patterns that every kind of tokenizer splits by.

Letters are what Unicode calls letters, digits and marks (a word of Hindi or Arabic is not broken at its vowel
signs). Han and kana stand apart, because no spaces separate their words; Korean is written with spaces and reads
like any other script. A run of more than 64 is cut there, so that no hostile line makes a word of a megabyte.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby

SPACE = "\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\uff66-\uff9f"
CJK = HAN + KANA
FLAG = "\U0001f1e6-\U0001f1ff"
VARIANT = "\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff"
"""What changes the symbol before it: its colour, its skin, the key around it."""
LONGEST = 64

is_cjk = re.compile(f"[{CJK}]").match


@cache
def letters() -> str:
    """The inside of a character class: every letter, digit and mark but Han and kana."""
    apart = re.compile(f"[{CJK}{VARIANT}]").match

    def inside(code: int) -> bool:
        letter = chr(code)
        joins = letter.isalnum() or unicodedata.category(letter)[0] == "M" or letter in "_\u200c\u200d"
        return joins and not apart(letter)

    runs = [list(run) for word, run in groupby(range(0x10000), inside) if word]
    planes = "\U00010000-\U0001cfff\U0001d400-\U0001d7ff\U0001e000-\U0001efff"  # beyond: emoji, then Han
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs) + planes


@cache
def word_pattern(*, han_runs: bool = False) -> re.Pattern[str]:
    """Words, numbers, punctuation marks and emoji, without the spaces; each Han character alone, or runs of them.

    >>> word_pattern().findall("Don't pay 3.50, 我爱你!")
    ["Don't", 'pay', '3.50', ',', '我', '爱', '你', '!']
    """
    kinds = [
        f"[{HAN}]{{1,{LONGEST}}}|[{KANA}]" if han_runs else f"[{CJK}]",
        rf"\d{{1,{LONGEST}}}(?:[.,]\d{{1,{LONGEST}}}){{1,4}}",
        word(),
        f"[{FLAG}]{{2}}",
        rf"[^{SPACE}][{VARIANT}]*(?:\u200d[^{SPACE}][{VARIANT}]*)*",  # families of emoji are one
    ]
    return re.compile("|".join(kinds))


@cache
def pretoken_pattern() -> re.Pattern[str]:
    """A text in pieces that lose nothing, a space with the word behind it; subwords never cross their borders.

    `<` stands alone, so that no text can spell an token such as <eos> or <0x41>.

    >>> pretoken_pattern().findall("two  dogs, <eos> 早上好")
    ['two', ' ', ' dogs', ',', ' ', '<', 'eos', '>', ' 早上好']
    """
    kinds = [
        f" ?{word()}",
        f" ?[{CJK}]{{1,{LONGEST}}}",
        "<",
        f" ?[^{SPACE}{letters()}{CJK}<]{{1,{LONGEST}}}",
        f"[{SPACE}]{{1,{LONGEST}}}(?![^{SPACE}])",  # leaves the last space to the word
        f"[{SPACE}]",
    ]
    return re.compile("|".join(kinds))


def word() -> str:
    """Letters, with apostrophes between them."""
    return f"[{letters()}]{{1,{LONGEST}}}(?:['’][{letters()}]{{1,{LONGEST}}}){{0,4}}"
