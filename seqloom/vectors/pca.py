"""Principal component analysis (PCA): vectors on the plane of their largest spread."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def pca_2d(vectors: Tensor) -> Tensor:
    """The first two principal components, computed in float64: vectors (V, D) -> (V, 2), largest spread first.

    The sign of an axis says nothing; it is chosen so that the vector farthest out stands on the positive side.
    """
    centred = vectors.double() - vectors.double().mean(0)
    spread = centred.T @ centred if len(centred) > centred.shape[1] else centred  # the small side of the two
    axes = torch.linalg.svd(spread, full_matrices=False).Vh[:2]
    plane = F.pad(centred @ axes.T, (0, 2 - len(axes)))
    farthest = plane.gather(0, plane.abs().argmax(0, keepdim=True))
    return (plane * torch.where(farthest < 0, -1.0, 1.0)).float()
