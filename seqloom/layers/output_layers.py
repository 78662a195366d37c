"""Heads: from vectors to logits of labels or tokens."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.init import xavier_uniform_

from seqloom.equations import equations, flatten, relu, sigmoid, softmax
from seqloom.errors import SeqloomError, ShapeError
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.packed_weights import product


@equations
def logistic_regression(X, *, w, b):
    """Logistic regression on all vectors of a sentence, end to end.

    Paper: D. Cox, The regression analysis of binary sequences, JRSS B 20, 1958.

    X  (T, D)  the embeddings, one for each position
    w  (T*D)   a weight for every entry of every position
    b  ()      the bias
    """
    x = flatten(X)  # all embeddings end to end: one long vector
    z = x @ w + b  # the logit: the evidence for the label
    p = sigmoid(z)  # the probability of the label
    return p


@equations
def linear_head(X, *, W, b):
    """Linear classifier on all vectors of a sentence, end to end.

    Paper: D. Cox, The regression analysis of binary sequences, JRSS B 20, 1958.

    X  (T, D)    the embeddings, one for each position
    W  (T*D, V)  a weight for every entry of every position and every label
    b  (V)       the bias
    """
    x = flatten(X)  # all embeddings end to end: one long vector
    z = x @ W + b  # the logits
    return z


@equations
def mlp(X, *, W_1, b_1, W_2, b_2):
    """Multi-layer perceptron on all vectors of a sentence, end to end.

    Paper: D. Rumelhart, G. Hinton, R. Williams, Learning representations by back-propagating errors,
    Nature 323, 1986.

    X    (T, D)    the embeddings, one for each position
    W_1  (T*D, F)  the weights of the hidden layer
    b_1  (F)       its bias
    W_2  (F, V)    the weights of the output layer
    b_2  (V)       its bias
    """
    x = flatten(X)  # all embeddings end to end: one long vector
    u = relu(x @ W_1 + b_1)  # the hidden layer
    z = u @ W_2 + b_2  # the logits of the labels
    return z


@equations
def readout(h, *, W_hy, b_y):
    """Readout: from a hidden state to the logits of tokens or labels.

    Paper: J. Elman, Finding structure in time, Cognitive Science 14, 1990.

    h     (H)     the hidden state
    W_hy  (H, V)  from the hidden state to the logits
    b_y   (V)     the bias
    """
    y = h @ W_hy + b_y  # the logits
    return y


@equations
def temperature(z, tau):
    """Softmax with a temperature: cold makes it certain, hot makes it even.

    Paper: D. Ackley, G. Hinton, T. Sejnowski, A learning algorithm for Boltzmann machines, Cognitive
    Science 9, 1985.

    z    (V)  the scores
    tau  ()   the temperature, above 0
    """
    p = softmax(z / tau)  # the same order, sharper or flatter
    return p


@layer(logistic_regression)
class LogisticRegression(Layer):
    """Logistic regression; a shorter sentence is read as one with zeros after it."""

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(length * width))
        self.b = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """The evidence.

        x     (B, T, D)  the tokens
        mask  (B, T)     bool, True for tokens; None when there is no padding
        -> z  (B)        the logits
        """
        x = end_to_end(x, mask, limit=len(self.w))
        return x @ self.w[: x.shape[1]] + self.b

    def distribution(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """The evidence as a probability: arguments of `forward` -> p (B)."""
        return torch.sigmoid(self.forward(x, mask))

    def symbols(self) -> Symbols:
        return {"w": self.w, "b": self.b}


@layer(mlp)
class MLP(Layer):
    """Multi-layer perceptron; a shorter sentence is read as one with zeros after it."""

    def __init__(self, length: int, width: int, hidden: int, labels: int) -> None:
        super().__init__()
        self.W_1 = nn.Parameter(xavier_uniform_(torch.empty(length * width, hidden)))
        self.b_1 = nn.Parameter(torch.zeros(hidden))
        self.W_2 = nn.Parameter(xavier_uniform_(torch.empty(hidden, labels)))
        self.b_2 = nn.Parameter(torch.zeros(labels))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """The evidence for each label.

        x     (B, T, D)  the tokens
        mask  (B, T)     bool, True for tokens; None when there is no padding
        -> z  (B, V)     the logits
        """
        x = end_to_end(x, mask, limit=len(self.W_1))
        u = F.relu(F.linear(x, self.W_1[: x.shape[1]].T, self.b_1))
        return F.linear(u, self.W_2.T, self.b_2)

    def symbols(self) -> Symbols:
        return {"W_1": self.W_1, "b_1": self.b_1, "W_2": self.W_2, "b_2": self.b_2}


@layer(readout)
class Readout(Layer):
    """Readout: a logit for every token or label."""

    def __init__(self, width: int, vocab: int) -> None:
        super().__init__()
        self.W_hy = nn.Parameter(xavier_uniform_(torch.empty(width, vocab)))
        self.b_y = nn.Parameter(torch.zeros(vocab))

    def forward(self, h: Tensor) -> Tensor:
        """h (..., H) -> y (..., V)"""
        return product(h, self.W_hy.T, self.b_y)

    def symbols(self) -> Symbols:
        return {"W_hy": self.W_hy, "b_y": self.b_y}


@layer(temperature)
class Temperature(Layer):
    """Softmax with a temperature, chosen anew at each call."""

    def forward(self, z: Tensor, tau: float | Tensor) -> Tensor:
        """z (..., V), and tau above 0, one or one for each vector (..., 1) -> p (..., V)."""
        if isinstance(tau, float | int) and tau <= 0:
            raise SeqloomError(
                f"a temperature of {tau} is not above 0",
                remedy="for the most probable token alone take the largest logit",
            )
        return torch.softmax(z / tau, -1)


def end_to_end(x: Tensor, mask: Tensor | None, limit: int) -> Tensor:
    """Tokens in one long vector, zeros for padding: x (B, T, D), mask (B, T) -> (B, T*D)."""
    if x[0].numel() > limit:
        length = limit // x.shape[2]
        raise ShapeError(
            f"{x.shape[1]} tokens, and there are weights for {length}",
            remedy=f"shorten the sentences to {length}, or make the layer {x.shape[1]} long",
        )
    return (x if mask is None else x.masked_fill(~mask[..., None], 0.0)).flatten(1)
