"""seqloom without a setting beside the simple baseline that people would write: same files, same test part, both timed.

    python -m bench.defaults                          # everything that is not measured yet: hours on two cores
    python -m bench.defaults --only banking77 imdb    # minutes
    python -m bench.defaults --table                  # what is measured so far, as Markdown

Each result is a JSON file under --folder; a set whose file is there is not measured again (`--again` does), and a
training that was stopped goes on. Times are seconds of the processor.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.default_peers import Score, classifiers, language_models, taggers
from bench.default_sets import SETS, BenchSet

NEAR = {"bleu": 2.0, "exact": 0.02}
"""How far below the figure of a recipe is as good."""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--only", nargs="+", choices=list(SETS), default=list(SETS))
    asked.add_argument("--folder", type=Path, default=Path("runs/defaults"))
    asked.add_argument("--again", action="store_true", help="measure what was measured before")
    asked.add_argument("--table", action="store_true", help="print what is measured so far")
    options = asked.parse_args()
    if not options.table:
        for name in options.only:
            measure(SETS[name], options.folder / name, again=options.again)
    print(table(options.folder))


def measure(one: BenchSet, folder: Path, *, again: bool) -> None:
    """Write the files, train and evaluate, measure the peers; keep the result."""
    result = folder / "result.json"
    if result.exists() and not again:
        return
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "written").exists():
        one.write(folder)
        (folder / "written").touch()
    peers = peers_of(one, folder)
    print(f"{one.name}: {json.dumps(peers)}", flush=True)
    found = {"metric": one.metric, "lower": one.lower, "seqloom": ours(one, folder), "peers": peers}
    result.write_text(json.dumps({**found, "recipe": one.recipe}, indent=1), encoding="utf-8")


def peers_of(one: BenchSet, folder: Path) -> dict[str, Score]:
    train, test = folder / one.train, folder / one.test[0]
    if one.task == "classify":
        return classifiers(folder)
    if one.task == "tag":
        return taggers(train, test, one.metric, **({"format": "conll"} if one.flags else {}))
    return language_models(train, test) if one.task == "generate" else {}


def ours(one: BenchSet, folder: Path) -> dict[str, Any]:
    """The one line that a person types, and what it gives."""
    run = folder / "run"
    if (run / "setup").exists():
        train = ["train", "--resume", str(run)]
    else:
        train = ["train", "--task", one.task, "--data", str(folder / one.train), "--out", str(run), *one.flags]
        train += ["--valid", str(folder / one.valid)] if one.valid else []
    seconds, said = typed(train)
    test = [str(folder / name) for name in one.test]
    _, answer = typed(["evaluate", str(run), *test, "--json", *one.evaluate])
    measured = json.loads(answer)
    print(f"{one.name}: {one.metric} {measured[one.metric]:.4f} in {seconds:.0f} s", flush=True)
    return {"score": measured[one.metric], "seconds": seconds, "said": said.splitlines()[-2:]}


def typed(command: list[str]) -> tuple[float, str]:
    """Seconds of the processor that a command of seqloom took, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "seqloom.cli", *command], stdout=subprocess.PIPE, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def table(folder: Path) -> str:
    """Everything that is measured, as Markdown."""
    lines = ["| data | metric | seqloom, no setting | beside it | |", "| --- | --- | --- | --- | --- |"]
    for name in SETS:
        result = folder / name / "result.json"
        if not result.exists():
            lines.append(f"| {name} | | not measured | | |")
            continue
        found = json.loads(result.read_text(encoding="utf-8"))
        own = found["seqloom"]
        beside = [f"{peer} {shown(one)}" for peer, one in found["peers"].items()]
        beside += [f"the recipe {found['recipe']}"] if found["recipe"] is not None else []
        verdict = "holds" if as_good(found) else "**loses**"
        lines.append(f"| {name} | {found['metric']} | {shown(own)} | {', '.join(beside)} | {verdict} |")
    return "\n".join(lines)


def shown(one: Score) -> str:
    return f"{one['score']:.4g} ({one['seconds']:.0f} s)"


def as_good(found: dict[str, Any]) -> bool:
    """Whether no baseline is better, and the figure of a recipe is near."""
    sign = -1 if found["lower"] else 1
    score = sign * found["seqloom"]["score"]
    best = max((sign * peer["score"] for peer in found["peers"].values()), default=score)
    near = found["recipe"] is None or score >= found["recipe"] - NEAR[found["metric"]]
    return bool(score >= best and near)


if __name__ == "__main__":
    main()
