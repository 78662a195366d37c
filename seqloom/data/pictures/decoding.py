"""From the bytes of a picture to pixels of one size. Pillow decodes; what it is given is bounded first.

Only the formats below are tried, so that no other program is started for one. Of an animation the first frame counts;
a photo is turned as its camera says (EXIF); what is transparent stands on white; 16 bits become 8.
"""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import DataError
from seqloom.extras import require

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels: TypeAlias = NDArray[np.uint8]
"""(height, width, colours): 1 for grey, 3 for red, green and blue."""

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "PPM")
MOST_BYTES = 50_000_000
"""Of the file of a picture."""
MOST_PIXELS = 50_000_000
"""Of a picture: a few bytes can say that they are millions of pixels, and then need gigabytes."""
WHITE = 255
SMALLER = "scale it down"
AGAIN = "copy or save it again"
KINDS = "give a PNG, JPEG, GIF, BMP, WebP, TIFF or PPM"


def pillow() -> Any:
    """The module PIL.Image."""
    return require("PIL.Image", "caption", "a picture")


def size_of(content: bytes, where: str, most_pixels: int = MOST_PIXELS) -> tuple[int, int]:
    """Width and height as the header says them; nothing is decoded."""
    return opened(content, where, most_pixels).size


def opened(content: bytes, where: str, most_pixels: int = MOST_PIXELS) -> Image:
    """A picture whose header was read and whose size is inside the bounds."""
    images = pillow()
    if len(content) > MOST_BYTES:
        what = f"picture too large: {len(content):,} bytes, over {MOST_BYTES:,}"
        raise DataError(what, where=where, remedy=SMALLER)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", images.DecompressionBombWarning)  # our own bound is below it
            image: Image = images.open(BytesIO(content), formats=FORMATS)
    except images.DecompressionBombError as error:
        raise DataError(f"picture too large: {error}", where=where, remedy=SMALLER) from None
    except images.UnidentifiedImageError:
        what = "empty picture" if not content else "not a picture: no format that is read"
        raise DataError(what, where=where, remedy=KINDS) from None
    except Exception as error:  # whatever a decoder does with a broken header
        raise damaged(error, where) from None
    width, height = image.size
    if not 0 < width * height <= most_pixels:
        what = f"picture too large: {width:,} x {height:,} pixels, over {most_pixels:,}"
        raise DataError(what, where=where, remedy=SMALLER)
    return image


def decoded(content: bytes, where: str, width: int, height: int, colours: int) -> Pixels:
    """The pixels of a picture of any size, brought to this one."""
    image = opened(content, where)
    image.draft(None, (2 * max(width, height),) * 2)  # a JPEG is decoded no larger than it is needed
    try:
        return fitted(upright(image), width, height, colours)
    except Exception as error:  # broken pixels, a broken EXIF
        raise damaged(error, where) from None


def damaged(error: Exception, where: str) -> DataError:
    return DataError(f"damaged or truncated picture: {str(error) or type(error).__name__}", where=where, remedy=AGAIN)


def upright(image: Image) -> Image:
    from PIL.ImageOps import exif_transpose

    image.load()
    return exif_transpose(image)


def fitted(image: Image, width: int, height: int, colours: int) -> Pixels:
    """A picture of any mode, whole inside this size: scaled by one factor, white at the sides that are left."""
    from PIL.ImageOps import pad

    plain = on_white(image).convert("L" if colours == 1 else "RGB")
    if plain.size != (width, height):
        plain = pad(plain, (width, height), pillow().Resampling.LANCZOS, color=(WHITE,) * 3 if colours == 3 else WHITE)
    return np.asarray(plain, dtype=np.uint8).reshape(height, width, colours)


def on_white(image: Image) -> Image:
    """Eight bits a colour, nothing transparent."""
    images = pillow()
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        return images.fromarray(eight_bits(np.asarray(image)))  # type: ignore[no-any-return]
    if image.has_transparency_data:
        seen = image.convert("RGBA")
        return images.alpha_composite(images.new("RGBA", seen.size, "white"), seen).convert("RGB")  # type: ignore[no-any-return]
    return image if image.mode in ("L", "RGB") else image.convert("L" if image.mode == "1" else "RGB")


def eight_bits(values: NDArray[Any]) -> Pixels:
    """Whole numbers up to 255 as they are, larger ones as 16 bits; fractions from 0 to 1 as shares of white."""
    largest = values.max(initial=0)
    if values.dtype.kind == "f":
        scaled = values * WHITE if largest <= 1 else values
    else:
        scaled = values if largest <= WHITE else values / 257
    return np.clip(np.round(scaled), 0, WHITE).astype(np.uint8)


def from_array(values: NDArray[Any], where: str, width: int, height: int, colours: int) -> Pixels:
    """An array (height, width) or (height, width, colours) in the same way: bytes, 16 bits, or fractions up to 1."""
    image = as_image(values, where)
    return fitted(image, width, height, colours)


def as_image(values: NDArray[Any], where: str) -> Image:
    array = np.asarray(values)
    grey = array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array
    right = grey.ndim == 2 or (grey.ndim == 3 and grey.shape[2] in (3, 4))
    if not right or not array.size or array.dtype.kind not in "uifb":
        what = f"not a picture: an array of shape {array.shape} and type {array.dtype}"
        raise DataError(what, where=where, remedy="give (height, width) or (height, width, 3), of bytes or up to 1")
    if grey.shape[0] * grey.shape[1] > MOST_PIXELS:
        what = f"picture too large: {grey.shape[1]:,} x {grey.shape[0]:,} pixels, over {MOST_PIXELS:,}"
        raise DataError(what, where=where, remedy=SMALLER)
    if not np.isfinite(grey).all():
        raise DataError("not a picture: NaN or infinite numbers", where=where, remedy="give finite numbers")
    plain = eight_bits(grey.astype(np.uint8) * WHITE if grey.dtype == bool else grey)
    return pillow().fromarray(plain)  # type: ignore[no-any-return]


def as_png(pixels: Pixels) -> bytes:
    """Pixels as a file, for pages."""
    stream = BytesIO()
    pillow().fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels).save(stream, "PNG")
    return stream.getvalue()
