"""Sequence models from RNN to Transformer: train them on your own data, see inside them, serve them fast.

`@seqloom.definition` makes a definition of a function. The grammar that it is written in is the package
`seqloom.equations`, which has the same decorator under its own name: `from seqloom.equations import equations, tanh`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from seqloom.kernel_cache import bound_kernel_caches

if TYPE_CHECKING:
    from seqloom import equations, layers, testing
    from seqloom.comparing.api import compare
    from seqloom.equations import equations as definition
    from seqloom.errors import SeqloomError
    from seqloom.explaining.explain import explain
    from seqloom.layers.base import layer
    from seqloom.tasks.task import Task
    from seqloom.training.api import train
    from seqloom.training.callbacks import Callback
    from seqloom.training.distilling import distil
    from seqloom.training.loading import load
    from seqloom.training.model import Model
    from seqloom.training.tuning import tune

__all__ = [
    "Callback",
    "Model",
    "SeqloomError",
    "Task",
    "__version__",
    "compare",
    "definition",
    "distil",
    "equations",
    "explain",
    "layer",
    "layers",
    "load",
    "testing",
    "train",
    "tune",
]

_MODULES = {"equations", "layers", "testing"}
_HOMES = {
    "Callback": "seqloom.training.callbacks",
    "Model": "seqloom.training.model",
    "SeqloomError": "seqloom.errors",
    "Task": "seqloom.tasks.task",
    "compare": "seqloom.comparing.api",
    "distil": "seqloom.training.distilling",
    "explain": "seqloom.explaining.explain",
    "layer": "seqloom.layers.base",
    "load": "seqloom.training.loading",
    "train": "seqloom.training.api",
    "tune": "seqloom.training.tuning",
}


bound_kernel_caches()


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import seqloom` alone need not wait for torch."""
    if name in ("distil", "train", "tune"):
        from seqloom.threads import wait_asleep

        wait_asleep()  # before torch is imported: it reads then how its threads wait
    if name == "__version__":
        from importlib.metadata import version

        return version("seqloom")
    if name in _MODULES:
        return import_module(f"seqloom.{name}")
    if name == "definition":
        return import_module("seqloom.equations").equations
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'seqloom' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
