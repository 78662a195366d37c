"""Every line of docs/systems.md runs: its command, and its Python."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import seqloom
from seqloom.cli import app
from seqloom.comparing import compared_models, report
from seqloom.training import api, run_config
from seqloom.training.run_config import RunConfig, check_run
from tests.tasks.drawings import write_drawings
from tests.training.reviews import write_reviews

PAGE = Path(__file__).parents[1] / "docs" / "systems.md"
LINE = re.compile(r"^\| ([DMETX]\d+) \| [^|]+ \| `(seqloom [^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
QUICK = {"steps": 1, "warmup_steps": 0, "batch_tokens": 64, "choose": False}
SMALL = {
    "embedding": 8, "widths": [6], "encoder_widths": [6], "decoder_widths": [6], "hidden": 6, "heads": 2, "length": 14,
    "filters": [4],
}  # fmt: skip


def write_data(place: Path) -> None:
    """The files that the page speaks of."""
    write_reviews(place / "reviews.tsv", count=24)
    texts = ["a fine film", "the dull story", "the cast was lovely", "it was a cold tale"] * 5
    (place / "pairs.tsv").write_text("".join(f"{text}\t{text.upper()} !\n" for text in texts))
    (place / "text.txt").write_text("\n".join(texts) + "\n")
    (place / "tags.conll").write_text("a\tD\nfilm\tN\nthe\tD\nstory\tN\nof\tP\nit\tN\n\n" * 9)
    rows = "".join(f"{'good' if n % 2 else 'bad'},text {n},{n * 3},{'Ulm' if n % 3 else 'Rom'}\n" for n in range(20))
    (place / "adverts.csv").write_text(f"label,text,price,town\n{rows}")
    write_drawings(place / "pictures", times=1)
    frames = [{"label": "ab"[n % 2], "frames": [[n % 2 + t / 3.0, -t] for t in range(3 + n % 2)]} for n in range(20)]
    (place / "frames.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in frames))


def quick(values: dict[str, Any], *, where: str, saved: bool = False) -> RunConfig:
    """Settings as they are, but with one step, and small where nothing is said; what a model does not read is left."""
    given = {**values, "train": {**values.get("train", {}), **QUICK}}
    model: Any = check_run(given, where=where, saved=saved).model  # type: ignore[attr-defined]
    read = model.settings_read() & type(model).model_fields.keys()
    small = {name: value for name, value in SMALL.items() if name in read}
    given["model"] = {**small, **values.get("model", {})}
    if values.get("task") == "translate":
        given["translate"] = {"measure": "loss", **values.get("translate", {})}
    return check_run(given, where=where, saved=saved)


@pytest.mark.timeout(1800)  # more than a hundred commands, each of which uses the runs of others
def test_every_system_runs_from_the_command_line_and_from_python(tmp_path, monkeypatch):
    lines = LINE.findall(PAGE.read_text(encoding="utf-8"))
    assert len(lines) == len(re.findall(r"^\| [DMETX]\d+ ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) > 40
    write_data(tmp_path)
    monkeypatch.chdir(tmp_path)
    for module in (api, run_config, compared_models):
        monkeypatch.setattr(module, "check_run", quick)
    monkeypatch.setattr(report, "write_plots", lambda charts, folder: [])
    monkeypatch.setattr("seqloom.comparing.cost.REPEATS", 1)
    monkeypatch.setattr("seqloom.comparing.cost.SECONDS", 0.0)  # a curve of one length
    wrong = [f"{id}: {found}" for id, *line in lines for found in failures(*line)]
    assert not wrong, "\n".join(wrong)


def failures(command: str, python: str) -> Iterator[str]:
    """What goes wrong in a line of the page."""
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    if done.exit_code:
        yield f"{command}\n{done.output}\n{done.exception}"
    try:
        assert eval(python, {"seqloom": seqloom}) is not None
    except Exception as error:  # of any line, so that all are seen at once
        yield f"{python}\n{error!r}"
