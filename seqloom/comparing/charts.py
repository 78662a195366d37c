"""The pictures of a comparison as panels: drawn on the page by its view modules, and as files by matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from seqloom.comparing.number_format import capital
from seqloom.comparing.report_text import length_unit, named, read
from seqloom.comparing.results import Curve, Findings, ModelResult
from seqloom.explaining.panels import BarChart, LineChart, Series

WIDE = 20
"""How many times the largest of a setting's values is the smallest before they stand on a logarithmic axis."""


@dataclass(frozen=True)
class Chart:
    """A picture with the name of its files and the section of the report that it stands in."""

    name: str
    section: str
    panel: LineChart | BarChart


def charts(found: Findings) -> list[Chart]:
    """All pictures that there are numbers for."""
    models = found.models
    made = [
        Chart("quality", "quality", quality(found)),
        Chart("quality-by-setting", "quality", by_setting(found)),
        Chart("quality-by-length", "quality", by_length(found)),
        Chart("loss-by-time", "learning", learning("Training loss by time", "seconds", "loss", models, of_loss)),
        Chart("loss-by-step", "learning", learning("Training loss by step", "step", "loss", models, of_loss)),
        Chart("validation-by-time", "learning", learning(
            f"{capital(named(models[0].validated_by))} on validation data by time", "seconds",
            named(models[0].validated_by), models, of_validation)),
        Chart("parameters", "cost", bars("Parameters", "parameters", models, [one.parameters for one in models])),
        Chart("training-speed", "cost", bars(
            "Speed of training", "tokens a second", models, [one.tokens_per_second or 0 for one in models])),
        Chart("decoding-speed", "cost", bars(
            "Speed of answering, many inputs together", "inputs a second", models,
            [one.answers_per_second for one in models])),
        Chart("memory", "cost", bars(
            "Memory of a training step", "megabytes", models, [one.memory / 1e6 for one in models])),
        Chart("time-by-length", "length", LineChart(
            "Time of a training step by the length of one sequence", "tokens", "milliseconds",
            [Series(one.label, [c.length for c in one.costs], [1000 * c.seconds for c in one.costs], look=look)
             for look, one in enumerate(models) if one.costs], "log", "log")),
        Chart("memory-by-length", "length", LineChart(
            "Memory of a training step by the length of one sequence", "tokens", "megabytes",
            [Series(one.label, [c.length for c in one.costs], [c.bytes / 1e6 for c in one.costs], look=look)
             for look, one in enumerate(models) if one.costs], "log", "log")),
        Chart("forgetting-trained", "forgetting", forgetting("After training", models, trained=True)),
        Chart("forgetting-untrained", "forgetting", forgetting("Before training", models, trained=False)),
    ]  # fmt: skip
    return [chart for chart in made if has_numbers(chart.panel)]


def has_numbers(panel: LineChart | BarChart) -> bool:
    """Whether there is something to draw; zeros with intervals are numbers, zeros alone stand for what is not known."""
    if isinstance(panel, BarChart):
        return bool(panel.ranges) or any(value for _, values in panel.series for value in values)
    return any(len(series.x) for series in panel.series)


def quality(found: Findings) -> BarChart:
    values = [one.quality.value for one in found.models]
    ranges = [[(one.quality.low, one.quality.high) for one in found.models]]
    better = ", lower is better" if found.lower_is_better else ""
    title = f"{capital(named(found.measure))} with 95 % intervals{better}"
    return BarChart(title, named(found.measure), labels(found.models), [(named(found.measure), values)],
                    ranges=ranges, by_category=True)  # fmt: skip


def by_setting(found: Findings) -> LineChart:
    """The metric over the first varied setting that is a number; a line for every choice of what else varies."""
    lines: dict[str, list[ModelResult]] = {}
    setting = next(
        (name for name in found.varied if all(is_number(one.settings.get(name)) for one in found.models)), ""
    )
    for one in found.models if setting else ():
        words = [word for word in one.label.split() if not word.startswith(f"{setting.rpartition('.')[2]}=")]
        lines.setdefault(" ".join(words) or named(found.measure), []).append(one)
    series = [
        Series(
            line, [one.settings[setting] for one in models], [one.quality.value for one in models],
            low=[one.quality.low for one in models], high=[one.quality.high for one in models],
        )
        for line, models in lines.items()
    ]  # fmt: skip
    values = [one.settings[setting] for models in lines.values() for one in models]
    wide = bool(values) and min(values) > 0 and max(values) >= WIDE * min(values)
    return LineChart(f"{capital(named(found.measure))} by {setting}", setting, named(found.measure), series,
                     "log" if wide else "linear")  # fmt: skip


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def by_length(found: Findings) -> LineChart:
    series = [
        Series(
            one.label, [middle(bucket.low, bucket.high) for bucket in one.by_length],
            [bucket.interval.value for bucket in one.by_length],
            low=[bucket.interval.low for bucket in one.by_length],
            high=[bucket.interval.high for bucket in one.by_length], look=look,
        )
        for look, one in enumerate(found.models) if len(one.by_length) > 1
    ]  # fmt: skip
    title = f"{capital(named(found.measure))} by the length of the {read(found)}"
    return LineChart(title, length_unit(found), named(found.measure), series)


def middle(low: int, high: int | None) -> float:
    return float(low) if high is None else (low + high) / 2


def of_loss(one: ModelResult) -> Curve:
    return one.loss


def of_validation(one: ModelResult) -> Curve:
    return one.validation


def learning(
    title: str, by: str, what: str, models: Sequence[ModelResult], curve_of: Callable[[ModelResult], Curve]
) -> LineChart:
    """A curve of each model over steps, or over seconds where they are known."""
    series = []
    for look, one in enumerate(models):
        curve = curve_of(one)
        x: Sequence[float | None] = curve.steps if by == "step" else curve.seconds
        points = [(at, value) for at, value in zip(x, curve.values, strict=True) if at is not None]
        series.append(Series(one.label, [at for at, _ in points], [value for _, value in points], look=look))
    return LineChart(title, by, what, [line for line in series if line.x])


def bars(title: str, label: str, models: Sequence[ModelResult], values: Sequence[float]) -> BarChart:
    return BarChart(title, label, labels(models), [(label, values)], by_category=True)


def labels(models: Sequence[ModelResult]) -> list[str]:
    return [one.label for one in models]


def forgetting(title: str, models: Sequence[ModelResult], *, trained: bool) -> LineChart:
    series = [
        Series(one.label, range(len(curve)), curve, look=look)
        for look, one in enumerate(models) if one.forgetting is not None
        for curve in [one.forgetting.trained if trained else one.forgetting.untrained]
    ]  # fmt: skip
    return LineChart(f"Influence of a token on the last state: {title.lower()}", "distance in tokens",
                     "norm of the derivative", series, y_scale="log")  # fmt: skip
