"""From finished runs to what is known of them: quality, speed, memory, curves, attention, equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from seqloom.comparing.attention_example import look
from seqloom.comparing.clock import read_times, seconds_at, seconds_per_step
from seqloom.comparing.cost import costs_by_length, long_enough, timed, training_memory
from seqloom.comparing.results import Curve, Forgetting, ModelResult
from seqloom.comparing.runs import ComparedRuns
from seqloom.comparing.settings import CompareConfig
from seqloom.comparing.structure import Structure, differences, recurrent_layers, structure_of
from seqloom.errors import SeqloomError
from seqloom.evaluating.bootstrap import CountedMetric, compare, interval
from seqloom.evaluating.by_length import LengthBucket, by_length
from seqloom.explaining.influence import influence_curves
from seqloom.tasks.task import Evaluation
from seqloom.training.loading import load
from seqloom.training.metrics import read_metrics
from seqloom.training.model import Model

ANSWERED, ALONE = 32, 5
"""Inputs that are answered together, and one by one, to measure the speed."""
PATIENCE = 2.0
"""Seconds that one input may take before fewer are tried."""
FORGOTTEN = 6
"""Sentences whose curves of forgetting are averaged."""
POINTS = 200
"""Of a curve, at most."""


@dataclass(frozen=True)
class Measured:
    """A result, and what the next model is compared with."""

    result: ModelResult
    counted: CountedMetric
    structure: Structure
    evaluation: Evaluation


def held_out(model: Model) -> str:
    """The split that quality is measured on: test data where there is some, else validation data."""
    parts = model.task.open_data(model.config)
    return next((name for name in ("test", "valid") if name in parts), "train")


def opened(folder: Path, config: Any) -> Model:
    """A trained model, with its data as it was handed in: rows in memory are not in its folder."""
    model = load(folder)
    return Model(model.config.model_copy(update={"data": config.data}), model.task, model.network, folder)


def measure(
    runs: ComparedRuns, chosen: CompareConfig, inputs: Sequence[Any], given: Any, part: str, before: Measured | None,
    settings: Mapping[str, Any],
) -> Measured:  # fmt: skip
    """Everything about one model.

    inputs   of held-out data, for the speed of answering and for forgetting
    given    the input that is shown
    before   the model before it in the line
    settings those in which the models differ
    """
    models = [opened(folder, runs.compared.config) for folder in runs.folders]
    found = [model.evaluate(part=part, **chosen.evaluate) for model in models]
    counted = together([one.counted for one in found if one.counted is not None])
    model, lines, times = models[0], read_metrics(runs.folders[0]), read_times(runs.times[0])
    seen = look(model, given)
    structure = structure_of(seen.example) if seen.example else {}
    per_step = seconds_per_step(times)
    tokens = lines[-1]["tokens"] / max(lines[-1]["step"], 1) if lines else 0
    against = None
    if before is not None and before.counted.counts.shape == counted.counts.shape:
        against = compare(before.counted, counted)
    metric, validation = validation_curve(lines, times)
    result = ModelResult(
        label=runs.compared.label,
        name=str(getattr(getattr(model.config, "model", None), "name", type(model.network).__name__)),
        settings=settings,
        folders=[str(folder) for folder in runs.folders],
        parameters=sum(weight.numel() for weight in model.network.parameters()),
        steps=int(lines[-1]["step"]) if lines else 0,
        seconds=times[-1]["seconds"] if times else None,
        measure=found[0].measure,
        quality=interval(counted),
        by_seed=[one.counted.value for one in found if one.counted],
        metrics=found[0].metrics,
        by_length=lengths_of(found[0], counted),
        loss=curve(lines, times, "loss"),
        validation=validation,
        validated_by=metric,
        tokens_per_second=tokens / per_step if per_step else None,
        **answering(model, inputs),
        memory=training_memory(model, runs.compared.config, runs.folders[0]),
        costs=costs_by_length(long_enough(model, chosen.longest), chosen.longest) if chosen.longest else [],
        forgetting=forgetting(model, inputs),
        recurrent_layers=recurrent_layers(seen.example) if seen.example else 0,
        answer=seen.answer,
        attention=seen.attention,
        adds=differences(before.structure if before else None, structure),
        against=against,
    )
    return Measured(result, counted, structure, found[0])


def together(seeds: Sequence[CountedMetric]) -> CountedMetric:
    """The counts of each example over all seeds: the metric of the mean model."""
    if not seeds:
        raise SeqloomError("these models have no metric that can be compared", remedy="choose another answer or task")
    return CountedMetric(np.mean([one.counts for one in seeds], axis=0), seeds[0].compute)


def lengths_of(found: Evaluation, counted: CountedMetric) -> Sequence[LengthBucket]:
    if len(found.lengths) == len(counted.counts):
        return by_length(counted, found.lengths)
    return found.by_length


def curve(lines: Sequence[Mapping[str, Any]], times: list[dict[str, Any]], name: str) -> Curve:
    """A value of metrics.jsonl with the time of each step, thinned to what a picture can show."""
    there = [line for line in lines if name in line]
    kept = there[:: max(1, len(there) // POINTS)]
    kept += [] if not there or kept[-1] is there[-1] else [there[-1]]
    steps = [int(line["step"]) for line in kept]
    return Curve(steps, [seconds_at(times, step) for step in steps], [float(line[name]) for line in kept])


def validation_curve(lines: Sequence[Mapping[str, Any]], times: list[dict[str, Any]]) -> tuple[str, Curve]:
    """The metric on validation data: the last that is named, as a task names its own after the loss."""
    names = [name for line in lines for name in line if name.startswith("valid_")]
    other = [name for name in dict.fromkeys(names) if name != "valid_loss"]
    name = other[0] if other else "valid_loss"
    return name.removeprefix("valid_"), curve(lines, times, name)


def answering(model: Model, inputs: Sequence[Any]) -> dict[str, Any]:
    """How fast inputs are answered: many together, and each alone."""
    options = model.options()

    def answer(given: Sequence[Any]) -> float:
        return timed(lambda: model.task.predict(model.network, given, options))

    few = answer(inputs[:1]) > PATIENCE
    alone = [answer([one]) for one in inputs[: 1 if few else ALONE]]
    many = list(inputs[: 2 if few else ANSWERED])
    return {"answers_per_second": len(many) / answer(many), "latency": sorted(alone)[len(alone) // 2]}


def forgetting(model: Model, inputs: Sequence[Any]) -> Forgetting | None:
    """The mean influence by distance over a few sentences, before and after training; None where nothing is read
    token by token."""
    learned: list[list[float]] = []
    began: list[list[float]] = []
    for given in inputs:
        try:
            _, trained, untrained = influence_curves(model, given)
        except (SeqloomError, AttributeError, AssertionError):  # too long to look at, or no encoder to look into
            continue
        learned.append(trained[::-1])
        began.append(untrained[::-1])
        if len(learned) == FORGOTTEN:
            break
    if not learned:
        return None
    shared = sorted(map(len, learned))[0]
    return Forgetting(*(np.mean([one[:shared] for one in many], axis=0).tolist() for many in (learned, began)))


def sampled(model: Model, part: str, count: int) -> list[Any]:
    """Inputs of held-out data, the first ones."""
    records = model.kept_aside(part)
    return [model.task.input_of(record) for record in islice(iter(records), count)]
