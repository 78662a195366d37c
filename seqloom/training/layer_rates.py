"""Learning rates by layer: weights that were taken over change less, and later, the lower their layer is (ULMFiT).

The layers above those that were taken over are fresh: they learn at the full rate from the first step. Below them a
layer learns more slowly by `start.layer_rate` than the one above it, and begins `start.unfreeze_every` steps later
(Howard & Ruder, Universal language model fine-tuning for text classification, ACL 2018).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from torch import nn

from seqloom.training.initial_weights import StartConfig


@dataclass(frozen=True)
class LayerRates:
    """How fast each weight learns: a factor of the learning rate, by its depth and the step."""

    depths: Mapping[str, int] = field(default_factory=dict)
    """Weights by name: how many layers that were taken over lie above, its own among them; none is 0."""
    below: float = 1.0
    """The rate of a layer, relative to that of the layer above it."""
    unfreeze_every: int = 0
    """Steps between the first of a layer and the first of the layer below it."""

    @classmethod
    def of(cls, model: nn.Module, taken: Collection[str], start: StartConfig) -> LayerRates:
        """Those of a model of which the weights `taken` came from elsewhere."""
        layers = [each for each in layers_of(dict(model.named_parameters())) if any(name in taken for name in each)]
        depths = {name: depth for depth, layer in enumerate(reversed(layers), 1) for name in layer}
        return cls(depths, start.layer_rate, start.unfreeze_every)

    def depth(self, name: str) -> int:
        return self.depths.get(name, 0)

    def factor(self, depth: int, step: int) -> float:
        """Of the learning rate in a step, counted from 1, for the weights of a depth.

        >>> rates = LayerRates(below=0.5, unfreeze_every=100)
        >>> [rates.factor(depth, step) for depth, step in [(0, 1), (1, 100), (1, 101), (2, 101), (2, 201)]]
        [1.0, 0.0, 0.5, 0.0, 0.25]
        """
        return self.below**depth if step > depth * self.unfreeze_every else 0.0


def layers_of(names: Iterable[str]) -> list[list[str]]:
    """The weights of a model by layer, the lowest first, from their names in order: a layer is what has a number.

    What has none belongs to the layer below it, if it stands in a stack, and is a layer by itself if not.

    >>> layers_of(["embedding.E", "encoder.P", "encoder.blocks.0.W", "encoder.blocks.1.W", "encoder.norm", "readout.W"])
    [['embedding.E', 'encoder.P'], ['encoder.blocks.0.W'], ['encoder.blocks.1.W', 'encoder.norm'], ['readout.W']]
    """
    ordered = list(names)
    stacks = {name.split(".")[0] for name in ordered if numbered(name)}
    layers: list[list[str]] = []
    last = ""
    for name in ordered:
        top = name.split(".")[0]
        key = numbered(name) or (last if top in stacks and last else top)
        if key != last:
            layers.append([])
            last = key
        layers[-1].append(name)
    return layers


def numbered(name: str) -> str:
    """The name of the numbered layer that a weight is in: up to its first number; empty for none.

    >>> numbered("encoder.layers.1.fwd.weight_x"), numbered("readout.W_hy")
    ('encoder.layers.1', '')
    """
    parts = name.split(".")
    place = next((place for place, part in enumerate(parts) if part.isdigit()), None)
    return "" if place is None else ".".join(parts[: place + 1])
