"""Several processes that want the same corpus at the same time: one makes it, the others have it."""

from pathlib import Path

import pytest

from seqloom.data.corpus import prepare
from seqloom.errors import OutputError
from tests.data.coding import Codes, content, source
from tests.waits import eventually

PREPARE = """
import sys, time
from pathlib import Path
from seqloom.data.corpus import prepare
from tests.data.coding import Logged, source
folder, gate, log = map(Path, sys.argv[1:4])
def gated():
    for record in source():
        while record.place.line == 31 and not gate.exists():
            time.sleep(0.01)
        yield record
prepare(folder, gated(), Logged(log).encode, size=5, workers=int(sys.argv[4]))
"""


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot write .*/file/\.c\.lock"):
        prepare(tmp_path / "file" / "c", source(), Codes().encode)


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, bytes]:
    """The corpus as a lone process makes it."""
    return content(prepare(tmp_path / "alone" / "c", source(), Codes().encode, size=5, workers=1).folder)


@pytest.mark.parametrize("workers", [1, 2])
def test_another_run_ends_what_a_killed_one_began(start, tmp_path, alone, workers):
    cache = tmp_path / "cache"
    one = start(PREPARE, cache / "c", tmp_path / "never", tmp_path / "one.log", workers)
    parts = cache / "c.5.chunks"
    eventually(lambda: len(list(parts.glob("*.npz"))) >= 4, one)
    (tmp_path / "open").touch()
    two = start(PREPARE, cache / "c", tmp_path / "open", tmp_path / "two.log", workers)
    assert two.stderr.readline().startswith(f"process {one.pid} is preparing the same data; waiting for it")
    assert not (tmp_path / "two.log").exists()
    one.kill()
    one.communicate(timeout=200)
    assert two.communicate(timeout=200) == ("", "")
    assert two.returncode == 0
    assert content(cache / "c") == alone
    assert [file.name for file in cache.iterdir()] == ["c"]
    chunks = set(map(int, (tmp_path / "two.log").read_text().split()))
    assert 31 in chunks and len(chunks) <= 12 - 4, "what was done is kept"


def test_of_two_runs_one_makes_the_corpus_and_both_have_it(start, tmp_path, alone):
    cache, gate = tmp_path / "cache", tmp_path / "open"
    one = start(PREPARE, cache / "c", gate, tmp_path / "log", 1)
    eventually((tmp_path / "log").exists, one)
    two = start(PREPARE, cache / "c", gate, tmp_path / "log", 1)
    assert "waiting for it" in two.stderr.readline()
    gate.touch()
    for process in (one, two):
        assert process.communicate(timeout=200) == ("", "")
        assert process.returncode == 0
    assert content(cache / "c") == alone
    assert (tmp_path / "log").read_text().split() == [str(line) for line in range(1, 58, 5)], "each chunk once"
    assert [file.name for file in cache.iterdir()] == ["c"]
