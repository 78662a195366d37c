"""What happened and why, in plain words; every sentence is made from the numbers and from the equations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from seqloom.comparing.number_format import (
    large,
    listed,
    megabytes,
    milliseconds,
    number,
    p_value,
    signed,
    with_interval,
)
from seqloom.comparing.results import Findings, ModelResult
from seqloom.evaluating.by_length import LengthBucket

FEW = 12
"""Examples that a bucket of lengths must have for a sentence to be built on it."""


def report_text(found: Findings) -> list[str]:
    """Paragraphs: who is ahead, which step was the largest and what it adds, what attention brought, long inputs,
    forgetting, cost."""
    paragraphs = [
        outcome(found), largest_step(found), first_attention(found), long_inputs(found), forgotten(found), cost(found),
    ]  # fmt: skip
    return [text for text in paragraphs if text]


def headline(found: Findings) -> str:
    """Who is ahead, if that is more than chance."""
    measure, value = named(found.measure), number(found.best.quality.value)
    if all_alike(found):
        return f"No model is ahead: {measure} {value} for all"
    if not clearly_ahead(found):
        return f"No model is clearly ahead: {found.best.label} has the best {measure}, {value}"
    return f"{found.best.label} is ahead: {measure} {value}"


def clearly_ahead(found: Findings) -> bool:
    """Whether the best model differs from the second best by more than chance: by the test of the two where they are
    neighbours; others are not tested, and their intervals must not overlap."""
    best = found.best
    sign = 1 if found.lower_is_better else -1
    second = min((one for one in found.models if one is not best), key=lambda one: sign * one.quality.value)
    for before, after in pairwise(found.models):
        if {id(before), id(after)} == {id(best), id(second)}:
            return after.significant is True
    return best.quality.low > second.quality.high or best.quality.high < second.quality.low


def all_alike(found: Findings) -> bool:
    """Whether every model has the same value, as all do that have not learned anything yet."""
    return len({one.quality.value for one in found.models}) == 1


def named(measure: str) -> str:
    known = {"bleu": "BLEU", "chrf": "chrF", "exact": "exact match", "f1": "F1", "rouge_l": "ROUGE-L"}
    return known.get(measure, measure.replace("_", " "))


def gain(found: Findings, before: ModelResult, after: ModelResult) -> float:
    """How much better one model is than another, in the direction of the metric."""
    sign = -1 if found.lower_is_better else 1
    return sign * (after.quality.value - before.quality.value)


def outcome(found: Findings) -> str:
    best = found.best
    worst = (max if found.lower_is_better else min)(found.models, key=lambda one: one.quality.value)
    sentence = (
        f"{count(len(found.models))} models learned from the same examples ({found.data}), cut into the same tokens, "
        f"in the same batches, with {found.allotted} each. On {found.examples:,} examples that none of them has seen, "
    )
    if all_alike(found):
        alike = f"all have the same {named(found.measure)}, {number(best.quality.value)}: nothing tells them apart."
        return sentence + alike
    sentence += (
        f"{best.label} is best: {named(found.measure)} {with_interval(best.quality)}; "
        f"{worst.label} is last with {number(worst.quality.value)}."
    )
    close = [
        f"between {before.label} and {after.label}"
        for before, after in pairwise(found.models)
        if after.significant is False
    ]  # fmt: skip
    if len(close) > 2 and len(close) == len(found.models) - 1:
        return f"{sentence} Between neighbours every difference may be chance."
    return f"{sentence} The difference {listed(close)} may be chance." if close else sentence


def count(size: int) -> str:
    words = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"]
    return words[size] if size < len(words) else str(size)


def largest_step(found: Findings) -> str:
    """The largest gain between neighbours, and what the equations say was added there."""
    if all_alike(found):
        return ""
    steps = gains(found)
    if not steps:
        return "No model is better than the one before it by more than chance could make it."
    _, before, after = max(steps, key=lambda step: step[0])
    text = f"The largest step is from {before.label} to {after.label}: {change(after)}. "
    new = list(dict.fromkeys(one.title[0].lower() + one.title[1:] for one in after.adds if one.change == "new"))
    if new:
        text += f"What is new in its equations: {'; '.join(title.rstrip('.') for title in new[:4])}. "
    return text + why(found, before, after)


def gains(found: Findings) -> list[tuple[float, ModelResult, ModelResult]]:
    """Neighbours of which the second is better by more than chance could make it, with how much."""
    steps = [(gain(found, before, after), before, after) for before, after in pairwise(found.models)]
    return [(size, before, after) for size, before, after in steps if size > 0 and after.significant]


def change(after: ModelResult) -> str:
    """By how much a model differs from the one before it."""
    assert after.against is not None
    p = p_value(after.against.randomisation_p)
    return f"{signed(after.against.difference.value)} (p {p if p.startswith('<') else f'= {p}'})"


def first_attention(found: Findings) -> str:
    """What the first model that attends gains over the one before it, where that is not the largest step."""
    steps = gains(found)
    attending = next((step for step in steps if step[2].attends and not step[1].attends), None)
    if attending is None or attending is max(steps, key=lambda step: step[0]):
        return ""
    _, before, after = attending
    return f"Attention comes in with {after.label}: {change(after)}. {why(found, before, after)}"


WRITING = ("translate", "caption")
"""Tasks whose models hand something on from what reads to what writes."""


def why(found: Findings, before: ModelResult, after: ModelResult) -> str:
    """What the equations of the two say about the way that information takes."""
    if after.attends and not before.attends:
        if found.task in WRITING:
            return (
                f"{before.label} hands on what it has read as vectors of a fixed size, however long the input is: "
                f"everything that is written must be found in them. {after.label} keeps a vector for every position "
                "and computes, at each step of writing, which of them to attend to."
            )
        return (
            f"{after.label} computes how much each position counts for what is looked for; in {before.label} nothing "
            "chooses between positions."
        )
    if before.recurrent_layers and not after.recurrent_layers:
        return (
            f"{before.label} reads position by position, each after the one before; {after.label} reads all positions "
            "at once."
        )
    if after.recurrent_layers and not before.recurrent_layers:
        return f"{after.label} reads in order and carries a state along; {before.label} has none."
    return ""


def long_inputs(found: Findings) -> str:
    """How the metric changes from short inputs to long ones: where it falls most, beside the best model."""
    falls = [(fall, one) for one in found.models if (fall := fall_of(found, one)) is not None]
    if len(falls) < 2 or all_alike(found):
        return ""
    most, weak = max(falls, key=lambda f: f[0])
    least, strong = next((f for f in falls if f[1] is found.best and f[1] is not weak), min(falls, key=lambda f: f[0]))
    if most <= 0.02 or most - least <= 0.02:
        return f"The length of the {read(found)} makes little difference here for any of the models."
    ends = (lasting(weak)[0].label, lasting(weak)[-1].label)
    told = [f"{one.label} goes from {number(first)} to {number(last)}" for one, (first, last) in
            ((one, ends_of(one)) for one in (weak, strong))]  # fmt: skip
    unit = length_unit(found).split()[0]
    unit = unit.removesuffix("s") if ends[0] == "1" else unit
    return f"From the shortest {read(found)}s ({ends[0]} {unit}) to the longest ({ends[1]}), {listed(told)}."


def length_unit(found: Findings) -> str:
    """What the lengths of examples count."""
    return f"{'words' if found.task in WRITING else 'tokens'} in the {read(found)}"


def read(found: Findings) -> str:
    """The text of an example whose length is counted: a picture has none of its own."""
    return "caption" if found.task == "caption" else "input"


def lasting(one: ModelResult) -> list[LengthBucket]:
    """The buckets with enough examples."""
    return [bucket for bucket in one.by_length if bucket.count >= FEW]


def ends_of(one: ModelResult) -> tuple[float, float]:
    buckets = lasting(one)
    return buckets[0].interval.value, buckets[-1].interval.value


def fall_of(found: Findings, one: ModelResult) -> float | None:
    """How much is lost between the shortest and the longest inputs, as a share of the better of both."""
    if len(lasting(one)) < 2:
        return None
    first, last = ends_of(one)
    lost = last - first if found.lower_is_better else first - last
    return lost / max(abs(first), abs(last), 1e-9)


def forgotten(found: Findings) -> str:
    """What is left, at the end, of the influence of the first token: before training and after it."""
    curves = [(one, one.forgetting) for one in found.models if one.forgetting and len(one.forgetting.trained) > 4]
    if not curves:
        return ""
    kept = [(left(curve.trained), left(curve.untrained), len(curve.trained) - 1, one) for one, curve in curves]
    kept.sort(key=lambda each: each[0])
    (low, low_before, distance, weak), (high, high_before, _, strong) = kept[0], kept[-1]
    text = (
        f"Of the influence that the last token has on the state at the end, a token {distance} places before it has "
        f"{percent(low)} in {weak.label} (before training {percent(low_before)})"
    )
    if strong is weak:
        return f"{text}."
    return f"{text}, and {percent(high)} in {strong.label} (before training {percent(high_before)})."


def left(curve: Sequence[float]) -> float:
    """The influence of the token furthest back, as a share of that of the last one."""
    return curve[-1] / max(curve[0], 1e-30)


def percent(value: float) -> str:
    return f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.2g} %" if value > 1e-6 else "nothing"


def cost(found: Findings) -> str:
    """Who learns and answers fastest, and how time and memory grow with the length of a sequence."""
    return " ".join(sentences(found))


def sentences(found: Findings) -> Iterator[str]:
    speeds = [(one.tokens_per_second, one) for one in found.models if one.tokens_per_second]
    if len(speeds) > 1:
        (fast, first), (slow, last) = max(speeds, key=lambda s: s[0]), min(speeds, key=lambda s: s[0])
        yield (
            f"In training {first.label} reads {large(fast)} tokens a second, {last.label} {large(slow)}; a step on a "
            f"batch takes {megabytes(first.memory)} and {megabytes(last.memory)}."
        )
    growing = [(time_growth(one), one) for one in found.models if len(one.costs) > 3]
    if len(growing) > 1:
        (low, flat), (high, steep) = min(growing, key=lambda g: g[0]), max(growing, key=lambda g: g[0])
        ends = [f"{one.label} takes {milliseconds(one.costs[-1].seconds)} and {megabytes(one.costs[-1].bytes)} for a "
                f"step on {one.costs[-1].length:,} tokens" for one in (flat, steep)]  # fmt: skip
        yield (
            f"{listed(ends)}; each time the length doubles, {flat.label} takes {2**low:.1f} times as long, "
            f"{steep.label} {2**high:.1f} times."
        )
    recurrent = [one for one in found.models if one.recurrent_layers]
    at_once = [one for one in found.models if not one.recurrent_layers]
    if recurrent and at_once:
        most = max(recurrent, key=lambda one: one.recurrent_layers)
        yield (
            f"To read 1,000 tokens {most.label} takes {1000 * most.recurrent_layers:,} steps one after the other, "
            f"{at_once[-1].label} takes all of them at once."
        )


def time_growth(one: ModelResult) -> float:
    """The power of the length with which time grows, over the last two doublings."""
    last, before = one.costs[-1], one.costs[-3]
    return math.log2(last.seconds / before.seconds) / 2
