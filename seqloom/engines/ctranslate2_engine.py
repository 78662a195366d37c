"""CTranslate2 at work: its beam search, with the answers ranked as ours ranks them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from math import nan
from typing import Any, NamedTuple

from seqloom.decoding.hypotheses import DecodedSequence, DecodingUpdate, decoded, length_penalty
from seqloom.decoding.settings import DecodingOptions
from seqloom.decoding.writer import SequenceWriter
from seqloom.engines.ctranslate2_package import CONFIG, SHORTLIST, WEIGHTS, import_ctranslate2
from seqloom.engines.settings import EngineMetadata, damaged
from seqloom.engines.unsupported import check_options
from seqloom.storage import ModelFiles
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS
from seqloom.tokens.tokenizer import Tokenizer

END = SPECIALS[EOS]
NEVER = [[SPECIALS[PAD]], [SPECIALS[BOS]]]
"""What is never written."""


class Hypothesis(NamedTuple):
    """An answer as CTranslate2 found it."""

    tokens: list[str]  # <eos> last if it ended by itself
    total: float  # log-probability of all; NaN where nobody asked for it


class CTranslate2Engine(SequenceWriter):
    """A Transformer in CTranslate2. One worker for each thread; each has batches of its own."""

    at_once = 1_024

    def __init__(
        self,
        files: ModelFiles,
        facts: EngineMetadata,
        source: Tokenizer,
        target: Tokenizer,
        threads: int,
        *,
        token_scores: bool = True,
    ) -> None:
        """Load a model.

        threads       workers side by side
        token_scores  whether answers have the score of each token, which takes a second pass; else those of a beam
                      have their sum, and those of a greedy search none, which takes a softmax in every step
        """
        self.files = files
        given = {name: bytes(files.map(name)) for name in facts.files}
        check_files(files, given, source, target)
        given["config.json"] = given.pop(CONFIG)
        kind = "int8" if facts.int8 else "float32"
        translator = import_ctranslate2().Translator
        self.translator: Any = self.asked(
            translator, "exported", files=given, compute_type=kind, inter_threads=threads, intra_threads=1
        )
        self.source, self.target, self.limit = source.vocabulary, target.vocabulary, facts.limit
        self.ids = dict(zip(target.vocabulary, count()))
        self.threads, self.token_scores, self.shortlist = threads, token_scores, SHORTLIST in facts.files

    def write_steps(
        self, sources: Sequence[Any], requests: Sequence[Any], prefix: Sequence[int], options: DecodingOptions
    ) -> Iterator[list[DecodingUpdate]]:
        """All at once: CTranslate2 runs the whole search."""
        check_options("ctranslate2", options, temperature=0, likeliest=0, early_stopping=True, copy_unknown=False)
        wanted = [number for number, request in enumerate(requests) if request.wanted]
        read = [[self.source[token] for token in sources[number]] for number in wanted]
        limits = [self.limit_of(len(row), options) for row in read]
        begin = [self.target[token] for token in prefix]
        found = self.search(read, begin, max(limits, default=1), options)
        for place, limit in enumerate(limits):  # few: those that had not ended by their own limit
            if any(len(one.tokens) > limit for one in found[place]):
                greedy = [Hypothesis(one.tokens[:limit], nan) for one in found[place]] if options.beam == 1 else []
                found[place] = greedy or self.search([read[place]], begin, limit, options)[0]
        usual = [options.usual(len(row)) for row in read]
        best = [
            ranked(one, options, truncating=limit < most) for one, limit, most in zip(found, limits, usual, strict=True)
        ]
        yield [
            DecodingUpdate(number, answers, True)
            for number, answers in zip(wanted, self.sequences(read, best, options), strict=True)
        ]

    def asked(self, function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """What CTranslate2 says; where it cannot, the files are at fault, for what it is asked is checked."""
        try:
            return function(*given, **options)
        except (RuntimeError, ValueError, IndexError, MemoryError) as error:
            raise damaged(self.files, f"CTranslate2 does not take it: {error}") from error

    def limit_of(self, length: int, options: DecodingOptions) -> int:
        """Tokens of an answer to so many; there are no positions beyond the limit of the model."""
        return min(options.limit(length), self.limit)

    def search(
        self, read: Sequence[list[str]], begin: list[str], limit: int, options: DecodingOptions
    ) -> list[list[Hypothesis]]:
        """All hypotheses of each source, with their log-probabilities."""
        strength = length_strength(options.length_penalty, sum(map(len, read)) / max(len(read), 1))
        scored = options.beam > 1  # a single answer needs no score to be found
        results = self.asked(
            self.translator.translate_batch,
            read,
            target_prefix=[begin] * len(read) if begin else None,
            beam_size=options.beam,
            num_hypotheses=options.beam,
            length_penalty=strength,
            max_decoding_length=limit,
            min_decoding_length=options.min_length,
            no_repeat_ngram_size=options.no_repeat,
            suppress_sequences=NEVER,
            use_vmap=self.shortlist,
            return_scores=scored,
            return_end_token=True,
            max_batch_size=self.share(len(read)),
        )
        found = [
            [
                Hypothesis(tokens, score * len(tokens) ** strength)
                for tokens, score in zip(one.hypotheses, one.scores if scored else [nan], strict=True)
            ]
            for one in results
        ]
        return [self.rescored(row, one) for row, one in zip(read, found, strict=True)] if begin and scored else found

    def share(self, count: int) -> int:
        """How many sources go together: a full batch, or less if all workers are to have some."""
        return max(1, min(64, -(-count // self.threads)))

    def rescored(self, read: list[str], found: Sequence[Hypothesis]) -> list[Hypothesis]:
        """The same with what the tokens count that an answer was made to begin with."""
        scores = self.score([read] * len(found), [one.tokens for one in found])
        return [Hypothesis(one.tokens, sum(score)) for one, score in zip(found, scores, strict=True)]

    def score(self, read: Sequence[list[str]], written: Sequence[list[str]]) -> list[list[float]]:
        """The log-probability of each token of answers."""
        words = [[token for token in tokens if token != END] for tokens in written]
        results = self.asked(self.translator.score_batch, list(read), words, max_batch_size=self.share(len(words)))
        return [list(one.log_probs[: len(tokens)]) for one, tokens in zip(results, written, strict=True)]

    def sequences(
        self, read: Sequence[list[str]], best: Sequence[Sequence[Hypothesis]], options: DecodingOptions
    ) -> list[list[DecodedSequence]]:
        """Hypotheses as token ids with their scores."""
        every = [(row, one) for row, found in zip(read, best, strict=True) for one in found]
        scores = [[one.total] for _, one in every]
        if self.token_scores and every:
            scores = self.score([row for row, _ in every], [one.tokens for _, one in every])
        made = iter(
            decoded([self.ids[token] for token in one.tokens], score, EOS, options.length_penalty, len(row), [], [])
            for (row, one), score in zip(every, scores, strict=True)
        )
        return [[next(made) for _ in found] for found in best]


def check_files(files: ModelFiles, given: Mapping[str, bytes], source: Tokenizer, target: Tokenizer) -> None:
    """Raise an error unless these are the files of a model that writes the tokens of its tokenizers."""
    sides = {"shared_vocabulary.json": target, "source_vocabulary.json": source, "target_vocabulary.json": target}
    if not {CONFIG, WEIGHTS} <= given.keys() <= {CONFIG, WEIGHTS, SHORTLIST, *sides}:
        raise damaged(files, f"these are not the files of CTranslate2: {', '.join(given)}")
    for name in sides.keys() & given.keys():
        try:
            tokens = json.loads(given[name])
        except (ValueError, RecursionError):
            tokens = None
        if tokens != list(sides[name].vocabulary):
            raise damaged(files, f"{name} is not the vocabulary of its tokenizer")
    if SHORTLIST in given and not is_shortlist(given[SHORTLIST], source.vocabulary, target.vocabulary):
        raise damaged(files, f"{SHORTLIST} is not a shortlist of its vocabulary")


def is_shortlist(given: bytes, source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether every line is a source token and its candidates, and the first one is for every source."""
    try:
        lines = [line.split("\t") for line in given.decode().removesuffix("\n").split("\n")]
        keys, found = zip(*lines, strict=True)
    except ValueError:
        return False
    read, written = {"", *source}, set(target)
    return keys[0] == "" and read.issuperset(keys) and all(written.issuperset(each.split(" ")) for each in found)


def length_strength(ours: float, length: float) -> float:
    """The exponent a of CTranslate2's length penalty n^a that grows as our ((5 + n) / 6)^b does around a length.

    It matters only where more hypotheses end than the beam is wide, and CTranslate2 drops those that it ranks last. It
    is never 0: without a penalty CTranslate2 would end the search earlier than we do.

    >>> length_strength(1.0, 15.0)
    0.75
    """
    return max(ours * length / (length + 5), 1e-6)


def ranked(found: Sequence[Hypothesis], options: DecodingOptions, *, truncating: bool) -> list[Hypothesis]:
    """The best as our search ranks them; one that did not end only where an answer is cut, or where none ended."""
    ended = [one for one in found if one.tokens and one.tokens[-1] == END]
    if len(ended) >= options.n_best and not truncating:
        found = ended

    def score(one: Hypothesis) -> float:
        return one.total / length_penalty(len(one.tokens), options.length_penalty)

    return sorted(found, key=score, reverse=True)[: options.n_best]
