"""ONNX Runtime at work on a model that writes: one run of its graph gives whole sequences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqloom.decoding.hypotheses import DecodedSequence, DecodingUpdate, SampledSequence, SampledToken, decoded
from seqloom.decoding.settings import DecodingOptions, SamplingOptions
from seqloom.decoding.writer import SequenceWriter, TextContinuer
from seqloom.engines.onnx_session import OnnxSession
from seqloom.engines.random_numbers import uniform
from seqloom.engines.settings import WRITER, EngineMetadata, damaged
from seqloom.engines.unsupported import check_options
from seqloom.storage import ModelFiles
from seqloom.tokens.settings import EOS, PAD

Found = list[list[tuple[list[int], list[float]]]]
"""For each input its sequences, the best first: tokens and their log-probabilities."""
AT_ONCE = 64
"""Texts that are continued in one batch."""


class OnnxSearch:
    """A graph with its search: inputs of the model in, sequences out."""

    def __init__(self, files: ModelFiles, facts: EngineMetadata, threads: int, vocabulary: int) -> None:
        self.session, self.limit, self.vocabulary = OnnxSession(files, WRITER, threads), facts.limit, vocabulary

    def run(
        self,
        read: Mapping[str, NDArray[Any]],
        limits: Sequence[int],
        options: SamplingOptions,
        keys: Sequence[str],
        *,
        stop: int,
        truncating: Sequence[bool],
        search: DecodingOptions | None = None,
        prefix: Sequence[int] = (),
    ) -> Found:
        """Sequences for a batch.

        read        what the model reads, by name, a row for each input
        limits      tokens of each input's sequences at most
        keys        the seed of each input, as text; only where tokens are drawn
        stop        a sequence ends with its so-manieth <eos>; 0: with none
        truncating  whether a sequence that is cut is as good as one that ended
        search      how to search; None: for the best token alone, or one that is drawn
        """
        count, wanted = len(limits), 1 if search is None or options.temperature else search.n_best
        beam = 1 if search is None or options.temperature else search.beam
        drawn = uniform(keys, max(limits)) if options.temperature else np.zeros((count, 1))
        given = {
            **read,
            **nothing_yet(count, wanted),
            "limits": np.array(limits),
            "truncating": np.array(truncating),
            "beam": np.array(beam),
            "penalty": np.array(0.0 if search is None else search.length_penalty),
            "early": np.array(search is None or search.early_stopping),
            "stop": np.array(stop),
            "min_length": np.array(0 if search is None else search.min_length),
            "no_repeat": np.array(0 if search is None else search.no_repeat),
            "prefix": np.array(prefix, np.int64),
            "temperature": np.array(options.temperature, np.float64),
            "top_k": np.array(options.top_k),
            "top_p": np.array(options.top_p, np.float64),
            "uniform": drawn,
        }
        tokens, log_probs, counts = self.session.run(given)
        self.check(count, wanted, tokens, log_probs, counts)
        return [
            [(tokens[row, place, :size].tolist(), log_probs[row, place, :size].tolist()) for place, size in found]
            for row, found in enumerate(
                [(place, size) for place, size in enumerate(sizes) if size] for sizes in counts.tolist()
            )
        ]

    def check(self, count: int, wanted: int, tokens: Any, log_probs: Any, counts: Any) -> None:
        """Raise an error for what no graph of ours gives."""
        shapes = tokens.shape[:2] == counts.shape == (count, wanted) and tokens.shape == log_probs.shape
        kinds = tokens.dtype == counts.dtype == np.int64 and log_probs.dtype == np.float64
        if not shapes or not kinds or tokens.ndim != 3 or not np.isfinite(log_probs).all():
            raise damaged(self.session.files, "its graph gives no sequences")
        if ((tokens < 0) | (tokens >= self.vocabulary)).any() or ((counts < 0) | (counts > tokens.shape[2])).any():
            raise damaged(self.session.files, "its graph writes tokens that are not in the vocabulary")


def nothing_yet(count: int, wanted: int) -> dict[str, NDArray[Any]]:
    """What a search has found before the first token: see `graph_search.SearchProgress`."""
    return {
        "totals": np.zeros((count, 1)),
        "written": np.zeros((count, 0), np.int64),
        "gained": np.zeros((count, 0)),
        "live": np.arange(count),
        "ended": np.zeros(count, np.int64),
        "scores": np.full((count, wanted), -np.inf),
        "tokens": np.zeros((count, wanted, 0), np.int64),
        "log_probs": np.zeros((count, wanted, 0)),
        "counts": np.zeros((count, wanted), np.int64),
    }


class OnnxGenerator(SequenceWriter):
    """A model that writes from a source: a text as token ids, frames, a picture."""

    def __init__(self, files: ModelFiles, facts: EngineMetadata, threads: int, vocabulary: int) -> None:
        self.search, self.regions = OnnxSearch(files, facts, threads, vocabulary), facts.regions

    def write_steps(
        self, sources: Sequence[Any], requests: Sequence[Any], prefix: Sequence[int], options: DecodingOptions
    ) -> Iterator[list[DecodingUpdate]]:
        """All at once: the graph runs the whole search."""
        check_options("onnx", options, likeliest=0, copy_unknown=False)
        wanted = [number for number, request in enumerate(requests) if request.wanted]
        if not wanted:
            return
        times = options.n_best if options.temperature else 1  # drawn ones are written side by side
        rows = [sources[number] for number in wanted for _ in range(times)]
        keys = [f"{requests[number].key} {one}" for number in wanted for one in range(times)]
        source, lengths = side_by_side(rows)
        sizes = [self.regions or size for size in lengths.tolist()]
        limits = [min(options.limit(size), self.search.limit) for size in sizes]
        cut = [bool(options.temperature) or limit < options.usual(n) for limit, n in zip(limits, sizes, strict=True)]
        found = self.search.run(
            {"source": source, "lengths": lengths}, limits, options, keys, stop=1, truncating=cut, search=options,
            prefix=prefix,
        )  # fmt: skip
        grouped = [
            [one for each in found[place : place + times] for one in each] for place in range(0, len(found), times)
        ]
        yield [
            DecodingUpdate(number, sequences(each, len(sources[number]), options), True)
            for number, each in zip(wanted, grouped, strict=True)
        ]


class OnnxContinuer(TextContinuer):
    """A language model: texts of equal length are continued together."""

    def __init__(self, files: ModelFiles, facts: EngineMetadata, threads: int, vocabulary: int) -> None:
        self.search, self.window = OnnxSearch(files, facts, threads, vocabulary), facts.window

    def continue_texts(
        self, texts: Sequence[Sequence[int]], keys: Sequence[str], options: Any, wanted: Callable[[int], bool]
    ) -> Iterator[list[SampledToken]]:
        """All at once: the graph writes whole texts."""
        check_options("onnx", options, likeliest=0)
        by_length: dict[int, list[int]] = defaultdict(list)
        seen = [list(text[-self.window :]) if self.window else list(text) for text in texts]
        for place, text in enumerate(seen):
            by_length[len(text)].append(place)
        for group in by_length.values():
            for first in range(0, len(group), AT_ONCE):
                places = [place for place in group[first : first + AT_ONCE] if wanted(place)]
                if places:
                    yield self.continued(places, [seen[place] for place in places], keys, options)

    def continued(
        self, places: Sequence[int], texts: Sequence[list[int]], keys: Sequence[str], options: Any
    ) -> list[SampledToken]:
        count = len(places)
        found = self.search.run(
            {"text": np.array(texts)}, [min(options.length, self.search.limit)] * count, options,
            [keys[place] for place in places], stop=options.lines, truncating=[True] * count,
        )  # fmt: skip
        return [
            SampledToken(place, SampledSequence(tokens, log_probs), True)
            for place, [(tokens, log_probs)] in zip(places, found, strict=True)
        ]


def sequences(
    found: Sequence[tuple[list[int], list[float]]], source: int, options: DecodingOptions
) -> list[DecodedSequence]:
    """The sequences of an input; an empty one if none was found."""
    return [
        decoded(tokens, log_probs, EOS, options.length_penalty, source, [], [])
        for tokens, log_probs in found or [([], [])]
    ]


def side_by_side(rows: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Sources in one array, and how long each is: token ids (B, S), frames (B, S, F), pictures as they are."""
    lengths = np.array([len(row) for row in rows])
    first = np.asarray(rows[0])
    kind = np.int64 if np.issubdtype(first.dtype, np.integer) and first.dtype != np.uint8 else first.dtype
    table = np.full((len(rows), max(lengths), *first.shape[1:]), PAD, kind)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table, lengths
