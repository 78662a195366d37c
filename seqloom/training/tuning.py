"""A search for good settings: many short trainings, of which the better half goes on (successive halving).

A folder holds the search: `settings.json` (what all trials share), `study.jsonl` (optuna's journal: every trial with
its settings and scores), and `best`, the best model so far. No pickle. A search that was stopped goes on.
"""

from __future__ import annotations

import json
import math
import shutil
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from seqloom.config import put
from seqloom.data.in_memory import as_data
from seqloom.errors import ConfigError, DamagedError, OutputError, SeqloomError, as_path, quoted
from seqloom.evaluating.tables import as_text, metric_text
from seqloom.extras import require
from seqloom.lock import locked
from seqloom.storage import read_json, replace_file
from seqloom.tasks.registry import find_task
from seqloom.tasks.task import ResultTable, Task
from seqloom.training.callbacks import Callback, TrainingState
from seqloom.training.data_statistics import measure
from seqloom.training.defaults import choose, with_choices
from seqloom.training.durations import parse_duration
from seqloom.training.keyword_settings import WHERE, as_list, gather_keywords
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train as run
from seqloom.training.run_config import RunConfig, check_run
from seqloom.training.search_space import OneOf, Range, default_space, parse_space

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial, Trial

SETTINGS, JOURNAL, BEST, LOCK = "settings.json", "study.jsonl", "best", ".lock"
HALVING = 2
"""One of so many trials goes on at each rung."""
ENOUGH = 8
"""Trials with a score that are needed to say what mattered."""


@dataclass(frozen=True)
class Trained:
    """One training of a search."""

    number: int
    score: float | None
    """The best on validation data, higher is better; None if it failed."""
    steps: int
    ended: str
    """finished, stopped early, or failed."""
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Tuning:
    """What a search found: every trial, the best of them, and what mattered."""

    folder: Path
    trials: Sequence[Trained]
    importance: Mapping[str, float]
    """For each setting, its share in what made scores differ; empty with too few trials."""

    @property
    def best(self) -> Trained:
        return max((trial for trial in self.trials if trial.score is not None), key=lambda trial: trial.score or 0.0)

    @property
    def model(self) -> Model:
        """The best model, ready to be called."""
        return load(self.folder / BEST)

    def table(self, most: int = 20) -> ResultTable:
        """The trials, best first."""
        names = list(self.best.settings)
        ranked = sorted(self.trials, key=lambda trial: -math.inf if trial.score is None else trial.score, reverse=True)
        rows = [
            [
                str(trial.number),
                "-" if trial.score is None else metric_text(trial.score),
                f"{trial.steps:,}",
                trial.ended,
                *(shown(trial.settings.get(name)) for name in names),
            ]
            for trial in ranked[:most]
        ]
        heads = [name.rpartition(".")[2] for name in names]
        return ResultTable("", ["trial", "score", "steps", "", *heads], rows)

    def mattered(self) -> str:
        """What made scores differ, on one line; empty where too few trials tell."""
        ranked = sorted(self.importance.items(), key=lambda one: -one[1])
        shares = ", ".join(f"{name.rpartition('.')[2]} {share:.0%}" for name, share in ranked)
        return f"what mattered: {shares}" if shares else ""

    def __rich__(self) -> Group:
        """The trials, best first, and what mattered."""
        return Group(self.table().rich(), Text(self.mattered()))

    def __repr__(self) -> str:
        return as_text(self)

    def plot(self, path: Path | str) -> Path:
        """Draw the score of each trial by each setting, those that mattered first (.png or .svg)."""
        from seqloom.evaluating.plots import plot_trials  # here: it brings matplotlib

        names = sorted(self.best.settings, key=lambda name: -self.importance.get(name, 0.0))
        scored = [(trial.settings, trial.score, trial.ended) for trial in self.trials if trial.score is not None]
        points = {name: [(settings[name], score, ended) for settings, score, ended in scored] for name in names}
        return plot_trials(points, self.importance, path)


def shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


class Reporter(Callback):
    """Tells the search each score; stops a trial that is not among the better ones, or when the time is over."""

    def __init__(self, trial: Trial, until: float) -> None:
        self.trial, self.until, self.stopped = trial, until, ""

    def on_validation(self, state: TrainingState) -> None:
        self.trial.report(state.score, state.step)
        if self.trial.should_prune():
            self.stopped = "stopped early"
            state.stop(self.stopped)

    def on_step(self, state: TrainingState) -> None:
        if time.monotonic() > self.until:
            self.stopped = "out of time"
            state.stop(self.stopped)


