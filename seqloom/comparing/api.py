"""`seqloom.compare(...)`: the one call behind the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seqloom.comparing.compared_models import compared_models, reference
from seqloom.comparing.comparison import Comparison
from seqloom.comparing.findings import findings
from seqloom.comparing.report import write_report
from seqloom.comparing.runs import Say, trained
from seqloom.comparing.settings import CompareConfig, Equal
from seqloom.config import check, gather
from seqloom.data.in_memory import as_data
from seqloom.errors import ConfigError, OutputError, as_path
from seqloom.lock import locked
from seqloom.training.keyword_settings import as_list, gather_keywords, section_values


def compare(
    config: Path | str | Mapping[str, Any] | None = None,
    *,
    task: str | None = None,
    data: Any = None,
    valid: Any = None,
    models: Sequence[Any] | str | None = None,
    out: Path | str = "comparison",
    equal: Equal | None = None,
    budget: str | None = None,
    steps: int | None = None,
    parameters: int | None = None,
    seeds: int | None = None,
    vary: Sequence[str] | str = (),
    ablation: str | None = None,
    sentence: str | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    quiet: bool = False,
    say: Say | None = None,
    **named: Any,
) -> Comparison:
    """Train models on the same data, tokens, batches and seeds, and report how they differ and why.

    config    a TOML file or a dictionary with a section [compare]; the other arguments override it
    task      the task of the models; implied by embedded data
    data      training data, as for `seqloom.train`; default: embedded data for the task
    models    names as "lstm", "package.module:name", objects, or tables {"name": "lstm", "label": "wide", ...}, in a
              list or comma-separated; default: a selection for the task
    out       the folder of the comparison; models already trained there are reused
    equal     what is equal for all models: "time" (`budget` for each), "steps", or "parameters"
    seeds     training runs per model
    vary      settings to vary, e.g. "model.heads=1,2,4,8"
    ablation  a predefined ablation by name, e.g. "heads"
    sentence  the input to show for every model
    settings  settings for all models, e.g. "train.batch_tokens=2000"; `named` in the same way
    """
    values = gather(config) if config is None or isinstance(config, str | Path) else section_values("config", config)
    section = values.pop("compare", {})
    if not isinstance(section, Mapping):
        raise ConfigError(str(config), [("compare", "is no section", "write [compare] and settings below it")])
    asked = {
        "models": model_list(models), "equal": equal, "budget": budget, "steps": steps, "parameters": parameters,
        "seeds": seeds, "vary": as_list(vary, "vary", '"model.heads=1,2"') or None, "ablation": ablation,
        "sentence": sentence,
    }  # fmt: skip
    told = {name: value for name, value in asked.items() if value is not None}
    where = str(config) if isinstance(config, str | Path) else "settings"
    chosen = check(CompareConfig, {**section, **told}, where=where)
    given = gather_keywords(
        values, settings, task=task, data=data, model=None, named={"valid": as_data(valid, "valid"), **named}
    )
    return run(
        given, chosen, as_path(out, "out"), quiet=quiet, say=say or (print if not quiet else (lambda text: None))
    )


def model_list(models: Sequence[Any] | str | None) -> list[Any] | None:
    if models is None:
        return None
    names = models.split(",") if isinstance(models, str) else models
    return [reference(one.strip() if isinstance(one, str) else one) for one in names if one != ""]


def run(given: Mapping[str, Any], chosen: CompareConfig, out: Path, *, quiet: bool, say: Say) -> Comparison:
    """Train, measure, write the report."""
    found = compared_models(given, chosen)
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file", remedy="choose a folder (out)")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out} cannot be a folder: {error.strerror}", remedy="choose another (out)") from error
    with locked(out / ".lock", "compares in this folder"):
        say(f"{len(found)} models, {', '.join(one.label for one in found)}")
        runs = trained(found, chosen, out, quiet=quiet, say=say)
        results = findings(runs, chosen, say)
        report = write_report(results, out)
    return Comparison(results, report)
