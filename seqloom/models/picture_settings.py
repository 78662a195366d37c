"""The section [model] of a model that describes pictures: what makes regions of them, and what writes."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import Field, PositiveInt, model_validator

from seqloom.config import problem
from seqloom.errors import ConfigError
from seqloom.models.registry import Architecture, register
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.settings import chosen


class PictureModelConfig(Seq2SeqConfig):
    """An image encoder, any encoder above its grid, and any bridge and decoder."""

    of_task: ClassVar[str] = "caption"

    name: str = "show-attend-tell"
    """A preset of encoder, bridge and decoder: show-attend-tell, show-and-tell or picture-transformer."""
    pictures: str = "convolutions"
    """The image encoder, which turns a picture into a grid of feature vectors."""
    filters: list[PositiveInt] = Field(default_factory=lambda: [32, 64], min_length=1)
    """Filters of each convolution but the last, which has `embedding`; each after the first halves the resolution."""
    picture_window: PositiveInt = 3
    """Kernel size of the convolutions."""
    encoder: str = "words"
    """The encoder above the grid, read row by row; `words`: the feature vectors themselves."""

    @model_validator(mode="after")
    def a_picture_has_no_words(self) -> Self:
        if self.tied == "all":
            raise problem("tied", "pictures have no embeddings to tie", remedy='tie "target", or "none"')
        if self.copying:
            raise problem("copying", "pictures contain no tokens to copy", remedy="leave it out")
        return self

    def settings_read(self) -> frozenset[str]:
        reader = chosen(self, "pictures", "picture")
        known = {name for name in reader.reads if name in type(self).model_fields}
        return super().settings_read() | {"pictures", "picture_window"} | known

    def grid(self, height: int, width: int) -> tuple[int, int]:
        """Rows and columns of regions of a picture of this size."""
        rows, columns = (size >> len(self.filters) for size in (height, width))
        if not (rows and columns):
            what = (
                f"{len(self.filters)} convolutions that halve the resolution are too many for {height} x {width} pixels"
            )
            remedy = "give fewer of them, or larger pictures (picture.height and picture.width)"
            raise ConfigError("settings", [("model.filters", what, remedy)])
        return rows, columns


def captioner(name: str, sentence: str, **preset: Any) -> None:
    """Register a name for a choice of encoder, bridge and decoder."""
    register(Architecture(name, sentence, "model", tasks=(PictureModelConfig.of_task,), preset=preset))


# fmt: off
captioner("show-and-tell", "an LSTM from the mean of all regions", encoder="words", decoder="lstm", bridge="all")
captioner(
    "show-attend-tell", "an LSTM that attends to regions (Xu et al.)",
    encoder="words", decoder="lstm", score="additive", hidden=128,
)
captioner(
    "picture-transformer", "a Transformer above convolutions", encoder="transformer", decoder="transformer",
    encoder_widths=[128] * 2, decoder_widths=[128] * 2, heads=4, hidden=256,
)
# fmt: on
