"""Statements of Python's own library, and the part that each token plays: what a good editor colours by.

The kind of a token can be seen (a number, a string); the part of a name cannot: in `size = len(rows, key=size)` one
`size` is given a value, the other is read, and `key` belongs to the call. Python's own parser says which is which.
"""

from __future__ import annotations

import ast
import io
import keyword
import token
import tokenize
from collections.abc import Iterable, Iterator

from seqloom.data.embedded.data_set import EmbeddedDataset, Row, Splits
from seqloom.data.embedded.stdlib import MODULES, source_of

SHORTEST, LONGEST = 3, 60
"""Tokens of a statement."""
UNSEEN = {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}
BEFORE = {"def": "FUNCTION", "class": "CLASS", "as": "TARGET"}
"""What a name is that the parser gives no place of its own, by the word before it."""


def make() -> Splits:
    """Every tenth module is for validation, every tenth for testing; the same statement stands once in all."""
    valid, test = MODULES[8::10], MODULES[9::10]
    train = [module for module in MODULES if module not in (*valid, *test)]
    met: set[tuple[str, ...]] = set()
    return {"train": rows(train, met), "valid": rows(valid, met), "test": rows(test, met)}


def rows(modules: Iterable[str], met: set[tuple[str, ...]]) -> list[Row]:
    found: list[Row] = []
    for module in modules:
        for words, tags in statements(source_of(module)):
            if SHORTEST <= len(words) <= LONGEST and tuple(words) not in met:
                met.add(tuple(words))
                found.append((words, tags))
    return found


def statements(source: str) -> Iterator[tuple[list[str], list[str]]]:
    """The tokens and tags of every statement; of one that has a body, those of its first line.

    Left out: what holds a space inside a token (a string of several words), what is not ASCII, and f-strings.

    >>> for words, tags in statements("size = len(rows, key=size)"):
    ...     print(*(f"{word}/{tag}" for word, tag in zip(words, tags)))
    size/TARGET =/OP len/CALL (/OP rows/NAME ,/OP key/ARGUMENT =/OP size/NAME )/OP
    """
    parts = parts_of_names(ast.parse(source))
    statement: list[tokenize.TokenInfo] = []
    for found in tokenize.generate_tokens(io.StringIO(source).readline):
        if found.type == tokenize.NEWLINE:
            if all(is_plain(part) for part in statement):
                yield [part.string for part in statement], tags_of(statement, parts)
            statement = []
        elif found.type not in UNSEEN:
            statement.append(found)


def is_plain(found: tokenize.TokenInfo) -> bool:
    is_format = found.type == tokenize.STRING and "f" in found.string.split(found.string[-1])[0].lower()
    is_format = is_format or token.tok_name[found.type].startswith("FSTRING")  # since Python 3.12
    return found.line.isascii() and not is_format and not any(letter.isspace() for letter in found.string)


def tags_of(statement: list[tokenize.TokenInfo], parts: dict[tuple[int, int], str]) -> list[str]:
    """A tag for each token."""
    imports = statement[0].string in ("import", "from")
    tags: list[str] = []
    for place, found in enumerate(statement):
        if found.type != tokenize.NAME:
            tags.append(token.tok_name[found.type])
        elif keyword.iskeyword(found.string) or (place == 0 and is_soft_keyword(found, parts)):
            tags.append("KEYWORD")
        else:
            before = BEFORE.get(statement[place - 1].string, "NAME") if place else "NAME"
            tags.append("IMPORT" if imports else parts.get(found.start, before))
    return tags


def is_soft_keyword(found: tokenize.TokenInfo, parts: dict[tuple[int, int], str]) -> bool:
    """`match` and `case` are keywords where they begin a statement and name nothing."""
    return keyword.issoftkeyword(found.string) and found.start not in parts


def parts_of_names(tree: ast.AST) -> dict[tuple[int, int], str]:
    """What the name that begins at a line and column is, as the parser sees it."""
    parts: dict[tuple[int, int], str] = {}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(ctx=ast.Load()):
                parts[node.lineno, node.col_offset] = "CALL" if id(node) in called else "NAME"
            case ast.Name():
                parts[node.lineno, node.col_offset] = "TARGET"
            case ast.Attribute(end_lineno=int(line), end_col_offset=int(end), attr=attr):
                parts[line, end - len(attr)] = "METHOD" if id(node) in called else "ATTRIBUTE"
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                parts[node.end_lineno or 0, (node.end_col_offset or 0) - len(name)] = "TARGET"
            case ast.arg():
                parts[node.lineno, node.col_offset] = "PARAMETER"
            case ast.keyword(arg=str()):
                parts[node.lineno, node.col_offset] = "ARGUMENT"
    return parts


PYTHON_TOKENS = EmbeddedDataset(
    name="python-tokens",
    task="tag",
    title="Python statements, and the part that each token plays",
    licence="PSF License 2.0 (CPython)",
    make=make,
)
