"""The weights of a model by name, each once: a matrix that plays two parts is written down under its first name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from seqloom.errors import DamagedError

SPARE_BYTES = 1 << 27
"""What a model may hold besides its weights: tables that are computed, not learned."""


class HasShape(Protocol):
    """A tensor, or what the header of a file says of one."""

    @property
    def shape(self) -> Sequence[int]: ...


class NothingDrawn(TorchFunctionMode):
    """Leaves out the drawing of normal numbers and their scaling.

    For tensors without numbers they change nothing, but torch imports its whole compiler for them, 0.8 s.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.randn:
            return torch.empty(*args, **{name: value for name, value in kwargs.items() if name != "generator"})
        if func is Tensor.normal_:
            return args[0]
        if func in SCALINGS and args[0].is_floating_point() and isinstance(args[1], float):
            return torch.empty(args[0].shape, dtype=args[0].dtype)
        return func(*args, **kwargs)


SCALINGS = (Tensor.mul, Tensor.__mul__, Tensor.__rmul__)


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and lasting buffers."""
    seen: set[int] = set()
    found: dict[str, Tensor] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        if id(tensor) not in seen:
            seen.add(id(tensor))
            found[name] = tensor.detach()
    return found


def check_shapes(make: Callable[[], nn.Module], found: Mapping[str, HasShape]) -> None:
    """Hold a model to the shapes in a weights file before anything of it is built: settings take no memory that the
    weights do not have."""
    with torch.device("meta"), NothingDrawn():  # every shape, and no numbers
        model = make()
    fitting({name: tuple(weight.shape) for name, weight in weights_of(model).items()}, found)
    held = sum(one.numel() * one.element_size() for one in [*model.parameters(), *model.buffers()])
    written = 4 * sum(math.prod(one.shape) for one in found.values())
    if held > 2 * written + SPARE_BYTES:
        raise DamagedError(
            f"its settings ask for {held:,} bytes of memory, and its weights take {written:,}",
            remedy="its config.json was changed; ask whoever made it",
        )


def fitting(wanted: Mapping[str, tuple[int, ...]], found: Mapping[str, HasShape]) -> None:
    """Raise `DamagedError` unless names and shapes are the same to the letter."""
    wrong = sorted(wanted.keys() ^ found.keys())
    wrong += [name for name in wanted.keys() & found.keys() if wanted[name] != tuple(found[name].shape)]
    if wrong:
        raise DamagedError(
            f"weights do not fit the model: {', '.join(wrong[:5])}{' ...' if len(wrong) > 5 else ''}",
            remedy="the folder was written by another version, or its config.json was changed; train it again",
        )


def load_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Give a model its weights; what does not fit to the letter, or is no number, is an error."""
    wanted = weights_of(model)
    fitting({name: tuple(tensor.shape) for name, tensor in wanted.items()}, weights)
    for name, tensor in wanted.items():
        if not weights[name].isfinite().all():
            raise DamagedError(f"the weights {name} are not all numbers", remedy="train it again, at a lower rate")
        tensor.copy_(weights[name])
