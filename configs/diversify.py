"""More pairs out of those there are: what trained models make of them.

    python configs/diversify.py data:multi30k/train.en data:multi30k/train.de runs/multi30k-more \\
        --forward runs/multi30k-tiny-r-drop runs/multi30k-attention-r-drop \\
        --backward runs/multi30k-de-en-gru-attention runs/multi30k-de-en-conv runs/multi30k-de-en-transformer

writes source.txt and target.txt into the folder `runs/multi30k-more`: all pairs twice, then with each forward model's
answers as targets, then with each backward model's answers as sources. Nothing but the pairs themselves is used.
Paper: X. Nguyen et al., Data diversification: a simple strategy for neural machine translation, NeurIPS 2020.
"""

import argparse
import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.progress import track

import seqloom
from seqloom.data.formats import one_file
from seqloom.errors import SeqloomError
from seqloom.storage import replace_file

AT_ONCE = 512
"""Texts that a model is handed together."""


def lines(file: Path) -> list[str]:
    raw = file.read_bytes()
    return (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode().splitlines()


def answers(folder: Path, texts: list[str], beam: int) -> list[str]:
    model = seqloom.load(folder)
    starts = track(range(0, len(texts), AT_ONCE), description=str(folder))
    return [
        answer.text for start in starts for answer in model(texts[start : start + AT_ONCE], beam=beam, attention=False)
    ]


def diversified(
    sources: list[str], targets: list[str], forward: list[Path], backward: list[Path], beam: int
) -> Iterator[tuple[list[str], list[str]]]:
    """Sources and targets of the same number, one pair of lists after the other."""
    yield sources, targets
    yield sources, targets
    for folder in forward:
        yield sources, answers(folder, sources, beam)
    for folder in backward:
        yield answers(folder, targets, beam), targets


def main(asked: argparse.Namespace) -> None:
    sources, targets = lines(one_file(asked.source)), lines(one_file(asked.target))
    if len(sources) != len(targets):
        raise SeqloomError(
            f"{asked.source} has {len(sources):,} lines, {asked.target} {len(targets):,}",
            remedy="line by line they have to be pairs",
        )
    pairs = [
        pair
        for part in diversified(sources, targets, asked.forward, asked.backward, asked.beam)
        for pair in zip(*part, strict=True)
        if all(pair)  # an empty answer teaches nothing
    ]
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name, texts in zip(("source.txt", "target.txt"), zip(*pairs, strict=True), strict=True):
        replace_file(asked.folder / name, "".join(f"{text}\n" for text in texts).encode())
    print(f"{asked.folder}: {len(pairs):,} pairs out of {len(sources):,}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="sources, one a line: a file, or data:NAME/FILE")
    parser.add_argument("target", help="targets, one a line")
    parser.add_argument("folder", type=Path, help="where source.txt and target.txt are written")
    parser.add_argument("--forward", type=Path, nargs="*", default=[], help="models from source to target")
    parser.add_argument("--backward", type=Path, nargs="*", default=[], help="models from target to source")
    parser.add_argument("--beam", type=int, default=2, help="beam size")
    asked = parser.parse_args()
    try:
        main(asked)
    except (SeqloomError, OSError) as error:
        sys.exit(f"{error}")