def search(
    config: RunConfig,
    out: Path,
    budget: str,
    vary: Sequence[str] = (),
    *,
    trials: int | None = None,
    resume: bool = False,
    tell: Callable[[str], None] = print,
) -> Tuning:
    """Try settings until the time is over, or so many trials are done; `vary` says which: model.dropout=0..0.5."""
    require("optuna", "tune", "searching for settings")
    until = time.monotonic() + seconds_of(budget)
    usual = with_choices(config, choose(measure(find_task(config.task).open_data(config)["train"]), config))
    space = parse_space(vary, config) if vary else default_space(usual)
    if out.exists() and any(out.iterdir()) and not (resume and (out / JOURNAL).exists()):
        remedy = "choose another folder, or resume it: --resume, in Python resume=True"
        raise OutputError(f"{out} already exists", remedy=remedy)
    out.mkdir(parents=True, exist_ok=True)
    with locked(out / LOCK, "searches in this folder"):
        remember(out, config, space)
        study = open_study(out, config.train.seed)
        if not study.trials:
            study.enqueue_trial(within(space, usual))  # the first trial: what training without a search would do
        number = sum(trial.state.is_finished() for trial in study.trials)
        while time.monotonic() < until and (trials is None or number < trials):
            one_trial(study, config, space, out, until)
            number += 1
            last, best = study.trials[-1], best_of(study)
            reached = "-" if best is None else f"{metric_text(best.values[0])} (trial {best.number})"
            chosen = ", ".join(f"{name.rpartition('.')[2]} {shown(value)}" for name, value in last.params.items())
            score = metric_text(last.values[0]) if last.values else "-"
            tell(f"trial {last.number}: {score} ({last.user_attrs.get('ended')}; {chosen}); best {reached}")
        return result_of(out, study)


def within(space: Mapping[str, OneOf | Range], config: RunConfig) -> dict[str, Any]:
    """What is varied as it stands in settings, where the search may try that."""
    found = {name: attrgetter(name)(config) for name in space}
    return {name: value for name, value in found.items() if space[name].holds(value)}


def one_trial(study: Study, config: RunConfig, space: Mapping[str, OneOf | Range], out: Path, until: float) -> None:
    """Draw settings, train with them, and keep the model if it is the best so far."""
    from optuna.trial import TrialState

    trial = study.ask()
    drawn = {name: each.draw(trial, name) for name, each in space.items()}
    folder, before = out / f"trial-{trial.number:04d}", best_of(study)
    shutil.rmtree(folder, ignore_errors=True)
    reporter = Reporter(trial, until)
    try:
        done = run(changed(config, drawn), folder, quiet=True, callbacks=[reporter])
    except SeqloomError as error:  # settings that do not go together, a loss that is no number
        trial.set_user_attr("ended", f"failed: {error.what[:200]}")
        study.tell(trial, state=TrialState.FAIL)
        shutil.rmtree(folder, ignore_errors=True)
        if not any(one.state != TrialState.FAIL for one in study.trials[-3:]) and len(study.trials) >= 3:
            raise
        return
    trial.set_user_attr("ended", reporter.stopped or "finished")
    trial.set_user_attr("steps", done.step)
    if done.best is None:
        study.tell(trial, state=TrialState.FAIL)
    else:
        if before is None or done.best > before.values[0]:
            shutil.rmtree(out / BEST, ignore_errors=True)
            load(folder).save(out / BEST)
        study.tell(trial, done.best)
    shutil.rmtree(folder, ignore_errors=True)


def changed(config: RunConfig, drawn: Mapping[str, Any]) -> RunConfig:
    """The settings that all share with those of one trial in them."""
    values: dict[str, Any] = config.model_dump(exclude_unset=True)
    data = {name: getattr(config.data, name) for name in config.data.model_fields_set}  # rows stay rows
    values |= {"data": data, "task": config.task}
    for name, value in drawn.items():
        put(values, name.split("."), value)
    return check_run(values, where="settings of a trial")


