"""The section [data] of a configuration file."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, NonNegativeFloat, PositiveInt, ValidationInfo, model_validator

from seqloom.config import Config, problem
from seqloom.data.bad_records import OnBad, Policy
from seqloom.data.character_encoding import why_not_by_line
from seqloom.data.formats import Format
from seqloom.data.in_memory import InMemoryData

CutFrom = Literal["anywhere", "end"]


class DataConfig(Config):
    """Where the data is, and how it is read and split."""

    train: str | list[str] | dict[str, str] | InMemoryData = ""
    """Training data: a path, a glob pattern, a list of paths, a folder, files by role (source, target) or by label, or
    a public data set as data:NAME/SPLIT; in Python also rows: a list of pairs or dicts, a data frame, a dataset."""
    valid: str | list[str] | dict[str, str] | InMemoryData = ""
    """Validation data, given like `train`; empty: a file beside it with a matching name, else split off from it."""
    test: str | list[str] | dict[str, str] | InMemoryData = ""
    """Test data, given like `train`; empty: a file beside it with a matching name, else `test_share` of it."""
    format: Format = "auto"
    """text, parallel, tsv, csv, jsonl, conll, conllu, parquet, npy, frames or folder; auto: by name and content."""
    columns: dict[str, str | int] = Field(default_factory=dict)
    """Which column has which role, by name or by number from 1, e.g. text = "review"; empty: matched by name."""
    header: Literal["auto"] | bool = "auto"
    """Whether the first row of a table is a header; auto: if it contains a column name that was asked for, that the
    task knows, or that is common."""
    separator: str = "auto"
    """The separator between columns, e.g. ; or | (a tab: "\\t"); auto: detected from the first lines."""
    on_bad: OnBad = "error"
    """What to do with invalid records: error stops and reports file and line, skip drops and counts them."""
    encoding: str = Policy.encoding
    """The character encoding of files, e.g. cp1252 or gb18030; UTF-16 is detected."""
    longest_line: PositiveInt = Policy.longest_line
    """Maximum length of a line in bytes; longer lines are invalid."""
    split_column: str = ""
    """The column that assigns each record to train, valid or test; empty: none."""
    split_by: str = ""
    """Records with the same value in this column stay in the same split; empty: each record on its own."""
    valid_share: NonNegativeFloat = 0.1
    """Fraction of the training data held out for validation if no validation data is given."""
    test_share: NonNegativeFloat = 0.0
    """Fraction of the training data held out for testing if no test data is given."""
    fraction: float = Field(1.0, gt=0, le=1)
    """Fraction of the training records to use, sampled with `seed` after the splits are made: to see what fewer
    examples would give."""
    cut_from: CutFrom = "anywhere"
    """Where held-out records come from: anywhere, sampled with `seed`, or the end of the text, by characters."""
    stratify: bool = True
    """Stratified splits: each label is equally frequent in every split, and every label, tag and target word occurs in
    training; false: each record is assigned on its own, so that it keeps its split when records are added."""
    seed: int = 0
    """Random seed of the splits."""
    source_language: str = "und"
    """Language of the text or source as a BCP 47 code (en, zh-Hans); und: undetermined."""
    target_language: str = "und"
    """Language of the target, like `source_language`."""

    @model_validator(mode="before")
    @classmethod
    def older_runs_keep_their_cut(cls, values: Any, info: ValidationInfo) -> Any:
        if isinstance(values, dict) and (info.context or {}).get("saved"):
            return {"stratify": False, **values}
        return values

    @model_validator(mode="after")
    def separator_is_one_character(self) -> Self:
        if self.separator != "auto" and len(self.separator) != 1:
            raise problem("separator", f"{self.separator!r} is not one character", remedy="give one, as ; or |")
        return self

    @model_validator(mode="after")
    def lines_can_be_read(self) -> Self:
        if why := why_not_by_line(self.encoding):
            raise problem("encoding", f"{self.encoding!r}: {why}", remedy="give one as cp1252, gb18030 or shift_jis")
        return self

    @model_validator(mode="after")
    def something_is_left_to_train_on(self) -> Self:
        cut_off = self.valid_share + self.test_share
        if cut_off >= 1:
            raise problem(
                "valid_share", f"with test_share {cut_off:g} of the data is cut off", remedy="leave some to train on"
            )
        return self

    @model_validator(mode="after")
    def the_end_is_where_it_is(self) -> Self:
        if self.cut_from == "end" and self.split_by:
            remedy = 'leave split_by empty, or set cut_from = "anywhere"'
            raise problem("split_by", "records with equal values need not be together at the end", remedy=remedy)
        return self

    def how(self) -> dict[str, Any]:
        """The arguments of `open_source`."""
        names = ("format", "columns", "header", "separator", "on_bad", "longest_line", "encoding")
        languages = (self.source_language, self.target_language)
        return {"languages": languages, **{name: getattr(self, name) for name in names}}
