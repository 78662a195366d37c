"""What a task predicts occurs in training, however its data is cut."""

import json

import pytest

from seqloom.tasks.registry import find_task
from seqloom.training.run_config import load_run

RARE = {
    "label": ("classify", [], [{"label": str(n // 2), "text": "a"} for n in range(40)], "label"),
    "labels": (
        "classify",
        ["classify.answer=labels", "classify.separator=;"],
        [{"labels": f"x; y{n // 2}", "text": "a"} for n in range(40)],
        "labels",
    ),
    "tags": ("tag", [], [{"tokens": ["a"], "tags": [f"T{n // 2}"]} for n in range(40)], "tags"),
    "words": ("translate", [], [{"source": "a", "target": target} for target in ["dog"] * 30 + ["cat"]], "target"),
    "numbers": (
        "classify",
        ["classify.answer=number"],
        [{"label": n, "text": "a"} for n in range(40)],
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("task, changes, rows, column", RARE.values(), ids=RARE)
def test_everything_that_is_predicted_occurs_in_training(task, changes, rows, column, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = load_run(None, [*changes, "data.valid_share=0.5"], task=task, data__train=str(file))
    splits = find_task(task).open_data(config)
    train, valid = ([record.columns for record in splits[name]] for name in ("train", "valid"))
    assert len(train) + len(valid) == len(rows)
    assert abs(len(valid) - len(rows) / 2) <= 1
    if column:
        assert {str(found[column]) for found in valid} <= {str(found[column]) for found in train}
