"""The settings of a model that describes pictures."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from seqloom.config import Config
from seqloom.decoding.settings import DecodingOptions
from seqloom.models.picture_settings import PictureModelConfig
from seqloom.tasks.settings import TaskConfig
from seqloom.tokens.settings import Kind, TokenConfig

CaptionMeasure = Literal["loss", "exact", "chrf", "bleu", "rouge_l"]


class PictureConfig(Config):
    """How pictures are read: the section [picture]."""

    height: NonNegativeInt = Field(0, le=1024)
    """Rows of pixels that pictures are scaled to; 0: as the training pictures have, 64 if that differs or is more."""
    width: NonNegativeInt = Field(0, le=1024)
    """Columns of pixels, in the same way."""
    colours: Literal["auto", "grey", "rgb"] = "auto"
    """Whether pictures are read in grey or in colour; auto: in colour, unless all training pictures are grey."""
    shift: NonNegativeInt = 1
    """Pixels by which a picture is moved at most, in any direction, each time that it is trained on."""


class CaptionTokens(TokenConfig):
    """The tokens of captions."""

    kind: Kind = "word"
    """What a token is: a word, what stands between spaces, a character, a subword (bpe and unigram)."""


class CaptionSettings(Config):
    """What is asked of the model while it learns: the section [caption]."""

    measure: CaptionMeasure = "loss"
    """The metric that selects a checkpoint."""
    validate_pictures: PositiveInt = 500
    """Validation pictures that are described in each evaluation, greedily, evenly from all; all count for the loss."""


class CaptionConfig(TaskConfig):
    """A picture and what is said of it."""

    task: Literal["caption"] = "caption"
    tokens: CaptionTokens = CaptionTokens()
    """How text is cut into tokens."""
    picture: PictureConfig = PictureConfig()
    """How pictures are read."""
    model: PictureModelConfig = PictureModelConfig()
    """What reads the pictures, what writes, and how large."""
    caption: CaptionSettings = CaptionSettings()
    """What is asked of it while it learns."""


class CaptionOptions(DecodingOptions):
    """How a caption is decoded, and what is reported of it; limits of length count from the longest in training."""

    attention: bool = True
    """Whether the caption has its attention weights, if the model has attention."""


class CaptionEvaluateOptions(CaptionOptions):
    """How captions are decoded, and how they are measured."""

    capitals: bool = True
    """Whether capitals count; of a model that writes none they never do."""
    measure: CaptionMeasure | None = None
    """The metric with an interval, by length and against another model; without, the one that chose the model."""
