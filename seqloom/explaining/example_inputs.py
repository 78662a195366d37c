"""From a sentence to the inputs of a definition: what each symbol is when the words are these.

    x, k, w, y      the word of this step: its vector, as a key, its token id, as the last token that was written
    p, i            its position
    X, H, K, V ...  all words, one vector for each
    q, h, z         one vector: the last word, where there is no state
    states          zeros at the start; U as many vectors of them as a window has in front
    mask, causal    True everywhere; True up to the position itself

Every word has a vector of its own that depends on nothing but the word, so that the same word is
the same in every explanation. What has no rule is drawn by its shape from the seed of its name.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from seqloom.equations import Equations, Part, nodes
from seqloom.equations.legend import Entry, size_of
from seqloom.errors import SeqloomError, ShapeError
from seqloom.tokens.pretokenization import word_pattern

SIZES = {
    "D": 4, "H": 3, "K": 2, "N": 2, "F": 5, "V": 6, "L": 2, "B": 2, "window": 3, "steps": 0, "before": 1, "behind": 1,
    "characters": 3, "columns": 2, "memory": 4, "height": 8, "width": 8, "pool": 2,
}  # fmt: skip
"""Small enough to read on a page."""
ALIKE = {**SIZES, "K": SIZES["H"]}
"""For what compares states with hidden states as they are: both have one width."""

SENTENCE = "the cat sat down"
LONGEST = 64
"""More words than this would not be read on a page."""


def split(sentence: str) -> list[str]:
    """Words, and each Chinese, Japanese or Korean character alone.

    >>> split("the cat 早上好!")
    ['the', 'cat', '早', '上', '好', '!']
    """
    shown = "".join(
        character for character in sentence if unicodedata.category(character) != "Cc" or character.isspace()
    )
    words = word_pattern().findall(unicodedata.normalize("NFC", shown))
    if not words:
        raise SeqloomError("the text contains no words", remedy='give a few words, as in "the cat sat down"')
    if len(words) > LONGEST:
        raise SeqloomError(f"{len(words)} words are too many to show", remedy=f"give at most {LONGEST}")
    return words


def seeded(key: str, shape: tuple[int, ...]) -> Tensor:
    """Normal numbers that depend on a text and nothing else."""
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:6], "big")
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


class ExampleInputs:
    """The inputs of a definition for a sentence, step by step."""

    def __init__(self, definition: Equations[..., Any], words: list[str], sizes: Mapping[str, int] = SIZES) -> None:
        self.definition, self.words = definition, words
        self.sizes = {**sizes, "T": len(words), "S": len(words)}
        self.token_ids = {word: id for id, word in enumerate(dict.fromkeys(words))}
        self.sizes["V"] = max(SIZES["V"], len(self.token_ids))
        self.sizes["places"] = len(words) + 1

    @property
    def steps(self) -> list[str]:
        """The words to step through, or one step without a name for all of them at once."""
        body = self.definition.body
        names = {symbol.name for symbol in body.inputs}
        at_once = any(self.is_sequence(symbol) for symbol in body.inputs if symbol.role != "state")
        stepwise = bool(body.states) or names & {"x", "k", "w", "p", "y", "n"} or self.has_window
        return self.words if self.writes or (stepwise and not at_once) else [""]

    @property
    def writes(self) -> bool:
        """Whether this is a step of a decoder: the last token `y` comes in, and there may be a source beside it."""
        entry = self.definition.legend["y"]
        return entry is not None and entry.kind == "index" and "embedding" in self.definition.parts

    def is_sequence(self, symbol: nodes.Symbol) -> bool:
        entry = self.definition.legend[symbol.name]
        return entry is not None and bool({"T", "S"} & set(entry.shape))

    @property
    def has_window(self) -> bool:
        entries = (self.definition.legend[symbol.name] for symbol in self.definition.body.inputs)
        return any(entry is not None and "window" in entry.shape for entry in entries)

    def draw(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A weight of a worked example: depends on its name and shape only, and keeps values small."""
        if shape == () and name in self.sizes:
            return torch.tensor(self.sizes[name])
        normal = seeded(f"{name} {shape}", shape)
        symbol = name.rpartition(".")[2]
        if symbol == "gamma":
            return 1 + normal / 10
        if symbol.startswith("b"):
            return normal / 4
        fan_in = max(shape[-2], 1) if len(shape) > 1 else 1
        return torch.div(normal, fan_in**0.5)

    def at(self, step: int) -> dict[str, Any]:
        """The inputs in one step that are no states."""
        if self.writes:
            self.sizes["T"] = step + 1  # so many words are written
        inputs = (symbol.name for symbol in self.definition.body.inputs if symbol.role != "state")
        return {name: self.value(name, step) for name in inputs}

    def start(self) -> dict[str, Any]:
        """The states before the first word: zeros."""
        return dict(zip(self.definition.body.states, Part(self.definition).start(sizes=self.sizes).values))

    def entry(self, name: str) -> Entry:
        entry = self.definition.legend[name]
        if entry is None:
            raise ShapeError(
                f"the docstring of {self.definition.name} does not state the shape of {name}",
                where=self.definition.source.place(),
                remedy=f"add a line like `{name}  (D)  what it is`",
            )
        return entry

    def shape(self, entry: Entry) -> tuple[int, ...]:
        for part in entry.shape:
            if part.isidentifier():
                self.sizes.setdefault(part, 3)
        return tuple(size_of(part, self.sizes) for part in entry.shape)

    def value(self, name: str, step: int) -> Tensor:
        entry = self.entry(name)
        shape = self.shape(entry)
        if entry.kind == "bool":
            seen = torch.ones(shape, dtype=torch.bool)
            return seen.tril() if name == "causal" else seen
        if shape == ():
            return self.single(name, entry, step)
        if entry.kind == "index" and entry.shape in (("T",), ("S",)):
            return torch.tensor([self.token_ids[word] for word in self.words])
        if entry.kind == "index":
            return torch.arange(math.prod(shape)).reshape(shape) % self.sizes["V"]
        if entry.shape[0] in ("T", "S") and len(shape) == 2:
            return torch.stack([seeded(f"{name} {word}" if name == "V" else word, shape[1:]) for word in self.words])
        if entry.shape[0] == "window":
            first = step - (shape[0] - 1) // 2
            return torch.stack([self.word_at(first + place, shape[1:]) for place in range(shape[0])])
        if len(shape) == 1 and name in ("x", "k"):
            return seeded(self.words[step], shape)
        if len(shape) == 1 and name in ("q", "h"):
            return seeded(self.words[-1], shape)
        return seeded(name, shape)

    def word_at(self, place: int, shape: tuple[int, ...]) -> Tensor:
        """The vector of the word at a position; zeros beyond the ends."""
        return seeded(self.words[place], shape) if 0 <= place < len(self.words) else torch.zeros(shape)

    def single(self, name: str, entry: Entry, step: int) -> Tensor:
        """A number: a token id, a position, a length, or a setting."""
        settings = {"tau": 0.5, "epsilon": 0.1, "alpha": 0.5}
        if name in ("p", "i"):
            return torch.tensor(step)
        if name == "n":
            return torch.tensor(step + 1)
        if entry.kind == "index":
            return torch.tensor(self.token_ids[self.words[step]])
        return torch.tensor(settings.get(name, 1.0))
