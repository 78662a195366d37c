"""Seven attention scores: how well a key matches a query; any of them drives soft attention."""

import torch
from torch import Tensor, nn
from torch.nn.init import xavier_uniform_

from seqloom.equations import concat, dim, equations, norm, sqrt, tanh, where
from seqloom.errors import ShapeError, UnknownName
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.packed_weights import product


@equations
def additive(q, k, *, W, U, v):
    """Additive score.

    Paper: D. Bahdanau, K. Cho, Y. Bengio, Neural machine translation by jointly learning to align and
    translate, ICLR 2015.

    q  (H)     the query
    k  (D)     the key
    W  (H, K)  projects the query
    U  (D, K)  projects the key
    v  (K)     weights of the sum
    """
    e = tanh(q @ W + k @ U) @ v  # the score: both projections in one hidden layer
    return e


@equations
def dot(q, k):
    """Dot product score.

    Paper: M. Luong, H. Pham, C. Manning, Effective approaches to attention-based neural machine
    translation, EMNLP 2015.

    q  (D)  the query
    k  (D)  the key
    """
    e = q @ k  # large where query and key point the same way
    return e


@equations
def scaled_dot(q, k):
    """Scaled dot product score.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    q  (D)  the query
    k  (D)  the key
    """
    e = q @ k / sqrt(dim(k))  # scaled, so that the variance does not grow with the width
    return e


@equations
def bilinear(q, k, *, W):
    """Bilinear score, the `general` one of its paper.

    Paper: M. Luong, H. Pham, C. Manning, Effective approaches to attention-based neural machine
    translation, EMNLP 2015.

    q  (H)     the query
    k  (D)     the key
    W  (H, D)  which component of the query is compared with which of the key
    """
    e = q @ W @ k  # a dot product through a learned matrix
    return e


@equations
def cosine(q, k):
    """Cosine score.

    Paper: A. Graves, G. Wayne, I. Danihelka, Neural Turing machines, 2014.

    q  (D)  the query
    k  (D)  the key
    """
    n = norm(q) * norm(k)  # the product of both lengths
    e = where(n > 0, q @ k / n, 0)  # the cosine of the angle; 0 for a zero vector
    return e


@equations
def mlp_score(q, k, *, W_1, b_1, w_2, b_2):
    """Score by a network of two layers on the concatenated query and key.

    Paper: D. Bahdanau, K. Cho, Y. Bengio, Neural machine translation by jointly learning to align and
    translate, ICLR 2015, where the network may be any.

    q    (H)       the query
    k    (D)       the key
    W_1  (H+D, F)  the first layer
    b_1  (F)       its bias
    w_2  (F)       the second layer
    b_2  ()        its bias
    """
    u = tanh(concat(q, k) @ W_1 + b_1)  # the hidden layer on query and key together
    e = u @ w_2 + b_2  # the score
    return e


@equations
def projected(q, k, *, W_q, W_k):
    """Dot product score after a projection of each.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, before the scaling.

    q    (H)     the query
    k    (D)     the key
    W_q  (H, K)  projects the query to a common space
    W_k  (D, K)  projects the key to a common space
    """
    e = (q @ W_q) @ (k @ W_k)  # a dot product in a learned common space
    return e


class Score(Layer):
    """Scores every key for every query. `prepare` does what needs the keys alone: once for many queries."""

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        """Score all pairs.

        q     (B, T, H)  the queries
        k     (B, S, D)  the keys
        -> e  (B, T, S)  a score for each pair
        """
        return self.compare(q, self.prepare(k))

    def prepare(self, k: Tensor) -> Tensor:
        """The half that knows the keys: k (B, S, D) -> what `compare` takes, (B, S, ...)."""
        return k

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        """The half that knows the queries: q (B, T, H) and what `prepare` made -> e (B, T, S)."""
        return q @ keys.mT


@layer(additive)
class Additive(Score):
    """Additive score; query and key may have different widths."""

    def __init__(self, query_width: int, key_width: int, hidden: int) -> None:
        super().__init__()
        self.W = nn.Parameter(xavier_uniform_(torch.empty(query_width, hidden)))
        self.U = nn.Parameter(xavier_uniform_(torch.empty(key_width, hidden)))
        self.v = nn.Parameter(torch.randn(hidden) * hidden**-0.5)

    def prepare(self, k: Tensor) -> Tensor:
        return product(k, self.U.T)

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return torch.tanh(product(q, self.W.T)[:, :, None] + keys[:, None]) @ self.v  # (B, T, S, K) @ (K)

    def symbols(self) -> Symbols:
        return {"W": self.W, "U": self.U, "v": self.v}


