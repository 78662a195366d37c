"""The weights of a model by name, each once: a matrix that plays two parts is written down under its first name."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from seqloom.errors import DamagedError


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and lasting buffers."""
    seen: set[int] = set()
    found: dict[str, Tensor] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        if id(tensor) not in seen:
            seen.add(id(tensor))
            found[name] = tensor.detach()
    return found


def load_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Give a model its weights; what does not fit to the letter is an error."""
    wanted = weights_of(model)
    wrong = sorted(wanted.keys() ^ weights.keys())
    wrong += [name for name in wanted.keys() & weights.keys() if wanted[name].shape != weights[name].shape]
    if wrong:
        raise DamagedError(
            f"weights do not fit the model: {', '.join(wrong[:5])}{' ...' if len(wrong) > 5 else ''}",
            remedy="the folder was written by another version, or its config.json was changed; train it again",
        )
    for name, tensor in wanted.items():
        tensor.copy_(weights[name])
