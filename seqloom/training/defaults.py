"""The settings that a user leaves open, chosen from the data: facts -> rules -> settings, each with its reason.

Every rule stands in this file, and what was measured for it in docs/defaults.md. A rule says what it would choose; what
the user set goes before it (`chosen` drops those), so that no rule needs to ask. What is chosen is kept in the run: one
that goes on does not choose again.

    facts = measure(records)                          # data_statistics.py
    choices = choose(facts, config)                   # what is left open, and why
    config = with_choices(config, choices)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from seqloom.config import Config
from seqloom.models.registry import Architecture, find
from seqloom.training.data_statistics import MOST, DataStatistics
from seqloom.training.precision import fast_bfloat16
from seqloom.training.run_config import RunConfig

C = TypeVar("C", bound=Config)

EVALUATIONS = 12
"""Evaluations in a training that runs to its end."""
PATIENCE = 6
"""Of them without a better score, and training stops: the last ones, at low rates, are often the best."""
FEW_LABELS = 20
"""Labels up to which embeddings begin with counts: of 77, each is seen too seldom to be counted well."""
LEAST_STEPS = 300
"""Steps that little data is trained for, however many epochs they are."""
MOST_EPOCHS = 100
LONG_SOURCE = 256
"""Frames up to which each is read by itself."""
MOST_STACKED = 8
LONGER = 3
"""With a time to train for, at most so many times the epochs that are usual."""
UNTOLD = {f"train.{name}" for name in ("evaluate_every", "checkpoint_every", "warmup_steps", "patience", "average")}
"""Chosen as well, and left out of the line at the start of training: `setup/config.json` has all."""


@dataclass(frozen=True)
class ChosenSetting:
    """A setting that was left open."""

    setting: str
    """Section and name, as train.learning_rate."""
    value: Any
    reason: str = ""
    """Why, where it is worth saying at the start of training."""


Rules = Iterator[ChosenSetting]


# --- the rules of each task -------------------------------------------------------------------------


def classify(facts: DataStatistics, config: Any) -> Rules:
    """A bag of words and pairs for texts, the recurrent reading of letters for single words."""
    few = facts.labels <= 5
    spelled = not facts.frames and facts.input.words < 2
    name = named(config, "lstm" if facts.frames else "gru" if spelled else "words")
    found = find(name, "classify")
    bag = is_bag(found)
    if facts.frames:
        yield ChosenSetting("model.bidirectional", True)
        tokens, long = facts.input.words, facts.input.longest
    elif spelled:
        yield ChosenSetting("model.name", name, f"{name} over letters: {facts.examples:,} single words")
        yield ChosenSetting("model.bidirectional", True)
        yield ChosenSetting("tokens.kind", "character")
        tokens, long = facts.input.letters, round(facts.input.letters * 3)
    else:
        reads = "a bag of words and word pairs" if bag else name
        yield ChosenSetting("model.name", name, f"{reads}: {facts.examples:,} texts of {facts.input.words:,.0f} words")
        yield ChosenSetting("tokens.kind", "ngram" if bag else "word")
        yield ChosenSetting("tokens.lower", True)
        yield ChosenSetting("tokens.size", 200_000 if bag else 30_000)
        pairs = 1.8 if bag and config.tokens.kind in ("word", "ngram") else 1.0
        tokens, long = facts.input.words * pairs, round(facts.input.longest * pairs)
    little = facts.words < 1e6
    counted = bag and little and facts.examples < MOST and not facts.frames and config.classify.answer == "label"
    counted = counted and facts.labels <= min(FEW_LABELS, config.model.embedding)
    if counted:
        yield ChosenSetting("start.vectors", "labels", "it begins with how much each word speaks for each label")
    yield ChosenSetting("model.embedding", 128 if not bag else 300 if little and not counted else 64)
    yield ChosenSetting("model.pooling", "mean" if bag or attends(found) else "max")
    yield ChosenSetting("model.dropout", 0.5 if bag and few else 0.3)
    yield ChosenSetting("model.length", rounded_up(long, 2_048 if bag else 512))
    yield ChosenSetting("train.learning_rate", 0.01 if bag else rate_of(found))
    epochs = (3 if few else 5) if counted else (5 if bag and few else 8) if little else 4
    yield from training(facts, config, epochs, tokens, batch_tokens=within(64 * tokens, 1_024, 16_384), average=0.99)


def tag(facts: DataStatistics, config: Any) -> Rules:
    """A bidirectional LSTM over words and their letters."""
    name = named(config, "lstm")
    few = facts.words < 100_000
    yield ChosenSetting("model.name", name, f"{name} over words and their letters: {facts.words:,.0f} words")
    found = find(name, "tag")
    yield ChosenSetting("model.embedding", 128)
    yield ChosenSetting("model.widths", [200] if found.kind == "cell" else [128, 128])
    yield ChosenSetting("model.dropout", 0.5 if found.kind == "cell" else 0.3)
    yield ChosenSetting("tag.characters", 64 if few else 128)
    yield ChosenSetting("tag.word_dropout", 0.5)
    yield ChosenSetting("train.learning_rate", min(rate_of(found), 0.002))
    epochs = within(2.4e6 / max(facts.words, 1), 4, 20)
    yield from training(facts, config, epochs, facts.input.words, batch_tokens=1_000, average=0.995)


def generate(facts: DataStatistics, config: Any) -> Rules:
    """An LSTM over characters; wider where there is more text."""
    letters = facts.letters
    small = letters < 300_000
    width = 256 if small else 512
    name = named(config, "lstm")
    found = find(name, "generate")
    yield ChosenSetting("model.name", name, f"{name} for {letters:,.0f} characters")
    if found.kind == "cell":
        yield ChosenSetting("model.embedding", 64)
        yield ChosenSetting("model.widths", [width])
    elif attends(found):
        yield ChosenSetting("model.widths", [128] * 4)
        yield ChosenSetting("train.weight_decay", 0.1)
    yield ChosenSetting("model.dropout", 0.3 if small else 0.2)
    yield ChosenSetting("train.learning_rate", rate_of(found))
    tokens = facts.input.letters if config.tokens.kind == "character" else facts.input.words
    epochs = within(4e6 / max(letters, 1), 2, 20)
    yield from training(facts, config, epochs, tokens, batch_tokens=2_048)


def translate(facts: DataStatistics, config: Any) -> Rules:
    """A small Transformer over subwords; recurrent layers with attention from letters to signs (pronunciations)."""
    if facts.frames:
        yield from transcribe(facts, config)
        return
    tokens_set = config.tokens.model_fields_set
    signs = facts.input.words < 2 and 0 < facts.target.between_spaces < 200
    shared = facts.input.script == facts.target.script and not signs and "target" not in tokens_set
    joint = config.tokens.joint if "joint" in tokens_set else shared
    name = named(config, "rnn-attention" if signs else "transformer-tiny")
    if signs:
        yield ChosenSetting("model.name", name, f"{name} from letters to signs: {facts.examples:,} pairs")
        yield ChosenSetting("tokens.kind", "character")
        yield ChosenSetting("tokens.lower", True)
        if not joint:
            yield ChosenSetting("tokens.target", {"kind": "space"})
        yield ChosenSetting("translate.measure", "exact")
        yield ChosenSetting("translate.several_right", facts.repeated_inputs > 0.01)
        if "name" not in config.model.model_fields_set and name == "rnn-attention":
            yield ChosenSetting("model.encoder", "lstm")
            yield ChosenSetting("model.decoder", "lstm")
            yield ChosenSetting("model.encoder_widths", [256, 256])
        tokens = max(facts.input.letters, facts.target.words)
    else:
        alike = "one vocabulary for both sides" if joint else "a vocabulary for each side"
        yield ChosenSetting("model.name", name, f"{name}, {alike}: {facts.examples:,} pairs")
        yield ChosenSetting("tokens.size", 6_000 if joint else 4_000)
        yield ChosenSetting("model.tied", "all" if joint else "target")
        tokens = 1.2 * max(facts.input.words, facts.target.words)
    yield ChosenSetting("tokens.joint", joint)
    recurrent = is_recurrent(name)
    yield ChosenSetting("model.dropout", 0.25 if recurrent else 0.2)
    yield ChosenSetting("model.length", rounded_up(3 * max(facts.input.longest, facts.target.longest, 20), 512))
    yield ChosenSetting("train.learning_rate", 0.002 if recurrent else 0.004)
    yield ChosenSetting("train.label_smoothing", 0.1)
    if fast_bfloat16():
        yield ChosenSetting("train.precision", "bfloat16")
    epochs = within((14e6 if signs else 9e6) / max(facts.examples * tokens, 1), 3, 40)  # tokens read in all
    yield from training(facts, config, epochs, tokens, batch_tokens=2_048, average=0.998, warmup=400)


def transcribe(facts: DataStatistics, config: Any) -> Rules:
    """Recurrent layers with attention from frames to subwords; of long sequences several frames are read as one."""
    name = named(config, "rnn-attention")
    stacked = config.translate.stack_frames
    if "stack_frames" not in config.translate.model_fields_set:
        stacked = within(math.ceil(facts.input.longest / LONG_SOURCE), 1, MOST_STACKED)
        yield ChosenSetting("translate.stack_frames", stacked)
    read = math.ceil(facts.input.longest / stacked)
    yield ChosenSetting("model.name", name, f"{name}: {facts.examples:,} sequences of {facts.input.words:,.0f} frames")
    recurrent = is_recurrent(name)
    yield ChosenSetting("tokens.size", 4_000)
    yield ChosenSetting("model.tied", "target")
    yield ChosenSetting("model.dropout", 0.2)
    yield ChosenSetting("model.length", rounded_up(1.5 * max(read, 2 * facts.target.longest, 20), 2_048))
    yield ChosenSetting("train.learning_rate", 0.002 if recurrent else 0.004)
    yield ChosenSetting("train.label_smoothing", 0.1)
    tokens = max(facts.input.words / stacked, 1.2 * facts.target.words)
    epochs = within(6e5 / max(facts.examples, 1), 3, 40)
    yield from training(facts, config, epochs, tokens, batch_tokens=2_048, average=0.99, warmup=400)


def training(
    facts: DataStatistics,
    config: Any,
    epochs: float,
    tokens: float,
    *,
    batch_tokens: int,
    average: float = 0.0,
    warmup: int = 100,
) -> Rules:
    """How long, and how often it is evaluated; the rate falls to nothing where training ends.

    epochs  that are usual for so much data
    tokens  of an example, about
    """
    train = config.train
    given = train.model_fields_set
    batch = train.batch_tokens if "batch_tokens" in given else batch_tokens
    per_epoch = max(facts.examples * max(tokens, 1) / batch, 1.0)
    yield ChosenSetting("train.batch_tokens", batch)
    yield ChosenSetting("train.schedule", "cosine")
    if given & {"steps", "epochs"}:  # as long as the user says
        steps = train.epochs * per_epoch or float(train.steps)
    else:
        epochs = float(f"{min(max(epochs, LEAST_STEPS / per_epoch), MOST_EPOCHS):.2g}")
        steps = epochs * per_epoch
        yield ChosenSetting("train.epochs", epochs * LONGER if train.budget else epochs, f"{epochs:g} epochs")
        every = max(round(steps / EVALUATIONS), 1)
        yield ChosenSetting("train.evaluate_every", every)
        yield ChosenSetting("train.checkpoint_every", every)
        yield ChosenSetting("train.patience", PATIENCE)
    yield ChosenSetting("train.warmup_steps", within(steps / 10, 0, warmup))
    if average and steps >= LEAST_STEPS:
        yield ChosenSetting("train.average", average)


RULES: dict[str, Callable[[DataStatistics, Any], Rules]] = {
    "classify": classify,
    "tag": tag,
    "generate": generate,
    "translate": translate,
}
"""By task; the settings of other tasks stay as their packages say."""


# --- what rules ask of an architecture, whatever its name -------------------------------------------


def named(config: Any, usual: str) -> str:
    """The architecture that the user named, or the usual one, if it reads what else the user set of the model."""
    if "name" in config.model.model_fields_set:
        return str(config.model.name)
    try:
        return str(with_values(config, {"model": {"name": usual}}).model.name)
    except ValidationError:
        return str(config.model.name)


def is_bag(found: Architecture) -> bool:
    """Whether it does not mind the order of words: an encoder without layers."""
    return found.kind == "encoder" and not found.reads & {"widths", "window", "heads", "hidden", "config"}


def is_recurrent(name: str) -> bool:
    """Whether a translator of this name writes with recurrent layers."""
    return find(name, "translate").preset.get("decoder") not in ("transformer", "cnn", "attention")


def attends(found: Architecture) -> bool:
    return "heads" in found.reads


def rate_of(found: Architecture) -> float:
    """The highest learning rate: attention bears less than layers that read step by step or by windows."""
    return 0.001 if attends(found) or found.kind == "model" else 0.003


# --- numbers ----------------------------------------------------------------------------------------


def within(value: float, least: int, most: int) -> int:
    return int(min(max(round(value), least), most))


def rounded_up(length: float, most: int, step: int = 32) -> int:
    """A length with room, in steps."""
    return int(min(max(math.ceil(length / step) * step, step), most))


# --- choosing ---------------------------------------------------------------------------------------


def choose(facts: DataStatistics, config: RunConfig) -> list[ChosenSetting]:
    """What the rules say of the settings that are left open and that the architecture reads."""
    rules = RULES.get(config.task)
    if rules is None or not config.train.choose:
        return []
    begun = config.start.model  # its tokenizers and weights say what the model is
    first: dict[str, ChosenSetting] = {}
    for choice in rules(facts, config):
        first.setdefault(choice.setting, choice)
    sections = ("train",) if begun else None
    return fitting(config, [choice for choice in first.values() if is_open(config, choice.setting, sections)])


def is_open(config: RunConfig, setting: str, sections: Sequence[str] | None) -> bool:
    section, name = setting.split(".")
    if setting == "model.embedding" and config.start.vectors:  # the vectors say how wide it is
        return False
    if section == "start" and config.start.model_fields_set:  # what somebody began is not begun otherwise
        return False
    if sections is not None and section not in sections:
        return False
    return name not in getattr(config, section).model_fields_set


def fitting(config: RunConfig, choices: list[ChosenSetting]) -> list[ChosenSetting]:
    """Without what the architecture does not read, or what does not go together with the settings of the user."""
    names = [choice for choice in choices if choice.setting == "model.name"]
    read = with_choices(config, names).model.settings_read()  # type: ignore[attr-defined]
    kept = [choice for choice in choices if not choice.setting.startswith("model.") or choice.setting[6:] in read]
    for less in (kept, [*names, *(one for one in kept if not one.setting.startswith("model."))]):
        try:
            with_choices(config, less)
        except ValidationError:
            continue
        return less
    return []


def with_choices(config: C, choices: Sequence[ChosenSetting]) -> C:
    """The settings with what was chosen; checked as if the user had written it."""
    updated: dict[str, dict[str, Any]] = {}
    for choice in choices:
        section, name = choice.setting.split(".")
        updated.setdefault(section, {})[name] = choice.value
    return with_values(config, updated)


def with_values(config: C, values: Mapping[str, Mapping[str, Any]], *, saved: bool = False) -> C:
    """The settings of a run with other values for some of its sections, all else as it was given."""
    context = {"saved": saved}
    sections = {name: getattr(config, name) for name in type(config).model_fields}
    for name, changed in values.items():
        section = sections[name]
        given = {key: getattr(section, key) for key in section.model_fields_set}
        sections[name] = type(section).model_validate({**given, **changed}, context=context)
    return type(config).model_validate(sections, context=context)


def as_begun(config: C, saved: C) -> C:
    """What is left open of the settings, as a run was begun with."""
    values: dict[str, dict[str, Any]] = {}
    for name in type(config).model_fields:
        section, before = getattr(config, name), getattr(saved, name)
        if isinstance(section, Config):
            unset = type(section).model_fields.keys() - section.model_fields_set
            values[name] = {key: getattr(before, key) for key in unset}
    return with_values(config, values, saved=True)


def explanation(choices: Sequence[ChosenSetting]) -> str:
    """What was chosen and why, on one line; empty if nothing was."""
    if not choices:
        return ""
    reasons = [choice.reason for choice in choices if choice.reason]
    told = [choice for choice in choices if not choice.reason and choice.setting not in UNTOLD]
    shown = [f"{choice.setting.split('.')[1]} {shown_value(choice.value)}" for choice in told]
    settings = ", ".join(shown)
    return (
        f"chosen from the data: {'; '.join(reasons)} ({settings})" if reasons else f"chosen from the data: {settings}"
    )


def shown_value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
