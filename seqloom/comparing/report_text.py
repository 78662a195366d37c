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
    """Paragraphs: who is ahead, which step was the largest and what it adds, long inputs, forgetting, cost."""
    paragraphs = [outcome(found), largest_step(found), long_inputs(found), forgotten(found), cost(found)]
    return [text for text in paragraphs if text]


def headline(found: Findings) -> str:
    best = found.best
    return f"{best.label} is ahead: {named(found.measure)} {number(best.quality.value)}"


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
        f"{best.label} is best: {named(found.measure)} {with_interval(best.quality)}"
    )
    sentence += f"; {worst.label} is last with {number(worst.quality.value)}." if worst is not best else "."
    close = [
        f"{after.label} and {before.label}"
        for before, after in pairwise(found.models)
        if after.significant is False
    ]  # fmt: skip
    if close:
        sentence += f" Between {listed(close, 'and between')} the difference may be chance."
    return sentence


def count(size: int) -> str:
    words = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"]
    return words[size] if size < len(words) else str(size)


def largest_step(found: Findings) -> str:
    """The largest gain between neighbours, and what the equations say was added there."""
    steps = [(gain(found, before, after), before, after) for before, after in pairwise(found.models)]
    size, before, after = max(steps, key=lambda step: step[0])
    if size <= 0 or not after.significant:
        return "No model is better than the one before it by more than chance could make it."
    against = after.against
    assert against is not None
    text = (
        f"The largest step is from {before.label} to {after.label}: {signed(against.difference.value)} "
        f"(p {equals(p_value(against.randomisation_p))}). "
    )
    new = list(dict.fromkeys(one.title[0].lower() + one.title[1:] for one in after.adds if one.change == "new"))
    if new:
        text += f"What is new in its equations: {'; '.join(title.rstrip('.') for title in new[:4])}. "
    return text + why(before, after)


def equals(text: str) -> str:
    return text if text.startswith("<") else f"= {text}"


def why(before: ModelResult, after: ModelResult) -> str:
    """What the equations of the two say about the way that information takes."""
    if after.attends and not before.attends:
        return (
            f"{before.label} hands on what it has read as vectors of a fixed size, however long the input is; "
            f"{after.label} keeps a vector for every position and computes, at each step, which of them to attend to."
        )
    if before.recurrent_layers and not after.recurrent_layers:
        return (
            f"{before.label} reads position by position, each after the one before; {after.label} reads all positions "
            "at once, so that no position is further away than another."
        )
    if after.recurrent_layers and not before.recurrent_layers:
        return f"{after.label} reads in order and carries a state along; {before.label} has none."
    return ""


def long_inputs(found: Findings) -> str:
    """How the metric changes from short inputs to long ones: where it falls most, where it holds best."""
    falls = [(fall, one) for one in found.models if (fall := fall_of(found, one)) is not None]
    if len(falls) < 2:
        return ""
    (most, weak), (least, strong) = max(falls, key=lambda f: f[0]), min(falls, key=lambda f: f[0])
    if most <= 0.02 or most - least <= 0.02:
        return "The length of the input makes little difference here, to none of the models."
    ends = (lasting(weak)[0].label, lasting(weak)[-1].label)
    told = [f"{one.label} goes from {number(first)} to {number(last)}" for one, (first, last) in
            ((one, ends_of(one)) for one in (weak, strong))]  # fmt: skip
    return f"From the shortest inputs ({ends[0]} words) to the longest ({ends[1]}), {listed(told)}."


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
