"""Things of a user's own as `package.module:name`: found again later, and known by where they came from."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from itertools import accumulate
from operator import attrgetter
from pathlib import Path
from typing import Any

from seqloom.errors import SeqloomError, quoted


def imported(reference: str) -> Any:
    """What `package.module:name` refers to; the current folder is searched too, as by `python -m`."""
    module_name, _, name = reference.partition(":")
    if "" not in sys.path and os.getcwd() not in sys.path and not in_model_folder(os.getcwd()):
        sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()  # what is looked for below is what would be imported, whatever was imported before
    refuse_code_of_model(module_name)
    try:
        module = importlib.import_module(module_name)
    except SeqloomError:
        raise
    except Exception as error:  # whatever a user's module does when it is loaded
        reason = f"{type(error).__name__}: {error}"
        raise SeqloomError(
            f"cannot import {module_name}: {reason}", remedy="fix it, install it, or run where it is found"
        ) from error
    try:
        return attrgetter(name)(module)
    except AttributeError:
        own = (each for each, value in vars(module).items() if getattr(value, "__module__", "") == module_name)
        has = ", ".join(own) or "nothing"
        raise SeqloomError(f"{module_name} has no {name or 'name'}", remedy=f"it has: {has}") from None


# --- a model folder is data ---------------------------------------------------------------------------

MODEL_FOLDER: ContextVar[Path | None] = ContextVar("MODEL_FOLDER", default=None)
"""The model folder that is being loaded."""


@contextmanager
def no_code_from(folder: Path) -> Iterator[None]:
    """While a model folder is loaded: what its settings name is refused if its code lies in that folder."""
    token = MODEL_FOLDER.set(folder)
    try:
        yield
    finally:
        MODEL_FOLDER.reset(token)


def refuse_code_of_model(module: str) -> None:
    """Find where a module and the packages around it lie, without importing it; inside the model folder is an error."""
    if MODEL_FOLDER.get() is None:
        return
    for name in accumulate(module.split("."), "{}.{}".format):  # to find a.b imports a, which was looked at before
        try:
            spec = find_spec(name) or ("." not in name and PathFinder.find_spec(name, [os.getcwd()])) or None
        except (ImportError, ValueError):
            return  # importing it says what is wrong
        if spec is None:
            return
        origin = [spec.origin] if spec.has_location and spec.origin else []
        for place in [*origin, *(spec.submodule_search_locations or ())]:
            if in_model_folder(place):
                raise SeqloomError(
                    f"the code of {module} lies in the model folder ({place}), and nothing in a model folder is run",
                    remedy="if you trust it, install it or move it out of that folder",
                )


def in_model_folder(place: str) -> bool:
    """Whether a path lies in the model folder that is being loaded, as it is written or behind its links."""
    folder = MODEL_FOLDER.get()
    if folder is None:
        return False
    folders = {Path(os.path.abspath(folder)), folder.resolve()}
    places = {Path(os.path.abspath(place)), Path(place).resolve()}
    return any(one.is_relative_to(other) for one in places for other in folders)


# --- where things are ---------------------------------------------------------------------------------


def reference_of(thing: Any) -> str:
    """The `package.module:name` under which a class, function or definition can be imported again."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", "")
    if module == "__main__" and (main := script()):
        module = main
    reference = f"{module}:{name}"
    if not name or module in (None, "__main__") or "<" in name or imported(reference) is not thing:
        raise SeqloomError(
            f"{name or quoted(thing)} cannot be imported again, so the trained model could not be loaded",
            remedy="write it at the top of a module, in a file of its own",
        )
    return reference


def script() -> str | None:
    """The name by which the program that runs can be imported; None in a notebook or at a prompt."""
    main = sys.modules["__main__"]
    if spec := getattr(main, "__spec__", None):  # python -m package.module
        name = spec.name.removesuffix(".__main__")
    elif file := getattr(main, "__file__", None):
        name = Path(file).stem
    else:
        return None
    sys.modules.setdefault(name, main)  # it is loaded: importing it must not run it a second time
    return str(name)


def provenance(thing: Any, reference: str) -> dict[str, str]:
    """Where something came from: its reference, the version of its package, and the hash of its source."""
    source = inspect.getsource(inspect.unwrap(thing))
    found = {"reference": reference, "sha256": hashlib.sha256(source.encode()).hexdigest()}
    top = thing.__module__.split(".")[0]
    try:
        package = packages_distributions().get(top, [top])[0]
        return {**found, "package": package, "version": version(package)}
    except PackageNotFoundError:  # a file of its own
        return found
