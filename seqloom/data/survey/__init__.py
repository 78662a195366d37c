"""What data holds, before a model is trained on it: one reading, in memory that does not grow with the data."""

from seqloom.data.survey.survey import Survey, survey

__all__ = ["Survey", "survey"]
