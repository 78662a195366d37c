"""Threads beside other work: how they wait, and how many there are."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
import torch

import seqloom
from seqloom import threads
from seqloom.threads import POLICY, choose_threads, free_cores, using_threads, wait_asleep
from tests.training.reviews import write_reviews

CHECK = "import json, os, sys; print(json.dumps([os.environ.get('GOMP_SPINCOUNT'), 'torch' in sys.modules]))"


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "KMP_"))}
    return kept | more


@pytest.mark.parametrize(
    "script", ["from seqloom.cli import main; sys.argv[1:] = ['--version']\ntry: main()\nexcept SystemExit: pass",
               "import seqloom.threads; seqloom.threads.wait_asleep()"]
)  # fmt: skip
def test_threads_wait_asleep_before_torch_is_imported(script):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{script}\n{CHECK}"],
        env=environment(), capture_output=True, text=True, check=True, timeout=200,
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[-1]) == [POLICY["GOMP_SPINCOUNT"], False]


def test_what_a_user_chose_stays(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
        chosen = {name: "ACTIVE"}
        assert not wait_asleep(chosen)
        assert chosen == {name: "ACTIVE"}
    fresh: dict[str, str] = {}
    assert wait_asleep(fresh)
    assert fresh == POLICY


def test_it_is_too_late_once_torch_is_imported():
    chosen: dict[str, str] = {}
    assert not wait_asleep(chosen)
    assert not chosen


def test_free_cores_are_those_of_this_machine(monkeypatch, tmp_path):
    assert 0 <= free_cores() <= (os.cpu_count() or 1)
    looks = iter(["cpu0 0 0 0 0 0\ncpu1 0 0 0 0 0\n", "cpu0 10 0 0 0 0\ncpu1 1 2 0 7 0\n"])
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(
        threads, "STAT", type("Stat", (), {"exists": lambda _: True, "read_text": lambda _: next(looks)})()
    )
    assert free_cores() == pytest.approx(0.9)


def test_more_threads_than_free_cores_are_not_used():
    assert choose_threads(4, 1.4, {}) == 1
    assert choose_threads(4, 99.0, {}) == 4
    assert choose_threads(4, 0.0, {"MKL_NUM_THREADS": "4"}) == 4


def test_threads_of_a_block_are_given_back():
    before = torch.get_num_threads()
    with using_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


def test_a_run_goes_on_with_the_threads_that_it_was_begun_with(tmp_path, monkeypatch):
    """Sums over other threads round otherwise, and a run that goes on computes the same bits."""
    data = write_reviews(tmp_path / "reviews.tsv", count=60)
    used = []

    class Look(seqloom.Callback):
        def on_step(self, state):
            used.append(torch.get_num_threads())
            if state.step == 2:
                state.stop("stopped")

    monkeypatch.setattr("seqloom.training.run.choose_threads", lambda most: 3)
    small = {"name": "lstm", "widths": [6], "embedding": 8}
    how: Any = {
        "task": "classify",
        "data": str(data),
        "model": small,
        "out": tmp_path / "run",
        "quiet": True,
        "steps": 3,
    }
    seqloom.train(**how, callbacks=[Look()])
    monkeypatch.setattr("seqloom.training.run.choose_threads", lambda most: 1)
    seqloom.train(**how, resume=True, callbacks=[Look()])
    assert used == [3, 3]
    assert seqloom.load(tmp_path / "run").config.train.threads == 3
