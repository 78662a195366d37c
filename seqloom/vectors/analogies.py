"""How many analogies vectors solve: Athens is to Greece as Oslo is to what?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import torch

from seqloom.data.bad_records import Policy
from seqloom.data.line_reader import expanded, read_lines
from seqloom.errors import DataError
from seqloom.vectors.word_vectors import WordVectors

AT_ONCE = 256


class Question(NamedTuple):
    """a is to b as c is to d."""

    a: str
    b: str
    c: str
    d: str


class Solved(NamedTuple):
    """Questions answered right, those asked, those left out because a word is not known."""

    right: int
    asked: int
    unknown: int

    @property
    def accuracy(self) -> float:
        return self.right / max(self.asked, 1)


def read_questions(path: Path | str, *, lower: bool = False) -> dict[str, list[Question]]:
    """Questions by section, from a file of lines of four words under lines that begin with `:` and name a section."""
    path = expanded(path)
    sections: dict[str, list[Question]] = {}
    questions = sections.setdefault("", [])
    for number, line in read_lines(path, Policy()):
        fields = (line.lower() if lower else line).split()
        if line.startswith(":"):
            questions = sections.setdefault(line[1:].strip(), [])
        elif len(fields) == 4:
            questions.append(Question(*fields))
        elif fields:
            remedy = "a line is four words, or `:` and a name"
            raise DataError(f"{len(fields)} words", where=f"{path}:{number}", remedy=remedy)
    return {name: questions for name, questions in sections.items() if questions}


def solve(vectors: WordVectors, questions: Iterable[Question]) -> Solved:
    """Answer questions as `WordVectors.analogy` does, many at a time."""
    every = list(questions)
    places = [
        [vectors.index[word] for word in question] for question in every if all(word in vectors for word in question)
    ]
    right = 0
    for start in range(0, len(places), AT_ONCE):
        some = torch.tensor(places[start : start + AT_ONCE])
        a, b, c, _ = vectors.directions[some].unbind(1)
        cosine = (b - a + c) @ vectors.directions.T
        cosine.scatter_(1, some[:, :3], -torch.inf)
        right += int((cosine.argmax(1) == some[:, 3]).sum())
    return Solved(right, len(places), len(every) - len(places))
