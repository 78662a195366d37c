"""Convolution over a picture, and the places of its regions: from pixels to vectors that can be attended to."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.init import kaiming_uniform_

from seqloom.equations import equations, max_pool, regions, relu, shifts, stack
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.norms import LayerNorm, layer_norm


@equations
def picture_convolution(P, *, W, b, norm=layer_norm, window, pool):
    """Convolution over a picture: each place sees its neighbours.

    Paper: Y. LeCun et al., Gradient-based learning applied to document recognition, Proceedings of the IEEE 1998.

    P       (height, width, D)     the picture: a vector for each place, in rows and columns
    W       (window*window, D, H)  the filters: a matrix for each offset in the window
    b       (H)                    the bias
    window  int                    rows and columns that a filter sees
    pool    int                    rows and columns of which the largest entries are kept
    """
    Y = sum(P_k @ W_k for P_k, W_k in zip(shifts(P, window), W)) + b  # each filter applied around each place
    A = relu(norm(Y))  # each place normalised; what is negative becomes zero
    Z = max_pool(A, pool)  # of each square of places the strongest answer of every filter
    return Z


@equations
def region_positions(G, *, R, C):
    """The regions of a picture, each with its row and its column added.

    Paper: A. Dosovitskiy et al., An image is worth 16x16 words, ICLR 2021, with a vector for each row and column.

    G  (rows, columns, D)  a vector for each region of the picture
    R  (rows, D)           a learned vector for each row
    C  (columns, D)        a learned vector for each column
    """
    P = stack(r_i + C for r_i in R)  # the position of each region: the vector of its row plus that of its column
    X = regions(G + P)  # the regions with their positions, one below the other, row by row
    return X


@layer(picture_convolution)
class PictureConvolution(Layer):
    """Convolution over pictures on torch's kernel."""

    def __init__(self, width: int, hidden: int, window: int, pool: int) -> None:
        super().__init__()
        kernel = torch.empty(hidden, width, window, window)
        self.kernel = nn.Parameter(kaiming_uniform_(kernel, nonlinearity="relu"))  # W in the order that torch reads
        self.b = nn.Parameter(torch.zeros(hidden))
        self.norm = LayerNorm(hidden)
        self.window, self.pool = window, pool
        self.before, self.behind = (window - 1) // 2, window // 2

    def forward(self, x: Tensor) -> Tensor:
        """x (B, height, width, D) -> (B, height // pool, width // pool, H)."""
        around = (self.before, self.behind, self.before, self.behind)
        y = F.conv2d(F.pad(x.permute(0, 3, 1, 2), around), self.kernel, self.b).permute(0, 2, 3, 1)
        y = F.relu(self.norm(y))
        return F.max_pool2d(y.permute(0, 3, 1, 2), self.pool).permute(0, 2, 3, 1) if self.pool > 1 else y

    def symbols(self) -> Symbols:
        W = self.kernel.permute(2, 3, 1, 0).flatten(0, 1)
        return {"W": W, "b": self.b, "norm": self.norm.part(), "window": self.window, "pool": self.pool}


@layer(region_positions)
class RegionPositions(Layer):
    """Learned vectors for the rows and the columns of a grid of regions."""

    def __init__(self, width: int, rows: int, columns: int) -> None:
        super().__init__()
        self.R = nn.Parameter(torch.randn(rows, width) * width**-0.5)
        self.C = nn.Parameter(torch.randn(columns, width) * width**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, rows, columns, D) -> (B, S, D), row by row."""
        return (x + self.R[:, None] + self.C).flatten(1, 2)

    def symbols(self) -> Symbols:
        return {"R": self.R, "C": self.C}
