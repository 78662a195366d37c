"""docs/api.md: every public name with its signature and its docstring, made by `python -m seqloom.cli.api_page`."""

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import seqloom

ABOUT = """# Python

What `import seqloom` offers, from the docstrings: `python -m seqloom.cli.api_page > docs/api.md` writes this page, and
a test holds it to them. Settings are in [settings.md](settings.md)."""


def page() -> str:
    """The whole page."""
    names = [name for name in seqloom.__all__ if name != "__version__"]
    things = {name: getattr(seqloom, name) for name in names}
    objects = {name: thing for name, thing in things.items() if not isinstance(thing, ModuleType)}
    modules = {name: thing for name, thing in things.items() if isinstance(thing, ModuleType)}
    parts = [ABOUT, *(section(f"seqloom.{name}", thing) for name, thing in objects.items())]
    parts += [module_section(f"seqloom.{name}", thing) for name, thing in modules.items()]
    return "\n\n".join(parts) + "\n"


def section(name: str, thing: Any) -> str:
    """One function or class, with its public methods."""
    parts = [f"## {name}", described(name.rpartition(".")[2], thing)]
    if inspect.isclass(thing):
        for method, value in members(thing):
            parts += [f"### {name.rpartition('.')[2]}.{method}", described(method, value)]
    return "\n\n".join(parts)


def members(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """The methods and properties that a class documents, in the order in which they are written."""
    for owner in reversed(kind.__mro__[:-1]):
        if not owner.__module__.startswith("seqloom."):
            continue
        for name, value in vars(owner).items():
            plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if name[0] != "_" and (inspect.isfunction(plain) or isinstance(plain, property)):
                yield name, plain


def described(name: str, thing: Any) -> str:
    """Signature and docstring."""
    head = f"```python\n{name}{signature(thing)}\n```" if callable(thing) else ""
    text = inspect.getdoc(thing) or ""
    first, _, rest = text.partition("\n\n")
    more = f"```text\n{rest.rstrip()}\n```" if rest.strip() else ""
    return "\n\n".join(part for part in (head, " ".join(first.split()), more) if part)


def signature(thing: Any) -> str:
    """The arguments as they are written, one a line where they are many."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    text = plain(found)
    if len(text) <= 100:
        return text
    lines: list[str] = []
    for argument in found.parameters.values():
        if argument.kind is argument.KEYWORD_ONLY and "*" not in "".join(line[:5] for line in lines):
            lines.append("    *,")
        lines.append(f"    {plain(argument)},")
    returned = "" if found.return_annotation is found.empty else f" -> {plain(found.return_annotation)}"
    return "\n".join(["(", *lines, f"){returned}"])


def plain(part: Any) -> str:
    """A part of a signature without the quotes of annotations, and without the address of a function."""
    text = re.sub(r"<function .*? at 0x[0-9a-f]+>", "...", str(part))
    return re.sub(r"""(^|: |-> )(['"])(.*?)\2(?= = |, |\)|$)""", r"\1\3", text)


def module_section(name: str, module: ModuleType) -> str:
    """What a module offers, a line each."""
    lines = []
    for each in sorted(module.__all__, key=str.casefold):
        value = getattr(module, each)
        text = (inspect.getdoc(value) or "") if callable(value) else f"A {type(value).__name__}."
        lines.append(f"| `{each}` | {first_line(text)} |")
    about = " ".join((inspect.getdoc(module) or "").partition("\n\n")[0].split())
    return "\n".join([f"## {name}", "", about, "", "| | |", "|---|---|", *lines])


def first_line(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
