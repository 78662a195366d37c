"""From token id to embedding: as a look-up, and as a product with a one-hot vector."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.equations import equations, one_hot
from seqloom.layers.base import Layer, Symbols, layer


@equations
def embedding(w, *, E):
    """Embedding as a look-up.

    Paper: Y. Bengio et al., A neural probabilistic language model, JMLR 3, 2003.

    w  ()      index, the token id
    E  (V, D)  the embedding matrix: a vector for each token
    """
    x = E[w]  # the embedding of the token
    return x


@equations
def one_hot_embedding(w, *, E, V):
    """Embedding as a product: a one-hot vector times the matrix picks an embedding.

    Paper: Y. Bengio et al., A neural probabilistic language model, JMLR 3, 2003.

    w  ()      index, the token id; below 0 for an unknown token
    E  (V, D)  the embedding matrix: a vector for each token
    V  int     the size of the vocabulary
    """
    e = one_hot(w, V)  # the one-hot vector: zeros, and a 1 at the token id
    x = e @ E  # the embedding of the token
    return x


@layer(embedding)
class Embedding(Layer):
    """Embedding as a look-up."""

    def __init__(self, vocab: int, width: int) -> None:
        super().__init__()
        self.E = nn.Parameter(torch.randn(vocab, width) * width**-0.5)  # vectors of about length 1

    def forward(self, w: Tensor) -> Tensor:
        """An embedding for each token id: w (B, T), from 0 to below V -> (B, T, D)."""
        return F.embedding(w, self.E)

    def symbols(self) -> Symbols:
        return {"E": self.E}


@layer(one_hot_embedding)
class OneHotEmbedding(Embedding):
    """Embedding as a product with a one-hot vector, zero for an unknown token; as fast as a look-up."""

    def forward(self, w: Tensor) -> Tensor:
        """An embedding for each token id: w (B, T), below 0 for an unknown token -> (B, T, D), there zeros."""
        return F.embedding(w.clamp(min=0), self.E).masked_fill((w < 0)[..., None], 0.0)

    def symbols(self) -> Symbols:
        return {"E": self.E, "V": len(self.E)}
