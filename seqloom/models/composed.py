"""A definition for a given number of layers: plain lines put together, then read as every other definition is."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from textwrap import wrap
from typing import Any

from seqloom import equations as known
from seqloom.equations import Equations


@dataclass(frozen=True, eq=False)  # made once for each kind of model, so that its definition is too
class Draft:
    """What a definition is written from. Layers differ in number from model to model, so their lines do too."""

    name: str
    title: str
    paper: str
    inputs: tuple[str, ...]
    weights: tuple[str, ...]
    legend: tuple[str, ...]  # lines as in any docstring
    lines: tuple[str, ...]
    returns: tuple[str, ...]
    uses: Mapping[str, Equations[..., Any]] = field(default_factory=dict)  # what the lines call, by name

    def definition(self, module: str) -> Equations[..., Any]:
        """The plain function; `module` is where it is at home."""
        arguments = ", ".join([*self.inputs, *(["*", *self.weights] if self.weights else [])])
        legend = aligned(self.legend)
        body = [
            f'"""{self.title}.', "", *wrap(f"Paper: {self.paper}", 100), "", *legend, '"""', *self.lines,
            f"return {', '.join(self.returns)}",
        ]  # fmt: skip
        text = f"@equations\ndef {self.name}({arguments}):\n" + "".join(f"    {line}".rstrip() + "\n" for line in body)
        return written(self.name, text, module, self.uses)


def aligned(legend: Iterable[str]) -> list[str]:
    """Entries `name | shape | sense` in columns."""
    entries = [[part.strip() for part in line.split("|")] for line in legend]
    wide = [max((len(entry[column]) for entry in entries), default=0) for column in (0, 1)]
    return [f"{name:<{wide[0]}}  {shape:<{wide[1]}}  {sense}" for name, shape, sense in entries]


def written(name: str, text: str, module: str, uses: Mapping[str, Equations[..., Any]]) -> Equations[..., Any]:
    """A definition from its text, which stays where `inspect` and a debugger find the source of a function."""
    file = f"<{module}: {name}, {sha256(text.encode()).hexdigest()[:8]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {**vars(known), **uses, "__name__": module}
    exec(compile(text, file, "exec"), names)  # our own lines: no text of a user's is among them
    definition: Equations[..., Any] = names[name]
    return definition