def open_study(out: Path, seed: int) -> Study:
    """The search as it is in the folder; a trial that was cut off is tried again with the same settings."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend
    from optuna.trial import TrialState

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = JournalStorage(JournalFileBackend(str(out / JOURNAL)))
    pruner = optuna.pruners.SuccessiveHalvingPruner(reduction_factor=HALVING)
    study = optuna.create_study(
        storage=storage, study_name="seqloom", direction="maximize", load_if_exists=True, pruner=pruner
    )
    study.sampler = optuna.samplers.TPESampler(seed=seed + len(study.trials), n_startup_trials=6)
    for trial in study.trials:
        if trial.state == TrialState.RUNNING:
            study.tell(trial.number, state=TrialState.FAIL)
            study.enqueue_trial(trial.params)
    return study


def best_of(study: Study) -> FrozenTrial | None:
    scored = [trial for trial in study.trials if trial.values]
    return max(scored, key=lambda trial: trial.values[0], default=None)


def result_of(out: Path, study: Study) -> Tuning:
    found = [
        Trained(
            trial.number,
            trial.values[0] if trial.values else None,
            trial.user_attrs.get("steps", 0),
            trial.user_attrs.get("ended", "cut off"),
            trial.params,
        )
        for trial in study.trials
        if trial.state.is_finished() and trial.params
    ]
    if not any(trial.score is not None for trial in found):
        raise SeqloomError("no trial finished with a score", remedy="give it more time, or validation data")
    return Tuning(out, found, importance_of(study))


def importance_of(study: Study) -> dict[str, float]:
    """The share of each setting in what made scores differ (PED-ANOVA); empty where too few trials tell."""
    import optuna

    if sum(bool(trial.values) for trial in study.trials) < ENOUGH:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that this way to measure it is new
            evaluator = optuna.importance.PedAnovaImportanceEvaluator()
            found = optuna.importance.get_param_importances(study, evaluator=evaluator)
    except (ValueError, RuntimeError):
        return {}
    total = sum(found.values())
    return {name: value / total for name, value in found.items()} if total > 0 else {}


def remember(out: Path, config: RunConfig, space: Mapping[str, OneOf | Range]) -> None:
    """Keep what all trials share; one that goes on must be the same search."""
    now = {
        "settings": config.model_dump(mode="json", exclude_unset=True),
        "vary": {n: str(s) for n, s in space.items()},
    }
    now["settings"]["task"] = config.task
    if (out / SETTINGS).exists():
        then = read_json(out / SETTINGS)
        if then != json.loads(json.dumps(now)):
            raise ConfigError(str(out), [("tune", "was started with other settings", "use another folder")])
    replace_file(out / SETTINGS, json.dumps(now, indent=1, ensure_ascii=False).encode())


def begun_with(out: Path) -> tuple[RunConfig, list[str]]:
    """What a search in a folder was begun with: its settings, and what it varies."""
    if not (out / SETTINGS).exists():
        raise SeqloomError(f"{out} holds no search to resume", remedy="give the folder of one with --out")
    saved = read_json(out / SETTINGS)
    if not isinstance(saved.get("settings"), dict) or not isinstance(saved.get("vary"), dict):
        raise DamagedError("is not what seqloom tune writes", where=str(out / SETTINGS), remedy="start over")
    return check_run(saved["settings"], where=str(out / SETTINGS)), [f"{n}={s}" for n, s in saved["vary"].items()]


def seconds_of(budget: str) -> float:
    try:
        return parse_duration(str(budget))
    except ValueError:
        raise SeqloomError(f"{quoted(budget)} is not a duration", remedy="write it like 20m, 1h30m or 3600s") from None


def tune(
    config: Path | str | Mapping[str, Any] | RunConfig | None = None,
    *,
    data: Any = None,
    valid: Any = None,
    task: str | type[Task[Any]] | None = None,
    model: Any = None,
    out: Path | str = "tuned",
    budget: str = "20m",
    vary: Sequence[str] | Mapping[str, Any] = (),
    trials: int | None = None,
    steps: int | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    resume: bool = False,
    quiet: bool = False,
    **named: Any,
) -> Tuning:
    """Search for good settings: train many trials, stop the worse half early, and keep the best model.

    budget   time for the search, e.g. "20m"
    vary     settings to search: ["train.learning_rate=0.0005..0.01"], or {"model.name": ["lstm", "cnn"]}; default:
             learning rate, batch, dropout and label smoothing
    trials   maximum number of trials
    resume   resume the search in the folder `out`; give the same data again
    The rest is as in `seqloom.train`. The result can be printed, has `model`, `best`, `importance` and `plot(path)`.
    """
    values = gather_keywords(
        config, settings, task=task, data=data, model=model,
        named={"valid": as_data(valid, "valid"), "steps": steps, **named},
    )  # fmt: skip
    chosen = check_run(values, where=str(config) if isinstance(config, str | Path) else WHERE)
    changes = [f"{name}={spelled(each)}" for name, each in vary.items()] if isinstance(vary, Mapping) else vary
    wanted = as_list(changes, "vary", '"model.dropout=0..0.5"')
    tell: Callable[[str], None] = (lambda line: None) if quiet else print
    return search(chosen, as_path(out, "out"), budget, wanted, trials=trials, resume=resume, tell=tell)


def spelled(values: Any) -> str:
    """Choices as they are typed.

    >>> spelled(["lstm", "cnn"]), spelled("0.1..0.5")
    ('lstm,cnn', '0.1..0.5')
    """
    return values if isinstance(values, str) else ",".join(map(str, values))
