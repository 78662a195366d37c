"""Search as an ONNX graph traces it: the rules of `decoding/` on tensors alone, for any number of hypotheses.

B inputs are still searched, with W hypotheses each: R = B*W rows of the model. At first there were A inputs. t tokens
are written. Sampling is a search with one hypothesis whose token is drawn. Sizes are tensors: a trace keeps them.
"""

# mypy: disable-error-code="call-overload, arg-type"
# sizes are tensors, which torch takes where it says int

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class SearchProgress(NamedTuple):
    """What a search has found so far."""

    totals: Tensor  # (B, W) float64, the log-probability of each hypothesis; -inf for none
    written: Tensor  # (R, t) its tokens
    gained: Tensor  # (R, t) float64, their log-probabilities
    live: Tensor  # (B) which of the A inputs are still searched
    ended: Tensor  # (A) how many sequences have ended
    scores: Tensor  # (A, n) float64, of the n best of them; -inf for none
    tokens: Tensor  # (A, n, t)
    log_probs: Tensor  # (A, n, t) float64
    counts: Tensor  # (A, n) how many of the t tokens each has


class Rules(NamedTuple):
    """When a sequence ends, and which are the best."""

    limits: Tensor  # (A) tokens at most
    truncating: Tensor  # (A) bool, whether one that is cut there is as good as others
    beam: Tensor  # () hypotheses of each input
    penalty: Tensor  # () float64, strength of the length penalty
    early: Tensor  # () bool, whether a search is over once `beam` sequences have ended
    stop: Tensor  # () the so-manieth <eos> ends a sequence; 0: none does


class Sampling(NamedTuple):
    """How tokens are drawn."""

    temperature: Tensor  # () float64; 0 for the most probable token
    top_k: Tensor  # () of so many; 0 for all
    top_p: Tensor  # () float64, of so much probability
    uniform: Tensor  # (A, L) float64, numbers in [0, 1) to draw with


def size(x: Tensor, axis: int) -> Tensor:
    """The size of an axis as a tensor, so that a trace computes with it."""
    return torch.zeros((), dtype=torch.int64) + x.shape[axis]


def constrain(logits: Tensor, written: Tensor, min_length: Tensor, prefix: Tensor, never: Tensor, eos: int) -> Tensor:
    """Logits (R, V) -> log-probabilities, -inf for what may not come. never (V): -inf for what may never come."""
    length, forced, tokens = size(written, 1), size(prefix, 0), torch.arange(logits.shape[1])
    asked = torch.cat([prefix, prefix.new_zeros(1)])[torch.minimum(length, forced)]
    too_early = torch.where((tokens == eos) & (length < min_length), -torch.inf, 0.0)
    others = torch.where(tokens == asked, 0.0, -torch.inf)
    return torch.log_softmax(logits, -1) + torch.where(length < forced, others, never + too_early)


def forbid_repeats(log_probs: Tensor, written: Tensor, no_repeat: Tensor, prefix: Tensor, eos: int) -> Tensor:
    """-inf for tokens that would complete an n-gram a second time; there are n tokens at least, and n is 1 or more."""
    places, start = torch.arange(no_repeat), size(written, 1) - no_repeat + 1
    runs = written[:, torch.arange(start)[:, None] + places]  # (R, runs, n)
    end = written[:, torch.minimum(start + places, size(written, 1) - 1)]  # (R, n), the last of no account
    again = ((runs != end[:, None]) & (places < no_repeat - 1)).sum(-1) == 0
    beside = torch.where(again, runs[..., -1], torch.zeros_like(runs[..., -1]) + log_probs.shape[1])  # no token
    marked = torch.zeros_like(torch.nn.functional.pad(log_probs, (0, 1)))
    marked = marked.scatter(1, beside, torch.zeros_like(beside, dtype=log_probs.dtype) - torch.inf)
    found = log_probs + marked[:, :-1]
    nothing = found.amax(-1, keepdim=True) == -torch.inf  # then the sequence ends
    found = torch.where(nothing & (torch.arange(found.shape[1]) == eos), torch.zeros_like(found), found)
    return torch.where(size(written, 1) < size(prefix, 0), log_probs, found)


def best_tokens(log_probs: Tensor, beam: Tensor) -> tuple[Tensor, Tensor]:
    """The most probable tokens of each row (R, V) -> log-probabilities and tokens (R, k), the best first."""
    wanted = torch.where(beam > 1, 2 * beam, beam)
    found = log_probs.topk(torch.minimum(wanted, size(log_probs, 1)))
    return found.values.double(), found.indices


