"""Models of several tasks that read with one embedding and one encoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from seqloom.errors import ConfigError
from seqloom.models.weights import weights_of

SHARED = ("embedding", "encoder")
"""The parts that all models have in common; what stands above them is each model's own head."""


class SharedEncoder(nn.Module):
    """Several models, by the name of their task, around the embedding and the encoder of the first.

    Under `embedding` and `encoder` the weights have the names that they have in each model alone, so that a trained
    language model can begin it, and it can begin another model.
    """

    def __init__(self, models: Mapping[str, nn.Module]) -> None:
        super().__init__()
        first = next(iter(models.values()))
        self.embedding, self.encoder = first.embedding, first.encoder
        for name, model in models.items():
            for part in SHARED:
                check_alike(name, getattr(first, part, None), getattr(model, part, None))
                setattr(model, part, getattr(first, part))
        self.heads = nn.ModuleDict({f"{name}_head": model for name, model in models.items()})

    def head(self, name: str) -> nn.Module:
        """The whole model of one task."""
        return self.heads[f"{name}_head"]

    def forward(self, name: str, *batch: Any) -> Any:
        """What the model of a task computes."""
        return self.head(name)(*batch)

    def example_batch(self, B: int, T: int, S: int) -> tuple[Any, ...]:
        """The arguments of `forward` for a batch of these sizes: what `summary` runs."""
        name, model = next(iter(self.heads.items()))
        found: tuple[Tensor, ...] = model.example_batch(B, T, S)  # type: ignore[operator]
        return name.removesuffix("_head"), *found


def check_alike(name: str, one: Any, other: Any) -> None:
    """Raise `ConfigError` unless two parts can be one: the same weights by name and shape."""
    if not (isinstance(one, nn.Module) and isinstance(other, nn.Module)):
        remedy = "choose an architecture with an encoder, as lstm, cnn or transformer"
        raise ConfigError("settings", [("model.name", f"the model of {name} has no encoder to share", remedy)])
    shapes = [{weight: tuple(tensor.shape) for weight, tensor in weights_of(part).items()} for part in (one, other)]
    if shapes[0] != shapes[1]:
        what = f"the model of {name} would read otherwise than the first"
        raise ConfigError("settings", [(f"data.sets: {name}", what, "leave out what changes its input")])
