"""The section [data] of a configuration file."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, NonNegativeFloat, PositiveInt, ValidationInfo, model_validator

from seqloom.config import Config, problem
from seqloom.data.bad_records import OnBad, Policy
from seqloom.data.formats import Format
from seqloom.data.in_memory import InMemoryData

CutFrom = Literal["anywhere", "end"]


class DataConfig(Config):
    """Where the data is and how it is read."""

    train: str | list[str] | dict[str, str] | InMemoryData = ""
    """Training data: a path, a pattern, a list of paths, a folder, files by role (source, target) or by label, or a
    data set: data:NAME/SPLIT; in Python also rows: a list of pairs or dicts, a data frame, a table, a dataset."""
    valid: str | list[str] | dict[str, str] | InMemoryData = ""
    """Validation data, as `train`; empty: found beside it by name, or cut from it."""
    test: str | list[str] | dict[str, str] | InMemoryData = ""
    """Test data, as `train`; empty: found beside it by name, or cut from it if `test_share` is not 0."""
    format: Format = "auto"
    """text, parallel, tsv, csv, jsonl, conll, conllu, parquet, npy, frames or folder; auto: by name and content."""
    columns: dict[str, str | int] = Field(default_factory=dict)
    """The column of each role, by name or by number from 1, as in text = "review"; empty: by the names of the roles."""
    header: Literal["auto"] | bool = "auto"
    """Whether the first row of a table names its columns; auto: if it holds a name asked for, known to the task,
    or usual for columns."""
    separator: str = "auto"
    """What stands between the cells of a table, as ; or | (a tab: "\\t"); auto: found in its first lines."""
    on_bad: OnBad = "error"
    """What happens to what cannot be used: error stops with file and line, skip leaves it out and counts it."""
    longest_line: PositiveInt = Policy.longest_line
    """Bytes that a line may have; a longer one cannot be used."""
    split_column: str = ""
    """The column that says train, valid or test; empty: none."""
    split_by: str = ""
    """The column whose equal values land in one split when splits are cut; empty: each record by itself."""
    valid_share: NonNegativeFloat = 0.1
    """Share of the training data that is cut off for validation, if there is none of its own."""
    test_share: NonNegativeFloat = 0.0
    """Share of the training data that is cut off for testing, if there is none of its own."""
    cut_from: CutFrom = "anywhere"
    """Where records are cut off: anywhere, as `seed` decides, or at the end of the text, by characters."""
    stratify: bool = True
    """Whether each label is as frequent in every split that is cut off, and every label, tag and word of an answer
    occurs in training; false: each record by itself, so that it keeps its split when more records follow."""
    seed: int = 0
    """Decides which records are cut off."""
    source_language: str = "und"
    """Language of the text, or of the source, as a BCP 47 code (en, zh-Hans); und: not said."""
    target_language: str = "und"
    """Language of the target, as `source_language`."""

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
            raise problem("split_by", "equal values need not stand together at the end", remedy=remedy)
        return self

    def how(self) -> dict[str, Any]:
        """The arguments of `open_source`."""
        names = ("format", "columns", "header", "separator", "on_bad", "longest_line")
        languages = (self.source_language, self.target_language)
        return {"languages": languages, **{name: getattr(self, name) for name in names}}
