"""Pictures in a corpus: bytes of one size, each once for all captions that follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import torch
from torch import Tensor

from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.pictures.decoding import WHITE, Pixels
from seqloom.data.pictures.files import pixels_of
from seqloom.data.record import Record
from seqloom.tasks.translate.corpus_text import as_bytes
from seqloom.tokens.tokenizer import Tokenizer

Shape = tuple[int, int, int]
"""Height, width and colours."""
NOTHING = np.zeros(0, np.uint8)


def captions_of(record: Record) -> list[str]:
    """What is said of a picture: one caption, or each of a list."""
    found = record.columns["caption"]
    return [str(text) for text in found] if isinstance(found, list) else [str(found)]


def picture_chunk(records: Sequence[Record], shape: Shape, tokenizer: Tokenizer) -> Chunk:
    """An example for each caption; `back` says how many examples before it the pixels are."""
    height, width, colours = shape
    pictures, names = [], []
    back: list[list[int]] = []
    texts: list[str] = []
    before = None
    for record in records:
        image = record.columns["image"]
        key = (image, record.place.file) if isinstance(image, str) else None
        for number, text in enumerate(captions_of(record)):
            same = number > 0 or (key is not None and key == before)
            pictures.append(NOTHING if same else pixels_of(record, width, height, colours).reshape(-1))
            back.append([back[-1][0] + 1 if same else 0])
            names.append(as_bytes(image if isinstance(image, str) else ""))
            texts.append(text)
        before = key
    return {
        "picture": pictures,
        "back": back,
        "name": names,
        "caption": tokenizer.encode_batch(texts),
        "caption_text": [as_bytes(text) for text in texts],
    }


def root_of(corpus: Corpus, row: int) -> int:
    """The example that holds the pixels of this one."""
    return row - int(corpus["back", row][0])


def picture_in(corpus: Corpus, row: int, shape: Shape) -> Pixels:
    found: Pixels = corpus["picture", root_of(corpus, row)].reshape(shape)
    return found


def by_picture(corpus: Corpus, rows: Sequence[int]) -> list[list[int]]:
    """Examples with the same picture together: one question with several right answers."""
    found: dict[object, list[int]] = {}
    for row in rows:
        name = corpus["name", row].tobytes()
        found.setdefault(name or root_of(corpus, row), []).append(row)
    return list(found.values())


def moved(pictures: Sequence[Pixels], most: int, random: Random) -> Iterator[Pixels]:
    """Each picture moved by a few pixels, white where it leaves a gap."""
    for picture in pictures:
        down, right = random.randint(-most, most), random.randint(-most, most)
        height, width, _ = picture.shape
        result = np.full_like(picture, WHITE)
        rows, columns = slice(max(down, 0), height + min(down, 0)), slice(max(right, 0), width + min(right, 0))
        from_rows = slice(max(-down, 0), height + min(-down, 0))
        from_columns = slice(max(-right, 0), width + min(-right, 0))
        result[rows, columns] = picture[from_rows, from_columns]
        yield result


def stacked(pictures: Sequence[Pixels], device: torch.device) -> Tensor:
    """Pictures side by side (B, height, width, colours), as bytes."""
    return torch.from_numpy(np.stack(pictures)).to(device)