def draw_tokens(
    log_probs: Tensor,
    written: Tensor,
    index: Tensor,
    temperature: Tensor,
    top_k: Tensor,
    top_p: Tensor,
    uniform: Tensor,
) -> tuple[Tensor, Tensor]:
    """As `best_tokens`, one that is drawn for each row: see `decoding.sampling.choose_tokens`."""
    below_best = log_probs.double() - log_probs.amax(-1, keepdim=True)
    found = torch.softmax(below_best / temperature, -1).topk(size(log_probs, 1))
    probs, everything = found.values, (top_p == 1.0) & (top_k == 0)
    keep = (probs.cumsum(-1) - probs < top_p) & ((top_k == 0) | (torch.arange(log_probs.shape[1]) < top_k))
    cumulative = torch.where(keep, probs, torch.zeros_like(probs)).cumsum(-1)
    mass = torch.where(everything, torch.ones_like(cumulative[:, -1:]), cumulative[:, -1:])
    drawn = uniform[index, size(written, 1)][:, None]
    place = (cumulative <= drawn * mass).sum(-1, keepdim=True)
    chosen = found.indices.gather(-1, torch.minimum(place, keep.sum(-1, keepdim=True) - 1))
    return log_probs.gather(-1, chosen).double(), chosen


class Chosen(NamedTuple):
    """How the model goes on."""

    more: Tensor  # () bool, whether anything is still searched
    rows: Tensor  # (R) of the model
    inputs: Tensor  # (B) among those of the step before
    newest: Tensor  # (R) the tokens that it reads next


def advance(
    values: Tensor, tokens: Tensor, so_far: SearchProgress, rules: Rules, eos: int
) -> tuple[Chosen, SearchProgress]:
    """Extend every hypothesis by the best next tokens (R, k) with their log-probabilities: see `beam_search.Beams`."""
    inputs, width, kept = size(so_far.totals, 0), size(so_far.totals, 1), size(values, 1)
    beam, index = rules.beam, so_far.live
    sums = (so_far.totals.reshape(-1, 1) + values).reshape(inputs, width * kept)
    count = torch.minimum(2 * beam, width * kept)
    totals, order = sums.topk(count)
    each = torch.arange(inputs)[:, None]
    rows = torch.div(order, kept, rounding_mode="floor") + each * width  # (B, C) of the model
    picked = rows * kept + order % kept
    token, gain = tokens.flatten()[picked], values.flatten()[picked]
    written = torch.cat([so_far.written[rows], token[..., None]], 2)  # (B, C, t + 1)
    gained = torch.cat([so_far.gained[rows], gain[..., None]], 2)
    length = size(so_far.written, 1) + 1

    possible = totals > -torch.inf
    ends = possible & (token == eos) & ((written == eos).sum(-1) == rules.stop)
    grows = possible & ~ends
    rank = torch.arange(count)
    first_ends = ends & (rank < beam)
    ended = so_far.ended[index] + first_ends.sum(1)
    full = length >= rules.limits[index]
    wanted = size(so_far.scores, 1)
    cut = full & (rules.truncating[index] | (ended < wanted))
    finished = first_ends | (cut[:, None] & grows & (grows.to(torch.int64).cumsum(1) <= beam))

    none = torch.full_like(totals, -torch.inf)
    new = torch.where(finished, totals / penalty_of(length, rules.penalty), none)
    best = torch.cat([so_far.scores[index], new], 1).topk(wanted)
    flat = (each * (wanted + count) + best.indices).flatten()
    found_tokens = merged(so_far.tokens[index], written, flat)
    found_gains = merged(so_far.log_probs[index], gained, flat)
    counts = torch.cat([so_far.counts[index], torch.zeros_like(order) + length], 1).flatten()[flat]

    going = torch.where(grows, count - rank, -rank).topk(torch.minimum(beam, count)).indices
    here = grows.gather(1, going)
    after = torch.where(here, totals.gather(1, going), none.gather(1, going))
    over = best.values[:, -1] >= after[:, 0] / penalty_of(rules.limits[index], rules.penalty)
    enough = (ended >= beam) & (rules.early | (beam == 1))
    done = full | ~here[:, 0] | ((ended >= wanted) & (over | enough))
    more = (~done).any()
    stay = (~done | (~more & (torch.arange(inputs) == 0))).nonzero()[:, 0]  # one at least: no batch is empty
    places = (each * count + going)[stay].flatten()
    chosen = Chosen(more, rows.flatten()[places], stay, token.flatten()[places])
    return chosen, SearchProgress(
        after[stay],
        written.flatten(0, 1)[places],
        gained.flatten(0, 1)[places],
        index[stay],
        so_far.ended.index_put((index,), ended),
        so_far.scores.index_put((index,), best.values),
        longer(so_far.tokens).index_put((index,), found_tokens.reshape(inputs, wanted, length)),
        longer(so_far.log_probs).index_put((index,), found_gains.reshape(inputs, wanted, length)),
        so_far.counts.index_put((index,), counts.reshape(inputs, wanted)),
    )


def merged(before: Tensor, new: Tensor, places: Tensor) -> Tensor:
    """Of sequences (B, n, t) and new ones (B, C, t + 1), one after the other, those at places (P, t + 1)."""
    return torch.cat([longer(before), new], 1).flatten(0, 1)[places]


def longer(sequences: Tensor) -> Tensor:
    """Room for a token more: (B, n, t) -> (B, n, t + 1)."""
    return torch.nn.functional.pad(sequences, (0, 1))


def penalty_of(length: Tensor, strength: Tensor) -> Tensor:
    """See `decoding.hypotheses.length_penalty`."""
    return ((5 + length.double()) / 6) ** strength
