"""Beam search: the best few hypotheses are followed side by side, for a batch of inputs; a beam of 1 is greedy.

The hypotheses of all inputs are arrays (B inputs, W hypotheses each), and what was chosen in each step is kept as
back-pointers (`hypotheses.History`). The model runs on rows, W for each input; an input that is done leaves the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import (
    DecodedSequence,
    DecodingUpdate,
    History,
    Numbers,
    Scores,
    StepRecord,
    TopTokens,
    decoded,
    length_penalty,
)
from seqloom.decoding.settings import DecodingOptions
from seqloom.decoding.stepper import Step, Stepper

Flags = NDArray[np.bool_]


def beam_search(
    model: Stepper,
    state: Any,
    sources: Sequence[int],
    bos: int,
    constraints: Constraints,
    options: DecodingOptions,
    device: torch.device,
    wanted: Callable[[int], bool] = lambda index: True,
    followed: Callable[[int, Sequence[Extension]], None] | None = None,
) -> Iterator[list[DecodingUpdate]]:
    """After each step, the inputs that are finished. An input that is not wanted any more leaves the batch.

    state    of the model, a row for each input
    sources  the length of each input in tokens
    followed told, after each step, of the hypotheses of an input that go on
    """
    beams = Beams(sources, constraints, options)
    tokens = torch.full((len(sources),), bos, device=device)
    kept = max(2 * options.beam if options.beam > 1 else 1, options.likeliest)
    while len(beams.index):
        with torch.inference_mode():
            step = model.step(tokens, state)
            log_probs = torch.log_softmax(step.logits, -1)
            written = None if beams.written is None else torch.from_numpy(beams.written).to(device)
            top = TopTokens.of(constraints.apply(log_probs, beams.length, written), kept)
        width = beams.totals.shape[1]
        candidates = beams.advance(top, step)
        if followed is not None:
            for place, index in enumerate(beams.index.tolist()):
                followed(index, candidates.of(place, width))
        done = candidates.done | np.array([not wanted(index) for index in beams.index.tolist()])
        updates = [
            DecodingUpdate(int(beams.index[place]), beams.best(place), True) for place in np.flatnonzero(done).tolist()
        ]
        rows, inputs = beams.keep(candidates, ~done)
        if len(beams.index):
            with torch.inference_mode():
                tokens = torch.from_numpy(beams.tokens).to(device)
                stay = rows is None and inputs is None
                state = step.state if stay else model.select(step.state, *on_device(rows, inputs, device))
        yield updates


def on_device(*arguments: Any) -> list[Any]:
    """Arrays as tensors on the device that comes last; None stays None."""
    *arrays, device = arguments
    return [None if array is None else torch.from_numpy(array).to(device) for array in arrays]


class Extension(NamedTuple):
    """A hypothesis with one more token."""

    parent: int  # its place among those of the input before this step
    token: int
    total: float  # log-probability of all its tokens


class BeamCandidates(NamedTuple):
    """What goes on after a step: candidates of each input, the best first."""

    totals: Scores  # (B, W): -inf where there are fewer than W
    places: Numbers  # (B, W): among the candidates of the input
    rows: Numbers  # (B, W): the row of the model that each extends
    tokens: Numbers  # (B, W)
    done: Flags  # (B): inputs whose search is over

    def of(self, place: int, width: int) -> list[Extension]:
        """The hypotheses of an input that go on, where each had `width` of them before."""
        columns = (self.rows[place] - place * width, self.tokens[place], self.totals[place])
        return [Extension(*each) for each in zip(*(column.tolist() for column in columns)) if each[2] > -np.inf]


class Beams:
    """The hypotheses of all inputs that are not done: those that grow, and the best of those that are finished."""

    def __init__(self, sources: Sequence[int], constraints: Constraints, options: DecodingOptions) -> None:
        count = len(sources)
        self.options, self.eos = options, constraints.eos
        self.index = np.arange(count)
        self.sources = np.array(sources, np.int64)
        self.limits = np.array([options.limit(length) for length in sources], np.int64)
        self.truncating = self.limits < np.array([options.usual(length) for length in sources])
        self.longest = np.array([length_penalty(int(limit), options.length_penalty) for limit in self.limits])
        self.length = 0
        self.totals = np.zeros((count, 1))
        self.origins: Numbers = np.full(count, -1)  # of each row: its place in the last record
        self.tokens = np.zeros(count, np.int64)  # the newest token of each row
        self.written = np.zeros((count, 0), np.int64) if constraints.no_repeat else None
        self.ended = np.zeros(count, np.int64)  # how many have ended, of each input
        self.scores = np.full((count, options.n_best), -np.inf)  # of the best that have ended
        self.ends = np.zeros((count, options.n_best, 2), np.int64)  # where each stands: step, place in its record
        self.history = History(self.eos, options.length_penalty, options.likeliest)

    def advance(self, top: TopTokens, step: Step) -> BeamCandidates:
        """Extend every hypothesis by the best next tokens (R, k); what goes on, and which inputs are done."""
        size = self.options.beam
        self.length += 1
        count, width = self.totals.shape
        taken = min(top.tokens.shape[1], 2 * size)
        totals = (self.totals.reshape(-1, 1) + top.log_probs[:, :taken]).reshape(count, width * taken)
        each = np.arange(count)[:, None]
        if width * taken > 1:
            order = np.argsort(-totals, axis=1, kind="stable")[:, : 2 * size]
            totals = totals[each, order]
            rows = order // taken + each * width
            choice = order % taken
            tokens = top.tokens[rows, choice]
        else:  # greedy: the same with less work
            rows, choice, tokens = each, np.zeros_like(each), top.tokens[:, :1]
        self.remember(top, step, tokens, rows, choice)

        possible = totals > -np.inf
        ends = possible & (tokens == self.eos)
        self.finish(totals, ends & (np.arange(ends.shape[1]) < size))
        grows = possible & ~ends
        # the first that do not end
        places = np.argsort(~grows, axis=1, kind="stable")[:, :size] if grows.shape[1] > 1 else np.zeros_like(each)
        here = grows[each, places]
        open_totals = np.where(here, totals[each, places], -np.inf)
        full = self.length >= self.limits
        # good so far where the answer is truncated; else it would go on for ever
        cut = full & (self.truncating | (self.ended < self.options.n_best))
        if cut.any():
            self.finish(totals, cut[:, None] & grows & (np.cumsum(grows, axis=1) <= size))
        done = full | ~here[:, 0] | self.decided(open_totals[:, 0])
        return BeamCandidates(open_totals, places, rows[each, places], tokens[each, places], done)

    def remember(self, top: TopTokens, step: Step, tokens: Numbers, rows: Numbers, choice: Numbers) -> None:
        """Keep what this step chose among."""
        flat = rows.ravel()
        attention = torch.stack(list(step.attention)) if step.attention else None
        record = StepRecord(
            tokens.ravel(), top.log_probs[flat, choice.ravel()], self.origins[flat], flat, attention, top
        )
        self.history.records.append(record)

    def finish(self, totals: Scores, ends: Flags) -> None:
        """Keep the best of what has ended: totals (B, C) of candidates, and which of them end here."""
        if not ends.any():
            return
        self.ended += ends.sum(1)
        kept = self.scores.shape[1]
        new = np.where(ends, totals / length_penalty(self.length, self.options.length_penalty), -np.inf)
        scores = np.concatenate([self.scores, new], axis=1)
        place = np.arange(new.size).reshape(new.shape)
        here = np.stack([np.full_like(place, len(self.history.records) - 1), place], axis=2)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :kept]
        each = np.arange(len(best))[:, None]
        self.scores = scores[each, best]
        self.ends = np.concatenate([self.ends, here], axis=1)[each, best]

    def decided(self, best: Scores) -> Flags:
        """Whether the search of each input is over: best (B) is the total of the best hypothesis that goes on."""
        options = self.options
        over: Flags = self.scores[:, -1] >= best / self.longest  # nothing that goes on can become better
        enough = self.ended >= options.beam if options.early_stopping or options.beam == 1 else np.False_
        return (self.ended >= options.n_best) & (over | enough)

    def keep(self, candidates: BeamCandidates, stay: Flags) -> tuple[Numbers | None, Numbers | None]:
        """Go on with the inputs that stay; the rows and the inputs that the model keeps, None for all as they are."""
        before, width = len(stay), candidates.totals.shape[1]
        as_before = bool(stay.all())
        if not as_before:
            for name in ("index", "sources", "limits", "truncating", "longest", "ended", "scores", "ends"):
                setattr(self, name, getattr(self, name)[stay])
        per_input = len(self.history.records[-1].tokens) // before
        origins = candidates.places + np.arange(before)[:, None] * per_input
        rows = candidates.rows[stay].ravel()
        if self.written is not None:
            self.written = np.concatenate([self.written[rows], candidates.tokens[stay].reshape(-1, 1)], axis=1)
        self.origins, self.tokens, self.totals = (
            origins[stay].ravel(),
            candidates.tokens[stay].ravel(),
            candidates.totals[stay],
        )
        same = as_before and width == 1
        return None if same else rows, None if as_before else np.flatnonzero(stay)

    def best(self, place: int) -> list[DecodedSequence]:
        """The best sequences of an input; an empty one if none was finished."""
        source = int(self.sources[place])
        found = [
            self.history.sequence(int(step), int(end), source)
            for score, (step, end) in zip(self.scores[place], self.ends[place], strict=True)
            if score > -np.inf
        ]
        return found or [decoded([], [], self.eos, self.options.length_penalty, source, [], [])]
