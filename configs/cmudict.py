"""The CMU Pronouncing Dictionary as pairs: letters, and phonemes without stress.

    python configs/cmudict.py ../shared/data/cmudict/cmudict.dict.gz cmudict

writes train.tsv, valid.tsv and test.tsv into the folder `cmudict`: of a hundred words two to choose a model by, ten to
measure it with, all pronunciations of a word in one part. Which part a word is in depends on the word alone.
"""

import argparse
import gzip
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

SHARES = {"valid": 2, "test": 10}
"""Of a hundred words."""


def entries(file: Path) -> Iterator[tuple[str, str]]:
    """Words and their phonemes: `tomato(2)` is tomato, said in another way; what follows # is a remark."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, *phonemes = line.partition("#")[0].split()
            yield re.sub(r"\(\d+\)$", "", word), " ".join(phoneme.rstrip("012") for phoneme in phonemes)


def part_of(word: str) -> str:
    number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big") % 100
    for part, share in SHARES.items():
        if number < share:
            return part
        number -= share
    return "train"


def main(file: Path, folder: Path) -> None:
    parts: dict[str, dict[tuple[str, str], None]] = {part: {} for part in ("train", *SHARES)}
    for entry in entries(file):
        parts[part_of(entry[0])][entry] = None  # without stress some are the same
    folder.mkdir(parents=True, exist_ok=True)
    for part, pairs in parts.items():
        lines = (f"{word}\t{phonemes}\n" for word, phonemes in pairs)
        (folder / f"{part}.tsv").write_text("source\ttarget\n" + "".join(lines), encoding="utf-8")
        print(f"{folder / part}.tsv: {len(pairs):,} pronunciations of {len({word for word, _ in pairs}):,} words")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="cmudict.dict.gz")
    parser.add_argument("folder", type=Path, help="where train.tsv, valid.tsv and test.tsv are written")
    asked = parser.parse_args()
    if not asked.file.is_file():
        parser.error(f"{asked.file}: there is no such file")
    main(asked.file, asked.folder)
