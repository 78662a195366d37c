"""Word vectors in files: those of word2vec and fastText (text and binary), those of GloVe, and a folder of our own.

    word2vec text     "V D", then a line for each word: the word and D numbers
    GloVe text        the same without the first line
    word2vec binary   "V D", then for each word: the word, a space, D float32, by custom a line end
    folder            vectors.safetensors, words.json, manifest.json

The format is detected from the content; a file may be packed with gzip. Files are read as a stream: memory grows with
the rows that are kept, never with what the file claims or holds. Nothing in them is ever run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Literal, NamedTuple, cast

from seqloom.data.line_reader import BOM, expanded, open_bytes
from seqloom.errors import DamagedError, DataError, SeqloomError
from seqloom.storage import MANIFEST, new_folder, open_files, replaced, write_json, write_tensors
from seqloom.vectors.binary_format import binary_rows
from seqloom.vectors.text_format import looks_like_text, text_rows
from seqloom.vectors.vector_rows import LONGEST_LINE, WIDEST, KeptVectors, VectorRow
from seqloom.vectors.word_vectors import WordVectors

TENSORS, WORDS = "vectors.safetensors", "words.json"


class Loaded(NamedTuple):
    """Vectors from a file, and how they were found."""

    vectors: WordVectors
    kind: Literal["text", "binary", "folder"]
    rows: int  # read in the file, kept or not
    duplicates: int  # rows of a word that had one already: the first counts


def read_vectors(
    path: Path | str,
    *,
    kind: Literal["text", "binary"] | None = None,
    wanted: Collection[str] | None = None,
    limit: int | None = None,
) -> Loaded:
    """Read vectors; only those of `wanted` words, only of the first `limit` rows (files have the frequent ones first).

    A wanted word stands for its small spelling too, as `WordVectors.for_tokenizer` looks for both. Rows that are not
    wanted are passed over, not checked. `kind` is for a file whose content tells the wrong one.
    """
    path = expanded(path)
    if limit is not None and limit < 1:
        raise SeqloomError(f"a limit of {limit} rows", remedy="read 1 or more, or leave the limit out")
    asked = None if wanted is None else {form.encode() for word in wanted for form in (word, word.lower())}
    if path.is_dir() and (path / MANIFEST).is_file():
        return read_folder(path, asked, limit)
    kept = KeptVectors(path, asked)
    with open_bytes(path) as stream:
        first = stream.readline(LONGEST_LINE).removeprefix(BOM)
        if not first.strip():
            raise DataError("has no vectors: the file is empty", where=f"{path}:1", remedy="check how it was made")
        size = header(first, path)
        if kind is None:
            kind = "text" if size is None or looks_like_text(cast(BufferedReader, stream).peek()) else "binary"
        if kind == "binary" and size is None:
            remedy = 'a binary file begins with a line of two numbers, "rows width": read it as text'
            raise DataError("has no header", where=f"{path}:1", remedy=remedy)
        rows: Iterator[VectorRow] = (
            binary_rows(stream, path, len(first), size, asked)
            if kind == "binary" and size is not None
            else text_rows(stream, path, first, size, asked)
        )
        count = 0
        for row in rows:
            count += 1
            kept.add(row)
            if count == limit:
                break
    return Loaded(kept.vectors(), kind, count, kept.duplicates)


def header(line: bytes, path: Path) -> tuple[int, int] | None:
    """Rows and width, if the first line says them; a row of width 1 whose word is a number would read the same."""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    if max(map(len, fields)) > 18:
        raise DataError("the header's counts are impossible", where=f"{path}:1", remedy="check how it was made")
    rows, width = map(int, fields)
    if rows < 1 or not 1 <= width <= WIDEST:
        raise DataError(
            f"the header promises {rows:,} rows of {width:,} numbers",
            where=f"{path}:1",
            remedy=f"there must be a row, and 1 to {WIDEST:,} numbers in each: check how the file was made",
        )
    return rows, width


def read_folder(folder: Path, asked: Collection[bytes] | None, limit: int | None) -> Loaded:
    files = open_files(folder)
    words, matrix = files.json(WORDS).get("words"), files.tensors(TENSORS).get("vectors")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or matrix is None:
        words, matrix = [], None
    if matrix is None or matrix.dim() != 2 or len(matrix) != len(words) or not matrix.isfinite().all():
        raise DamagedError(f"{folder} holds no word vectors", remedy="give a folder that write_vectors wrote")
    rows = len(words) if limit is None else min(limit, len(words))
    places = [at for at in range(rows) if asked is None or words[at].encode() in asked]
    if not places:
        raise DataError(
            "none of the requested words was found", where=str(folder), remedy="check the words and their case"
        )
    chosen = matrix.clone() if len(places) == len(words) else matrix[places]
    return Loaded(WordVectors(tuple(words[at] for at in places), chosen), "folder", rows, 0)


def write_vectors(vectors: WordVectors, path: Path | str, kind: Literal["text", "binary", "folder"]) -> None:
    """Write vectors so that the file is whole or as before; any of the kinds gives back the same bits."""
    path = expanded(path)
    if kind == "folder":
        with new_folder(path) as folder:
            write_tensors(folder / TENSORS, {"vectors": vectors.matrix})
            write_json(folder / WORDS, {"words": list(vectors.words)})
        return
    for word in vectors.words:
        if not word or any(letter in word for letter in " \t\n\r\0"):
            remedy = "replace its spaces, e.g. with _, or write the kind folder"
            raise DataError(f"the word {word!r} cannot be written to a {kind} file", where=str(path), remedy=remedy)
    rows = vectors.matrix.detach().cpu().numpy().astype("<f4", copy=False)
    with replaced(path) as stream:
        stream.write(f"{len(vectors)} {vectors.width}\n".encode())
        for word, row in zip(vectors.words, rows):
            text = " ".join(f"{number:.9g}" for number in row.tolist()) if kind == "text" else ""
            stream.write(word.encode() + b" " + (text.encode() or row.tobytes()) + b"\n")
