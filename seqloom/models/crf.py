"""The linear-chain conditional random field: tags of a sentence are chosen together, not one by one."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.equations import (
    Part,
    add_at_ends,
    but_first,
    but_last,
    equations,
    highest,
    last,
    log_sum_exp,
    scan,
    scan_back,
    softmax,
)

FORBIDDEN = -1e3
"""The score of a transition that may not be: e to this is nothing, and a gradient of it is still a number."""


@equations
def forward_step(u, m, *, A):
    """The forward algorithm: one step.

    Paper: L. Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition,
    Proceedings of the IEEE 77, 1989.

    u  (V)     the scores of the tags at this position
    m  (V)     for each tag, what all paths up to the position before bring to it
    A  (V, V)  the score of each transition, from a tag to the next
    """
    alpha = u + m  # the log-weight of all paths that end here, for each tag
    m = log_sum_exp(A.T + alpha)  # summed over this tag: what they bring to each tag of the next position
    return alpha, m


@equations
def viterbi_step(u, m, *, A):
    """The Viterbi algorithm: one step, the same with the best path in place of all.

    Paper: A. Viterbi, Error bounds for convolutional codes and an asymptotically optimum decoding algorithm, IEEE
    Transactions on Information Theory 13, 1967.

    u  (V)     the scores of the tags at this position
    m  (V)     for each tag, what the best path up to the position before brings to it
    A  (V, V)  the score of each transition, from a tag to the next
    """
    delta = u + m  # the score of the best path that ends here, for each tag
    Q = (A.T + delta).T  # of the best path through this tag to each tag of the next position
    m = highest(Q)  # the best of them
    return delta, m


@equations
def linear_chain_crf(Z, *, a, b, fwd=forward_step, bwd=forward_step):
    """Linear-chain conditional random field: the probability of each tag, over all paths.

    Paper: J. Lafferty, A. McCallum, F. Pereira, Conditional random fields: probabilistic models for segmenting and
    labeling sequence data, ICML 2001.

    Z  (T, V)  the logits of the tags at each position
    a  (V)     the score of each tag at the first position
    b  (V)     the score of each tag at the last position
    """
    U = add_at_ends(Z, a, b)  # the scores of the tags, with those of beginning and end
    F = scan(fwd, U)  # the log-weight of all paths up to each position
    R = scan_back(bwd, U)  # the log-weight of all paths from each position on
    P = softmax(F + R - U)  # the probability of each tag: the share of the paths through it
    return P


@equations
def crf_loss(Z, y, *, a, A, b, fwd=forward_step):
    """The negative log-likelihood of a path under a linear-chain conditional random field.

    Paper: J. Lafferty, A. McCallum, F. Pereira, Conditional random fields: probabilistic models for segmenting and
    labeling sequence data, ICML 2001.

    Z  (T, V)  the logits of the tags at each position
    y  (T)     index, the right tags
    a  (V)     the score of each tag at the first position
    A  (V, V)  the score of each transition, from a tag to the next
    b  (V)     the score of each tag at the last position
    """
    U = add_at_ends(Z, a, b)  # the scores of the tags, with those of beginning and end
    r = sum(u_t[y_t] for u_t, y_t in zip(U, y))  # the scores of the right tags
    s = r + sum(A[i_t][j_t] for i_t, j_t in zip(but_last(y), but_first(y)))  # and of the transitions between them
    F = scan(fwd, U)  # the log-weight of all paths up to each position
    log_Z = log_sum_exp(last(F))  # that of all paths: the partition function
    loss = log_Z - s  # small where the right path has most of the weight
    return loss


@equations
def viterbi(Z, *, a, b, fwd=viterbi_step, bwd=viterbi_step):
    """Viterbi decoding: the score of the best path through each tag; the best path has the highest at every position.

    Paper: A. Viterbi, Error bounds for convolutional codes and an asymptotically optimum decoding algorithm, IEEE
    Transactions on Information Theory 13, 1967.

    Z  (T, V)  the logits of the tags at each position
    a  (V)     the score of each tag at the first position
    b  (V)     the score of each tag at the last position
    """
    U = add_at_ends(Z, a, b)  # the scores of the tags, with those of beginning and end
    F = scan(fwd, U)  # the score of the best path up to each position
    R = scan_back(bwd, U)  # the score of the best path from each position on
    M = F + R - U  # the score of the best path through each tag
    return M


class LinearChainCRF(nn.Module):
    """Scores of transitions between tags; what may not follow is forbidden by a mask.

    allowed  (V+1, V+1)  bool, True where a tag may follow another; last the beginning and the end
    """

    definition = linear_chain_crf
    barred: Tensor  # (V+1, V+1) added to the scores: 0, or what forbids a transition

    def __init__(self, tags: int, allowed: Tensor | None = None) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(tags + 1, tags + 1))  # nothing is known; the corner is not used
        barred = torch.zeros_like(self.scores)
        if allowed is not None:
            barred = barred.masked_fill(~allowed.to(barred.device), FORBIDDEN)
        self.register_buffer("barred", barred, persistent=False)  # it follows from the tags

    def symbols(self) -> dict[str, Tensor]:
        scores = self.scores + self.barred
        return {"a": scores[-1, :-1], "A": scores[:-1, :-1], "b": scores[:-1, -1]}

    def loss(self, z: Tensor, y: Tensor, lengths: Tensor) -> Tensor:
        """The negative log-likelihood, summed over sentences.

        z        (B, T, V)  the logits of the tags; behind the end of a sentence may stand anything
        y        (B, T)     the right tags
        lengths  (B)        how many words each sentence has
        """
        lengths, z, y = compact(lengths, z, y)
        if not len(lengths):
            return z.sum() * 0
        u, real = self.with_ends(z, lengths)
        A = self.symbols()["A"]
        chosen = u.gather(2, y[..., None])[..., 0].masked_fill(~real, 0.0).sum()
        steps = A[y[:, :-1], y[:, 1:]].masked_fill(~real[:, 1:], 0.0).sum()
        alpha = u[:, 0]
        for t in range(1, u.shape[1]):
            new = u[:, t] + torch.logsumexp(alpha[:, :, None] + A, 1)
            alpha = torch.where(real[:, t, None], new, alpha)
        return torch.logsumexp(alpha, -1).sum() - chosen - steps

    def forward(self, z: Tensor, lengths: Tensor) -> Tensor:
        """The probability of each tag over all paths: z (B, T, V) -> (B, T, V), zeros behind the end."""
        u, real = self.with_ends(z, lengths)
        A = self.symbols()["A"]
        up, down = self.messages(u, A), self.messages_back(u, A, real)
        return torch.softmax(up + down, -1).masked_fill(~real[..., None], 0.0)

    def messages(self, u: Tensor, A: Tensor) -> Tensor:
        """The log-weight of all paths up to each position, tag by tag: (B, T, V)."""
        found = [u[:, 0]] if u.shape[1] else []
        for t in range(1, u.shape[1]):
            found.append(u[:, t] + torch.logsumexp(found[-1][:, :, None] + A, 1))
        return torch.stack(found, 1) if found else u

    def messages_back(self, u: Tensor, A: Tensor, real: Tensor) -> Tensor:
        """The log-weight of all paths from behind each position on: (B, T, V); nothing behind the end."""
        beta = torch.zeros_like(u[:, 0]) if u.shape[1] else u
        found = []
        for t in range(u.shape[1] - 1, -1, -1):
            found.append(beta)
            beta = torch.where(real[:, t, None], torch.logsumexp(A + (u[:, t] + beta)[:, None], 2), 0.0)
        return torch.stack(found[::-1], 1) if found else u

    def decode(self, z: Tensor, lengths: Tensor) -> list[list[int]]:
        """The best path of each sentence (Viterbi): z (B, T, V) -> as many tags as there are words."""
        u, real = self.with_ends(z, lengths)
        if not u.shape[1]:
            return [[] for _ in u]
        A = self.symbols()["A"]
        delta, back = u[:, 0], []
        stay = torch.arange(A.shape[0], device=u.device).expand_as(delta)
        for t in range(1, u.shape[1]):
            best, before = (delta[:, :, None] + A).max(1)
            delta = torch.where(real[:, t, None], u[:, t] + best, delta)
            back.append(torch.where(real[:, t, None], before, stay))
        path = [delta.argmax(-1)]
        for before in reversed(back):
            path.append(before.gather(1, path[-1][:, None])[:, 0])
        tags = torch.stack(path[::-1], 1).tolist()
        return [row[:length] for row, length in zip(tags, lengths.tolist(), strict=True)]

    def with_ends(self, z: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Scores with those of beginning and end, and which positions are real: (B, T, V), (B, T)."""
        symbols = self.symbols()
        z = z.float() if z.dtype == torch.bfloat16 else z
        places = torch.arange(z.shape[1], device=z.device)
        first, end = places == 0, places == lengths[:, None] - 1
        u = z + first[:, None] * symbols["a"] + end[..., None] * symbols["b"]
        return u, places < lengths[:, None]

    def part(self) -> Part:
        """The probabilities of the tags of one sentence as equations, with the scores of transitions."""
        return self.chain(linear_chain_crf, forward_step)

    def viterbi_part(self) -> Part:
        """The best path of one sentence as equations."""
        return self.chain(viterbi, viterbi_step)

    def loss_part(self) -> Part:
        """The loss of one sentence as equations."""
        symbols = self.symbols()
        return Part(crf_loss, {**symbols, "fwd": Part(forward_step, {"A": symbols["A"]})})

    def chain(self, whole, step) -> Part:
        symbols = self.symbols()
        A = symbols.pop("A")
        return Part(whole, {**symbols, "fwd": Part(step, {"A": A}), "bwd": Part(step, {"A": A.T})})


def compact(lengths: Tensor, z: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Without sentences that have no words; tags of padding become any tag."""
    some = lengths > 0
    return lengths[some], z[some], y[some].clamp_min(0)
