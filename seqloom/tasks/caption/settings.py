"""The settings of a model that describes pictures."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from seqloom.config import Config
from seqloom.models.picture_settings import PictureModelConfig
from seqloom.tasks.caption.options import CaptionMeasure
from seqloom.tasks.seq2seq import Seq2SeqTaskConfig
from seqloom.tokens.settings import Kind, TokenConfig


class PictureConfig(Config):
    """How pictures are read: the section [picture]."""

    height: NonNegativeInt = Field(0, le=1024)
    """Height in pixels that pictures are scaled to; 0: as in the training data, 64 if that differs or is larger."""
    width: NonNegativeInt = Field(0, le=1024)
    """Width in pixels, in the same way."""
    colours: Literal["auto", "grey", "rgb"] = "auto"
    """Read pictures in grey or in colour (rgb); auto: in colour, unless all training pictures are grey."""
    shift: NonNegativeInt = 1
    """Data augmentation: maximum random shift of a training picture in pixels."""


class CaptionTokens(TokenConfig):
    """The tokens of captions."""

    kind: Kind = "word"


class CaptionSettings(Config):
    """How captions are validated: the section [caption]."""

    measure: CaptionMeasure = "loss"
    """The metric that selects the best checkpoint."""
    validate_pictures: PositiveInt = 500
    """Validation pictures decoded greedily in each evaluation, spread evenly over all; the loss uses all of them."""


class CaptionConfig(Seq2SeqTaskConfig):
    """The settings of image captioning."""

    task: Literal["caption"] = "caption"
    tokens: CaptionTokens = CaptionTokens()
    """How text is tokenised."""
    picture: PictureConfig = PictureConfig()
    """How pictures are read."""
    model: PictureModelConfig = PictureModelConfig()
    """What reads the pictures, what writes, and how large."""
    caption: CaptionSettings = CaptionSettings()
    """How it is validated."""
