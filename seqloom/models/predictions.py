"""What logits stand for: the probabilities of labels, of each label by itself, or a number."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from seqloom.equations import Equations, concat, equations, sigmoid, softmax


@equations
def label_probabilities(z):
    """One of several labels: a softmax over their logits.

    Paper: J. Bridle, Probabilistic interpretation of feedforward classification network outputs, Neurocomputing, 1990.

    z  (V)  the logits
    """
    p = softmax(z)  # the probability of each label; together 1
    return p


@equations
def two_label_probabilities(z):
    """One of two labels: a sigmoid of a single logit.

    Paper: D. Cox, The regression analysis of binary sequences, JRSS B 20, 1958.

    z  (1)  the logit of the second label
    """
    s = sigmoid(z)  # the probability of the second label
    p = concat(1 - s, s)  # those of both
    return p


@equations
def label_by_label(z):
    """Any number of labels: a sigmoid for each.

    Paper: M. Zhang, Z. Zhou, Multilabel neural networks, IEEE TKDE 18, 2006.

    z  (V)  the logits
    """
    p = sigmoid(z)  # the probability of each label, independent of the others
    return p


@equations
def rescaled_number(z, *, mu, sigma):
    """A number: the prediction in units of the training data.

    Paper: C. Bishop, Neural networks for pattern recognition, 1995.

    z      (1)  the prediction, with mean 0 and standard deviation 1
    mu     ()   the mean of the numbers in the training data
    sigma  ()   their standard deviation
    """
    y = mu + sigma * z  # the number itself
    return y


ANSWERS: dict[str, Equations[..., object]] = {
    "label": label_probabilities,
    "pair": two_label_probabilities,
    "labels": label_by_label,
    "number": rescaled_number,
}
