"""Seven ways to score how well a key fits a query; any of them drives soft attention."""

import torch
from torch import Tensor, nn
from torch.nn.init import xavier_uniform_

from seqloom.equations import concat, dim, equations, norm, sqrt, tanh, where
from seqloom.errors import ShapeError, UnknownName
from seqloom.layers.base import Layer, Symbols, layer


@equations
def additive(q, k, *, W, U, v):
    """Additive score.

    Paper: D. Bahdanau, K. Cho, Y. Bengio, Neural machine translation by jointly learning to align and
    translate, ICLR 2015.

    q  (H)     the query: who asks
    k  (D)     the key: who may answer
    W  (H, K)  from the query to where both meet
    U  (D, K)  from the key to where both meet
    v  (K)     from there to one number
    """
    e = tanh(q @ W + k @ U) @ v  # the two meet, and one number comes out
    return e


@equations
def dot(q, k):
    """Dot product score.

    Paper: M. Luong, H. Pham, C. Manning, Effective approaches to attention-based neural machine
    translation, EMNLP 2015.

    q  (D)  the query: who asks
    k  (D)  the key: who may answer
    """
    e = q @ k  # large when both point the same way
    return e


@equations
def scaled_dot(q, k):
    """Scaled dot product score.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    q  (D)  the query: who asks
    k  (D)  the key: who may answer
    """
    e = q @ k / sqrt(dim(k))  # its variance no longer grows with the width
    return e


@equations
def bilinear(q, k, *, W):
    """Bilinear score, the `general` one of its paper.

    Paper: M. Luong, H. Pham, C. Manning, Effective approaches to attention-based neural machine
    translation, EMNLP 2015.

    q  (H)     the query: who asks
    k  (D)     the key: who may answer
    W  (H, D)  which entry of the query should meet which of the key
    """
    e = q @ W @ k  # a dot product between different kinds of rows
    return e


@equations
def cosine(q, k):
    """Cosine score.

    Paper: A. Graves, G. Wayne, I. Danihelka, Neural Turing machines, 2014.

    q  (D)  the query: who asks
    k  (D)  the key: who may answer
    """
    n = norm(q) * norm(k)  # how long the two are
    e = where(n > 0, q @ k / n, 0)  # the angle alone; a row of zeros has none
    return e


@equations
def mlp_score(q, k, *, W_1, b_1, w_2, b_2):
    """Score by a network of two layers on query and key put end to end.

    Paper: D. Bahdanau, K. Cho, Y. Bengio, Neural machine translation by jointly learning to align and
    translate, ICLR 2015, where the network may be any.

    q    (H)       the query: who asks
    k    (D)       the key: who may answer
    W_1  (H+D, F)  the first layer
    b_1  (F)       its bias
    w_2  (F)       the second layer
    b_2  ()        its bias
    """
    u = tanh(concat(q, k) @ W_1 + b_1)  # what the two have to do with each other
    e = u @ w_2 + b_2  # in one number
    return e


@equations
def projected(q, k, *, W_q, W_k):
    """Dot product score after a projection of each.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, before the scaling.

    q    (H)     the query: who asks
    k    (D)     the key: who may answer
    W_q  (H, K)  from the query to a common space
    W_k  (D, K)  from the key to a common space
    """
    e = (q @ W_q) @ (k @ W_k)  # compared in a space made for comparing
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
        return k @ self.U

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return torch.tanh((q @ self.W)[:, :, None] + keys[:, None]) @ self.v  # (B, T, S, K) @ (K)

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
    """Cosine score; query and key have one width. A row of zeros has no angle, and scores 0."""

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
        lower = self.W_1[self.query_width :]  # [q; k] W_1 = q upper + k lower: no pair is put end to end
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
    """The score of that name between rows of these widths; `hidden` is for those that have a middle."""
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
    """Rows made 1 long, with an ordinary gradient where all is zero. x (..., D) -> (..., D)"""
    length: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / length.masked_fill(length == 0, 1.0)