@layer(dot)
class Dot(Score):
    """Dot product score; query and key have one width."""


@layer(scaled_dot)
class ScaledDot(Score):
    """Scaled dot product score; query and key have one width."""

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return q / sqrt(keys.shape[-1]) @ keys.mT  # q is smaller than e


@layer(bilinear)
class Bilinear(Score):
    """Bilinear score; query and key may have different widths."""

    def __init__(self, query_width: int, key_width: int) -> None:
        super().__init__()
        self.W = nn.Parameter(xavier_uniform_(torch.empty(query_width, key_width)))

    def prepare(self, k: Tensor) -> Tensor:
        return k @ self.W.T

    def symbols(self) -> Symbols:
        return {"W": self.W}


@layer(cosine)
class Cosine(Score):
    """Cosine score; query and key have one width. A zero vector has no angle, and scores 0."""

    def prepare(self, k: Tensor) -> Tensor:
        return unit(k)

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return unit(q) @ keys.mT


@layer(mlp_score)
class MLPScore(Score):
    """Score by a network of two layers; query and key may have different widths."""

    def __init__(self, query_width: int, key_width: int, hidden: int) -> None:
        super().__init__()
        self.query_width = query_width
        self.W_1 = nn.Parameter(xavier_uniform_(torch.empty(query_width + key_width, hidden)))
        self.b_1 = nn.Parameter(torch.zeros(hidden))
        self.w_2 = nn.Parameter(torch.randn(hidden) * hidden**-0.5)
        self.b_2 = nn.Parameter(torch.zeros(()))

    def prepare(self, k: Tensor) -> Tensor:
        lower = self.W_1[self.query_width :]  # [q; k] W_1 = q upper + k lower: no pair is concatenated
        return k @ lower + self.b_1

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        upper = self.W_1[: self.query_width]
        u = torch.tanh((q @ upper)[:, :, None] + keys[:, None])  # (B, T, S, F)
        return u @ self.w_2 + self.b_2

    def symbols(self) -> Symbols:
        return {"W_1": self.W_1, "b_1": self.b_1, "w_2": self.w_2, "b_2": self.b_2}


@layer(projected)
class Projected(Score):
    """Dot product score after a projection of each; query and key may have different widths."""

    def __init__(self, query_width: int, key_width: int, hidden: int) -> None:
        super().__init__()
        self.W_q = nn.Parameter(xavier_uniform_(torch.empty(query_width, hidden)))
        self.W_k = nn.Parameter(xavier_uniform_(torch.empty(key_width, hidden)))

    def prepare(self, k: Tensor) -> Tensor:
        return k @ self.W_k

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return (q @ self.W_q) @ keys.mT

    def symbols(self) -> Symbols:
        return {"W_q": self.W_q, "W_k": self.W_k}


SCORES: dict[str, type[Score]] = {
    "additive": Additive,
    "dot": Dot,
    "scaled_dot": ScaledDot,
    "bilinear": Bilinear,
    "cosine": Cosine,
    "mlp_score": MLPScore,
    "projected": Projected,
}


def score_called(name: str, query_width: int, key_width: int, hidden: int) -> Score:
    """The score of that name for vectors of these widths; `hidden` is for those with a hidden layer."""
    match name:
        case "additive" | "mlp_score" | "projected":
            return SCORES[name](query_width, key_width, hidden)
        case "bilinear":
            return Bilinear(query_width, key_width)
        case "dot" | "scaled_dot" | "cosine":
            if query_width != key_width:
                raise ShapeError(
                    f"the score {name} cannot compare queries {query_width} wide with keys {key_width} wide",
                    remedy="make the widths equal, or choose bilinear, additive, mlp_score or projected",
                )
            return SCORES[name]()
    raise UnknownName("score", name, SCORES)


def unit(x: Tensor) -> Tensor:
    """Vectors scaled to length 1; a zero vector stays, with a finite gradient. x (..., D) -> (..., D)"""
    length: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / length.masked_fill(length == 0, 1.0)
