"""Layer normalisation (over the features of one position) and batch normalisation (over the positions of a batch)."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.equations import Part, equations, mean, sqrt
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.identity import Identity

NormKind = Literal["layer", "batch", "none"]


@equations
def layer_norm(x, *, gamma, beta):
    """Layer normalisation: each position by itself.

    Paper: J. Ba, J. Kiros, G. Hinton, Layer normalization, 2016.

    x      (D)  the vector of one position
    gamma  (D)  the learned scale
    beta   (D)  the learned shift
    """
    mu = mean(x)  # the mean over the features of this position
    v = mean((x - mu) ** 2)  # the variance over the same features
    y = (x - mu) / sqrt(v + 1e-5) * gamma + beta  # normalised to mean 0, variance 1, then scaled and shifted
    return y


@equations
def batch_norm(X, *, gamma, beta):
    """Batch normalisation: each feature over all positions of the batch.

    Paper: S. Ioffe, C. Szegedy, Batch normalization, ICML 2015.

    X      (T, D)  all positions of the batch, one vector each
    gamma  (D)     the learned scale
    beta   (D)     the learned shift
    """
    mu = sum(x_t for x_t in X) / len(X)  # the mean of each feature over the positions
    v = sum((x_t - mu) ** 2 for x_t in X) / len(X)  # the variance of each feature
    Y = (X - mu) / sqrt(v + 1e-5) * gamma + beta  # normalised to mean 0, variance 1, then scaled and shifted
    return Y


@equations
def batch_norm_inference(x, *, mu, sigma, gamma, beta):
    """Batch normalisation once training has ended: by statistics that were gathered on the way.

    Paper: S. Ioffe, C. Szegedy, Batch normalization, ICML 2015.

    x      (D)  the vector of one position
    mu     (D)  given, the running mean of each feature
    sigma  (D)  given, its running standard deviation
    gamma  (D)  the learned scale
    beta   (D)  the learned shift
    """
    y = (x - mu) / sqrt(sigma**2 + 1e-5) * gamma + beta  # normalised as in training, whatever else is in the batch
    return y


EPSILON = 1e-5  # as in the equations


@layer(layer_norm)
class LayerNorm(Layer):
    """Layer normalisation on torch's fused kernel."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Every position by itself, so that a mask is of no account: x (..., D) -> (..., D)."""
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, EPSILON)

    def symbols(self) -> Symbols:
        return {"gamma": self.gamma, "beta": self.beta}


@layer(batch_norm)
class BatchNorm(Layer):
    """Batch normalisation over the real positions of a batch; in evaluation by running statistics."""

    mean: Tensor  # (D) of each feature, running
    variance: Tensor  # (D)

    def __init__(self, width: int, momentum: float = 0.1) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))
        self.momentum = momentum  # how much of each batch goes into the running statistics
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("variance", torch.ones(width))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Normalise the positions of a batch together.

        x     (B, T, D)  a vector for each position
        mask  (B, T)     bool, the padding mask: True for tokens; None when there is no padding
        ->    (B, T, D)  zeros for padding
        """
        if mask is None:
            return self.normalise(x.flatten(0, 1)).view_as(x)
        return torch.zeros_like(x).masked_scatter(mask[..., None], self.normalise(x[mask]))

    def normalise(self, X: Tensor) -> Tensor:
        """All positions of the batch at once: (positions, D) -> (positions, D)."""
        counted = not self.training or len(X) > 1  # one position has no variance to remember
        mean, variance = (self.mean, self.variance) if counted else (None, None)
        fast = torch.backends.cudnn.enabled
        return torch.batch_norm(X, self.gamma, self.beta, mean, variance, self.training, self.momentum, EPSILON, fast)

    def symbols(self) -> Symbols:
        return {"gamma": self.gamma, "beta": self.beta}

    def part(self) -> Part:
        """What it computes now: in training with the statistics of the batch, afterwards with the running ones."""
        if self.training:
            return super().part()
        return Part(batch_norm_inference, {"mu": self.mean, "sigma": self.variance.sqrt(), **self.symbols()})


NORMS: dict[NormKind, type[LayerNorm | BatchNorm]] = {"layer": LayerNorm, "batch": BatchNorm}


def norm_called(kind: NormKind, width: int) -> LayerNorm | BatchNorm | Identity:
    """The norm that a setting names; `none` leaves vectors as they are."""
    return Identity() if kind == "none" else NORMS[kind](width)
