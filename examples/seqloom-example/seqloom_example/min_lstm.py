"""A cell: equations and nothing else. seqloom makes its weights and runs it."""

from seqloom.equations import equations, sigmoid


@equations
def min_lstm(x, h, *, W_f, b_f, W_i, b_i, W_h, b_h):
    """Minimal long short-term memory (minLSTM).

    Paper: L. Feng et al., Were RNNs all we needed?, 2024.

    x    (D)     the input of this step
    h    (H)     the hidden state
    W_f  (D, H)  from the input to the forget gate
    b_f  (H)     the bias of the forget gate
    W_i  (D, H)  from the input to the input gate
    b_i  (H)     the bias of the input gate
    W_h  (D, H)  from the input to the candidate
    b_h  (H)     the bias of the candidate
    """
    f = sigmoid(x @ W_f + b_f)  # the forget gate: how much of the old state is kept
    i = sigmoid(x @ W_i + b_i)  # the input gate: how much of the candidate is taken
    h_tilde = x @ W_h + b_h  # the candidate for the new state
    h = (f * h + i * h_tilde) / (f + i)  # the new hidden state: a weighted mean of both
    return h
