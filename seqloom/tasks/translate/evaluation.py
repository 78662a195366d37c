"""A translator measured on a corpus: while it trains, and by `seqloom evaluate`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from seqloom.data.corpus import Corpus
from seqloom.data.length_batches import by_length
from seqloom.decoding.writer import SequenceWriter
from seqloom.tasks.task import Evaluation
from seqloom.tasks.trainable import ValidationResult
from seqloom.tasks.translate.answering import AT_ONCE
from seqloom.tasks.translate.corpus_text import questions, rows_by_tag, spread, text_of
from seqloom.tasks.translate.metrics import Answered, evaluation, scores_by_tag, with_tags
from seqloom.tasks.translate.options import TranslateEvaluateOptions
from seqloom.tasks.translate.task_tags import check_tag

if TYPE_CHECKING:
    from seqloom.tasks.translate.task import Translate


def validate_translation(task: Translate, model: nn.Module, valid: Corpus, device: torch.device) -> ValidationResult:
    """While training: the loss of all pairs, and the metric of some of them, translated greedily."""
    settings = task.config.translate
    loss = corpus_loss(task, model, valid, device, range(len(valid)))
    metrics = {"loss": loss}
    if settings.measure == "loss":
        return ValidationResult(metrics, -loss)
    rows = spread(min(settings.validate_pairs, len(valid)), len(valid))
    answered = translate_corpus(task, model, valid, rows, TranslateEvaluateOptions(beam=1, attention=False))
    by_tag = scores_by_tag(rows_by_tag(valid, task.tags), answered, settings.measure)
    score = fmean(by_tag.values()) if by_tag else answered.metrics().score(settings.measure)
    return ValidationResult({**metrics, settings.measure: score, **by_tag}, score)


def evaluate_translation(
    task: Translate, model: nn.Module, corpus: Corpus, device: torch.device, options: TranslateEvaluateOptions
) -> Evaluation:
    """BLEU, chrF, exact match, error rates, perplexity, and quality by length of the source."""
    check_tag(options.task_tag, task.tags, [])
    metrics: dict[str, float] = {}
    chosen = options.model_copy(update={"attention": False})
    rows: Sequence[int] = range(len(corpus))
    if of_task := rows_by_tag(corpus, task.tags).get(options.task_tag):  # pairs of this task, which have its tag
        rows, chosen = of_task, chosen.model_copy(update={"task_tag": ""})
    if not isinstance(model, SequenceWriter):  # a writer has no logits of what others wrote
        loss = corpus_loss(task, model, corpus, device, rows, chosen.task_tag)
        metrics = {"loss": loss, "perplexity": math.exp(min(loss, 50))}
    answered = translate_corpus(task, model, corpus, rows, chosen)
    measure = options.measure or task.config.translate.measure
    sizes = [task.inputs.size(corpus, row) for row in answered.rows]
    found = evaluation(answered.metrics(), metrics, measure, sizes)
    by_tag = {} if measure == "loss" else scores_by_tag(rows_by_tag(corpus, task.tags), answered, measure)
    return with_tags(found, by_tag) if by_tag else found


def corpus_loss(
    task: Translate, model: nn.Module, corpus: Corpus, device: torch.device, some: Sequence[int], tag: str = ""
) -> float:
    """The mean loss of a token in some pairs of a corpus; `tag` is put before sources that lack it."""
    places = np.array(some)
    batches = (places[chosen].tolist() for chosen in by_length(corpus.lengths("target")[places], AT_ONCE))
    return task.mean_loss(
        model,
        (
            task.paired(
                [one.values for one in task.inputs.of_corpus(corpus, rows, tag)],
                [corpus["target", row] for row in rows],
                device,
            )
            for rows in batches
        ),
    )


def translate_corpus(
    task: Translate, model: nn.Module, corpus: Corpus, rows: Sequence[int], options: TranslateEvaluateOptions
) -> Answered:
    """Pairs of a corpus, translated; of pairs with the same source every target is right, where that is set."""
    asked = questions(corpus, rows, task.inputs.key, together=task.config.translate.several_right)
    firsts = [same[0] for same in asked]
    found = task.answers_in(model, corpus, firsts, options)
    given, sources = [answer.text for answer in found], [answer.source for answer in found]
    references = [[text_of(corpus, "target", row) for row in same] for same in asked]
    written = task.config.tokens.written
    cased, spaced = options.capitals and not written.lower, written.kind == "space"
    return Answered(firsts, given, references, sources, task.language, cased=cased, spaced=spaced)
