"""The tree is as docs/architecture.md draws it."""

import ast
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import seqloom
from seqloom.equations import Equations

ROOT = Path(seqloom.__file__).parent
ORDER = [
    "errors", "extras", "threads", "kernel_cache", "config", "storage", "lock", "equations", "layers", "testing",
    "decoding", "models", "data", "tokens", "vectors", "views", "attention", "evaluating", "attribution", "tasks",
    "engines", "training", "explaining", "comparing", "studio", "serving", "cli",
]  # fmt: skip
"""A file may use what stands above it."""

FILES = sorted(ROOT.rglob("*.py"))


def part(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(file: Path) -> set[str]:
    """The parts of seqloom that a file imports when it is loaded."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("seqloom."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {name.name.split(".")[1] for name in node.names if name.name.startswith("seqloom.")}
    return found


@pytest.mark.parametrize("file", [file for file in FILES if file != ROOT / "__init__.py"], ids=str)
def test_imports_point_up(file):
    assert part(file) in ORDER, "a new part has its place in the order"
    for other in imported(file):
        assert ORDER.index(other) <= ORDER.index(part(file)), f"{part(file)} stands above {other}"


def test_the_map_shows_every_part():
    text = (ROOT.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = re.findall(r"^      (\w+)(?:/|\.py) ", text, re.MULTILINE)
    assert shown == ORDER
    assert {entry.name.removesuffix(".py") for entry in ROOT.iterdir() if entry.name[0] not in "_."} - {
        "py.typed"
    } == set(ORDER)


def test_public_names_are_those_of_all():
    objects = {
        "Callback",
        "Model",
        "SeqloomError",
        "Task",
        "__version__",
        "compare",
        "definition",
        "distil",
        "explain",
        "layer",
        "load",
        "train",
        "tune",
    }
    assert set(seqloom.__all__) == objects | {"equations", "layers", "testing"}
    for name in seqloom.__all__:
        assert getattr(seqloom, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = seqloom.nothing


def test_modules_are_reached_from_the_package_and_nothing_heavy_is_imported_before():
    script = (
        "import sys, seqloom\n"
        "assert 'torch' not in sys.modules\n"
        "assert seqloom.layers.lstm.count(D=32, H=32) and seqloom.layers.LSTM\n"
        "assert callable(seqloom.equations.equations)\n"
        "import seqloom.equations\n"
        "assert callable(seqloom.equations.equations)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=200)


def test_layers_offers_every_definition_under_its_own_name():
    for info in pkgutil.iter_modules(seqloom.layers.__path__):
        module = import_module(f"seqloom.layers.{info.name}")
        for name, value in vars(module).items():
            if (
                isinstance(value, Equations)
                and getattr(value, "__name__", "") == name
                and value.__module__ == module.__name__
            ):
                assert getattr(seqloom.layers, name) is value
                assert name in seqloom.layers.__all__


def test_help_does_not_wait_for_torch():
    script = "import sys; from seqloom.cli import main\ntry: main()\nexcept SystemExit: print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script, "--help"], capture_output=True, text=True, check=True, timeout=200
    )
    assert "explain" in done.stdout
    assert done.stdout.strip().endswith("False")


def test_nothing_is_loaded_that_could_run_code():
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"import pickle|torch\.load\(|trust_remote_code", text), file


def test_nothing_refers_to_what_readers_cannot_see():
    """No ids of a specification, no documents and targets that are not in this repository."""
    hidden = re.compile(
        r"\b[Rr]ow [DMETX]\d{1,2}\b|\([DMETX]\d{1,2}[);,]|\bbar: |[Tt]he document(?:'s| writes| says)\b"
    )
    files = [file for kind in ("py", "md", "toml", "js", "css") for file in ROOT.parent.glob(f"*/**/*.{kind}")]
    files += [*ROOT.parent.glob("*.md"), *ROOT.parent.glob("*.toml")]
    for file in files:
        if ".venv" not in file.parts and file != Path(__file__):
            assert not (found := hidden.findall(file.read_text(encoding="utf-8"))), f"{file}: {found}"


def test_class_names_are_unique():
    homes: dict[str, list[str]] = {}
    for file in FILES:
        for name in re.findall(r"^class (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            homes.setdefault(name, []).append(str(file.relative_to(ROOT)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_no_code_is_made_from_text():
    for file in FILES:
        assert not re.search(r"\bexec\(", file.read_text(encoding="utf-8")), file
