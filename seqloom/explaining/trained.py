"""A trained model opened with a sentence of the user's: from the whole down to a single gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from seqloom.data.record import Record
from seqloom.errors import SeqloomError
from seqloom.explaining.dictionary import Dictionary
from seqloom.explaining.walkthrough import Told, Walkthrough, walkthrough
from seqloom.layers.base import Symbols
from seqloom.layers.heads import Readout
from seqloom.models.answering import Says, answer_for_each
from seqloom.models.classifier import Classifier, FlatClassifier, first_part
from seqloom.models.encoders.words import AsTheyAre
from seqloom.models.language_model import LanguageModel, TiedReadout
from seqloom.models.part import Part
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.tagger import Tagger
from seqloom.storage import MANIFEST
from seqloom.tasks.classify.answers.regression import Regression
from seqloom.tasks.classify.inputs.frames import FrameInputs
from seqloom.tasks.classify.task import Classify
from seqloom.tasks.generate.long_text import to_tokens
from seqloom.tasks.generate.task import Generate
from seqloom.tasks.tag.batch import TagBatch
from seqloom.tasks.tag.task import Tag
from seqloom.tasks.task import Task
from seqloom.tasks.translate.task import Translate
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.model import Model, load

LONGEST = 30
"""Tokens of a text, read or written: more would not be looked at."""
MOST_FRAMES = 128
"""Of sound or sensors, which are read in finer steps than words."""
WHAT_CAN_BE = "translators, and models that classify texts or frames, tag or generate"


def explain_trained(folder: str | Path, given: Any = None) -> Walkthrough:
    """The parts of a trained model with what they compute for a sentence; without one, for frequent words.

    Frames are an array, or the path of a file; columns beside the input come with it, as when the model is called.
    """
    return opened(loaded(folder), given)


def explain_model(model: Model, given: Any = None) -> Walkthrough:
    """As `explain_trained`, of a model that is loaded; but no file is opened: what a stranger sent names none."""
    if reads_frames(model.task) and isinstance(given, str | Path):
        raise SeqloomError("a text where frames are read", remedy="give frames as numbers, a row for each")
    return opened(model, given)


def opened(model: Model, given: Any) -> Walkthrough:
    about = f"{model.task.config.model.name}, trained to {model.config.task}: {sized(model)} parameters"
    match model.network, model.task:
        case Seq2Seq(), Translate():
            return of_translator(model, given, about)
        case Classifier() | FlatClassifier() | Tagger() | LanguageModel(), _:
            return of_reader(model, given, about)
    raise cannot_be(model, "has no equations that could be opened")


def loaded(folder: str | Path) -> Model:
    if not (Path(folder) / MANIFEST).is_file():
        raise SeqloomError(
            f"{folder} holds no trained model",
            remedy="give the folder that `seqloom train` wrote; `seqloom explain` lists what needs no training",
        )
    return load(folder)


def cannot_be(model: Model, why: str) -> SeqloomError:
    what = f"a model called {model.task.config.model.name} for {model.config.task} {why}"
    return SeqloomError(what, remedy=f"what can be explained: {WHAT_CAN_BE}")


def sized(model: Model) -> str:
    return f"{sum(weight.numel() for weight in model.network.parameters()):,}"


def reads_frames(task: Task[Any]) -> bool:
    return isinstance(task, Classify) and isinstance(task.inputs, FrameInputs)


def checked(tokens: Sequence[Any], what: str = "tokens", most: int = LONGEST) -> list[Any]:
    """As many tokens as can be looked at."""
    if not tokens:
        raise SeqloomError("there is no word in the text", remedy="give a few words of the kind it was trained on")
    if len(tokens) > most:
        raise SeqloomError(f"{len(tokens)} {what} are too many to look at", remedy=f"give at most {most}")
    return list(tokens)


def frequent(tokenizer: Tokenizer) -> str:
    """A text of the most frequent words, for who gives none."""
    order = sorted(range(len(SPECIALS), tokenizer.size), key=lambda word: -tokenizer.frequency[word])
    return tokenizer.decode(order[:4])


# --- translators ------------------------------------------------------------------------------------


def of_translator(model: Model, sentence: str | None, about: str) -> Walkthrough:
    """Encoder, bridge and decoder, when a sentence is translated word by word, always taking the likeliest."""
    task, network = model.task, model.network
    assert isinstance(task, Translate) and isinstance(network, Seq2Seq)
    reads, writes = task.source_tokenizer, task.target_tokenizer
    text = sentence if sentence is not None else frequent(reads)
    tokens = [*checked(reads.encode(text))[: task.config.model.length - 1], EOS]
    source = torch.tensor([tokens], device=model.device)
    with torch.no_grad():
        written = greedy(network, source)
        parts = network.parts(source, [BOS, *written[:-1]])
        longer = source.shape[1] < task.config.model.length
        others = network.parts(of_another_length(source, longer=longer), [BOS, BOS])
    words = [reads.vocabulary[token] for token in tokens]
    labels, fed = (
        [writes.vocabulary[token] for token in written],
        [writes.vocabulary[token] for token in (BOS, *written[:-1])],
    )
    read = Dictionary(reads.vocabulary, sorted(set(tokens)), shares="", lines=())
    told = [
        Told(part, other, words, words, words, read, longer=longer)
        for part, other in zip(parts[:-1], others[:-1], strict=True)
    ]
    wrote = Dictionary(writes.vocabulary, sorted({BOS, *written}))
    told.append(Told(parts[-1], others[-1], words, labels, fed, wrote, longer=longer))
    return walkthrough(f"{text} → {writes.decode(written)}", about, told)


def of_another_length(x: Tensor, *, longer: bool) -> Tensor:
    """The same words (1, T, ...) and one more, or one less: what differs is as long as the sentence."""
    return torch.cat([x, x[:, -1:]], 1) if longer else x[:, : max(x.shape[1] - 1, 1)]


def greedy(network: Seq2Seq, source: Tensor) -> list[int]:
    """The likeliest word in every step, <eos> last unless it goes on and on."""
    state: Any = network.start(source, torch.tensor([source.shape[1]], device=source.device))
    written = [BOS]
    while written[-1] != EOS and len(written) <= LONGEST:
        step = network.step(torch.tensor(written[-1:], device=source.device), state)
        state = step.state
        written.append(
            int(step.logits[0].index_fill(0, torch.tensor([PAD, BOS], device=source.device), -torch.inf).argmax())
        )
    return written[1:]


# --- models that read one sequence ------------------------------------------------------------------


@dataclass(frozen=True)
class Read:
    """An input as a model reads it."""

    shown: str
    words: list[str]  # of frames their numbers: 1, 2, 3
    w: Tensor  # the words (T), or the frames (T, numbers)
    x: Tensor  # their rows (1, T, D)
    record: Record | None = None  # of a classifier: with the columns beside the input


def of_reader(model: Model, given: Any, about: str) -> Walkthrough:
    """What makes rows of words or frames, the encoder, and what is read off its rows."""
    task, network = model.task, model.network
    given = sample(task) if given is None else given
    with torch.no_grad():
        read = read_by(model, given)
        parts = parts_of(model, read.x, read.record)
        if len(parts) == 1 and not isinstance(network, FlatClassifier) and not isinstance(network.encoder, AsTheyAre):
            raise cannot_be(model, "has an encoder without equations")
        longer = read.x.shape[1] < task.config.model.length
        others = parts_of(model, of_another_length(read.x, longer=longer), read.record)
    words = read.words
    told = [Told(part, other, words, words, words, longer=longer) for part, other in zip(parts, others, strict=True)]
    names = task.features.names if isinstance(task, Classify) else []
    told[-1] = replace(told[-1], dictionary=choices(task), columns=names)
    if not isinstance(network, Tagger) or network.letters is None:  # with letters, rows are not of words alone
        first, table = first_part(network.words, read.w), None  # type: ignore[arg-type]
        if not reads_frames(task):
            table = Dictionary(task.tokenizers["text"].vocabulary, sorted(set(read.w.tolist())), shares="", lines=())
        told.insert(0, Told(first, first, words, words, words, table))
    title = read.shown if isinstance(task, Generate) else f"{read.shown} → {model(given)}"
    return walkthrough(title, about, told)


def sample(task: Task[Any]) -> Any:
    """For who gives nothing: frequent words, or the mean frame; beside them what is the mean in training data."""
    if not isinstance(task, Classify):
        return frequent(task.tokenizers["text"])
    inputs, features = task.inputs, task.features
    given = np.tile(inputs.mean, (4, 1)) if isinstance(inputs, FrameInputs) else frequent(task.tokenizers["text"])
    beside: dict[str, Any] = {column: mean for column, (mean, _) in features.scales.items()}
    beside |= dict.fromkeys(features.binary, 0)
    return {inputs.field: given, **beside} if len(features) else given


def read_by(model: Model, given: Any) -> Read:
    """What a user gave, as words or frames, and their rows as the encoder takes them."""
    task, network = model.task, model.network
    record, shown = None, given
    if isinstance(task, Tag):
        shown, cut = task.cut(given)
        batch = TagBatch.of(task.examples([word.text for word in cut], [0] * len(cut))[:1], model.device)
        tokens = checked(batch.tokens[0].tolist() if cut else [])
    elif isinstance(task, Generate):
        tokens = [task.tokenizer.eos, *checked(to_tokens(task.tokenizer, [given])[0])]
    else:
        assert isinstance(task, Classify)
        record = task.inputs.record(given)
        shown = task.inputs.shown(record)
        limits = ("frames", MOST_FRAMES) if reads_frames(task) else ("tokens", LONGEST)
        tokens = checked(list(task.inputs.encode([record])[0]), *limits)
    w = torch.as_tensor(np.array(tokens), device=model.device)
    x: Tensor = network.words(w[None])  # type: ignore[operator]
    if isinstance(network, Tagger) and network.letters is not None:
        x = torch.cat([x, F.embedding(batch.spelled, network.letters(batch.spellings))], -1)
    if reads_frames(task):
        return Read(shown, [str(number) for number in range(1, len(w) + 1)], w, x, record)
    return Read(shown, [task.tokenizers["text"].vocabulary[token] for token in tokens], w, x, record)


def parts_of(model: Model, x: Tensor, record: Record | None) -> list[Part]:
    """What is computed from rows x (1, T, D), the answer last."""
    task, network = model.task, model.network
    if isinstance(network, Classifier | FlatClassifier):
        assert isinstance(task, Classify) and record is not None
        given = {}
        if len(task.features):
            given["f"] = torch.from_numpy(task.features(record)).to(model.device)
        if isinstance(task.answers, Regression):
            given["mu"] = torch.tensor(task.answers.mean, device=model.device)
            given["sigma"] = torch.tensor(task.answers.deviation, device=model.device)
        return network.parts(x, says(task), given)
    assert isinstance(network, Tagger | LanguageModel)
    rows = network.encoder(x, torch.tensor([x.shape[1]], device=x.device))[0]
    return [*network.encoder.parts(x), answer_for_each(rows, output_of(network))]


def says(task: Classify) -> Says:
    kind = task.config.classify.answer
    return "pair" if kind == "label" and task.answers.outputs == 1 else kind


def output_of(network: Tagger | LanguageModel) -> Symbols:
    """The weights of the readout."""
    if isinstance(network.readout, TiedReadout):
        return {"W_hy": network.words.table.E.T, "b_y": network.readout.b_y}
    assert isinstance(network.readout, Readout)
    return network.readout.symbols()


def choices(task: Task[Any]) -> Dictionary | None:
    """What the answer is chosen from; None for a number."""
    match task:
        case Classify() if "labels" in task.facts:
            lines = ("p",) if says(task) == "pair" else ("z", "p", "W", "b", "W_2", "b_2", "W_f", "b_f")
            return Dictionary(task.facts["labels"], range(0), lines=lines)
        case Tag():
            return Dictionary(task.tags, range(0))
        case Generate():
            return Dictionary(task.tokenizer.vocabulary, range(0))
    return None
