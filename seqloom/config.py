"""Configuration: frozen settings, every field with a default that works and a sentence that says what it counts.

One declaration gives the file, the flags, the check and the documentation. Files are TOML: data, never code.
All mistakes are reported at once, each with what to do.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from seqloom.errors import ConfigError, close_matches, quoted

C = TypeVar("C", bound="Config")


class Config(BaseModel):
    """Base of every section: frozen, unknown keys are errors, the docstring of a field is its description."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, validate_default=True)


def problem(setting: str, what: str, *, remedy: str) -> PydanticCustomError:
    """For a validator: raise it to report a mistake in `setting`, empty for the field that is validated."""
    return PydanticCustomError("problem", "{what}", {"setting": setting, "what": what, "remedy": remedy})


def load(kind: type[C], file: Path | str | None = None, changes: Sequence[str] = (), **flags: Any) -> C:
    """Settings from a TOML file, then `section.key=value` changes, then flags that are not None (dots as `__`)."""
    return check(kind, gather(file, changes, **flags), where=str(file) if file is not None else "settings")


def gather(
    file: Path | str | None = None,
    changes: Sequence[str] = (),
    base: Mapping[str, Any] | None = None,
    **flags: Any,
) -> dict[str, Any]:
    """The values that `load` checks, before any check; those of `base` hold where nothing else is said."""
    values = over(base or {}, read_toml(Path(file)) if file is not None else {})
    for change in changes:
        path, text = split_change(change)
        put(values, path, read_value(text))
    for name, value in flags.items():
        if value is not None:
            put(values, name.split("__"), value)
    return values


def check(kind: type[C], values: Mapping[str, Any], *, where: str, saved: bool = False) -> C:
    """The settings, or every mistake in them at once; saved ones may say what is not read today."""
    try:
        return kind.model_validate(values, context={"saved": saved})
    except ValidationError as error:
        raise ConfigError(where, [mistake(kind, details) for details in error.errors()]) from None


def read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(str(file), [("", "there is no such file", "check the path")]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(file), [("", f"cannot be read: {error}", "give a TOML file in UTF-8")]) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(file), [("", f"is not TOML: {error}", "fix that line")]) from None


def split_change(change: str) -> tuple[list[str], str]:
    """`train.steps=100` -> the path of the setting, and its text."""
    name, sign, text = change.partition("=")
    if not sign or not name.strip():
        raise ConfigError("--set", [(change, "is not of the form KEY=VALUE", "write it like train.steps=100")])
    return name.strip().split("."), text.strip()


def read_value(text: str) -> Any:
    """A value as TOML writes it; whatever is none is a text.

    >>> read_value("100"), read_value("[64, 32]"), read_value("lstm")
    (100, [64, 32], 'lstm')
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def put(values: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Set one value in nested tables."""
    for part in path[:-1]:
        inner = values.setdefault(part, {})
        if not isinstance(inner, dict):
            inner = values[part] = {}
        values = inner
    values[path[-1]] = value


def over(base: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables, one over the other; neither of them is changed.

    >>> over({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})
    {'a': {'b': 3, 'c': 2}}
    """
    merged = {**base, **values}
    for name, value in merged.items():
        below = base.get(name)
        if isinstance(value, Mapping):
            merged[name] = over(below if isinstance(below, Mapping) else {}, value)
    return merged


def mistake(kind: type[Config], details: ErrorDetails) -> tuple[str, str, str]:
    """Setting, what is wrong with it, what to do."""
    path = [str(part) for part in details["loc"]]
    context = details.get("ctx", {})
    if details["type"] == "problem":
        return ".".join(filter(None, [*path, context["setting"]])), context["what"], context["remedy"]
    name = ".".join(path)
    if details["type"] == "extra_forbidden":
        known = settings_at(kind, path[:-1])
        elsewhere = [other for other, _, _ in describe(kind) if other.split(".")[-1] == path[-1]]
        near = elsewhere or close_matches(path[-1], known)
        return name, "no such setting", f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    given = details.get("input")
    message = details["msg"][0].lower() + details["msg"][1:]
    return name, f"{quoted(given)}: {message}", description_of(kind, path)


def is_section(annotation: Any) -> TypeGuard[type[Config]]:
    """Whether the type of a field is a section with settings of its own."""
    return isinstance(annotation, type) and issubclass(annotation, Config)


def settings_at(kind: type[Config], path: Sequence[str]) -> list[str]:
    """The settings of the section at a path."""
    for part in path:
        annotation = kind.model_fields[part].annotation if part in kind.model_fields else None
        if not is_section(annotation):
            return []
        kind = annotation
    return list(kind.model_fields)


def description_of(kind: type[Config], path: Sequence[str]) -> str:
    for part in path:
        field = kind.model_fields.get(part)
        if field is None:
            break
        if is_section(field.annotation):
            kind = field.annotation
        else:
            return sentence_of(kind, part) or "see the documentation of this setting"
    return "see the documentation of this setting"


def describe(kind: type[Config], prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """Every setting: its name with its section, its default, its sentence."""
    for name, field in kind.model_fields.items():
        if is_section(field.annotation):
            yield from describe(field.annotation, f"{prefix}{name}.")
        else:
            yield prefix + name, field.get_default(call_default_factory=True), sentence_of(kind, name)


def sentence_of(kind: type[Config], name: str) -> str:
    """The sentence of a setting; one that only changes the default has that of the class below."""
    fields = (base.model_fields.get(name) for base in kind.__mro__ if issubclass(base, Config))
    return next((field.description for field in fields if field is not None and field.description), "")
