"""A recurrent cell of your own: a few equations are a model that trains, predicts, explains itself and is served.

seqloom train --task classify --data reviews.tsv --model min_gru:min_gru --out runs/reviews
seqloom explain runs/reviews "a wonderful film" --html page.html
"""

from seqloom.equations import equations, sigmoid


@equations
def min_gru(x, h, *, W_z, b_z, W_h, b_h):
    """Minimal gated recurrent unit (minGRU).

    Paper: L. Feng et al., Were RNNs all we needed?, 2024.

    x    (D)     the input of this step
    h    (H)     the hidden state
    W_z  (D, H)  from the input to the update gate
    b_z  (H)     the bias of the update gate
    W_h  (D, H)  from the input to the candidate
    b_h  (H)     the bias of the candidate
    """
    z = sigmoid(x @ W_z + b_z)  # the update gate: how much of the state is replaced
    h_tilde = x @ W_h + b_h  # the candidate for the new state
    h = (1 - z) * h + z * h_tilde  # the new hidden state
    return h
