"""Several sets of data for one model, each with a tag: the tables [[data.sets]] of a configuration."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from seqloom.config import Config, problem
from seqloom.data.settings import DataConfig


class TaggedSet(Config):
    """One of several sets for one model: a table [[data.sets]]."""

    tag: str = Field(pattern=r"^\S+$", max_length=100)
    """The name of the set, which also comes before its inputs, e.g. <2phones>; a word without spaces."""
    train: str | list[str] | dict[str, str]
    """Training data, like data.train."""
    valid: str | list[str] | dict[str, str] = ""
    """Validation data, like data.valid."""
    test: str | list[str] | dict[str, str] = ""
    """Test data, like data.test."""
    columns: dict[str, str | int] = Field(default_factory=dict)
    """Which column has which role, like data.columns."""
    source_language: str = "und"
    """Language of the source."""
    target_language: str = "und"
    """Language of the target."""

    def reading(self) -> dict[str, object]:
        """What it says of its data, as settings of [data]."""
        return {name: getattr(self, name) for name in self.model_fields_set & DataConfig.model_fields.keys()}


class TaggedData(DataConfig):
    """Data of one kind, or several sets of it for one model."""

    sets: list[TaggedSet] = Field(default_factory=list)
    """Several data sets for one model, each with a tag: tables [[data.sets]] instead of `train`."""

    @model_validator(mode="after")
    def sets_have_their_own_data(self) -> Self:
        if not self.sets:
            return self
        if self.train or self.valid or self.test:
            raise problem(
                "sets",
                "data.train, data.valid and data.test are for a single data set",
                remedy="put them into [[data.sets]]",
            )
        tags = [one.tag for one in self.sets]
        if len(set(tags)) < len(tags):
            raise problem("sets", f"a tag is used twice: {', '.join(tags)}", remedy="give each set its own")
        return self

    def one_by_one(self) -> dict[str, DataConfig]:
        """The settings of each set, by its tag."""
        own = DataConfig.model_fields.keys()
        shared = {name: getattr(self, name) for name in self.model_fields_set & own}
        return {one.tag: DataConfig(**{**shared, **one.reading()}) for one in self.sets}
