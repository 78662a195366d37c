"""Pictures of every mode become the same bytes; what is broken, huge or no picture is refused with a reason."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from seqloom.data.pictures import decoding
from seqloom.data.pictures.decoding import as_png, decoded, from_array, size_of
from seqloom.errors import DataError

RED = (200, 40, 20)


def saved(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def read(content: bytes, width: int = 6, height: int = 4, colours: int = 3) -> np.ndarray:
    return decoded(content, "a.png", width, height, colours)


PLAIN = Image.new("RGB", (6, 4), RED)
MODES = {
    "RGB": saved(PLAIN),
    "palette": saved(PLAIN.quantize(4)),
    "palette with transparency": saved(PLAIN.quantize(4), transparency=3),
    "alpha": saved(PLAIN.convert("RGBA")),
    "BMP": saved(PLAIN, "BMP"),
    "TIFF, CMYK": saved(PLAIN.convert("CMYK"), "TIFF"),
    "WebP": saved(PLAIN, "WEBP", lossless=True),
    "animated": saved(PLAIN, "GIF", save_all=True, append_images=[Image.new("RGB", (6, 4), "blue")]),
}


@pytest.mark.parametrize("content", MODES.values(), ids=MODES)
def test_a_picture_of_any_mode_is_the_same_colour(content):
    assert np.abs(read(content).astype(int) - RED).max() <= 2


def test_what_is_transparent_stands_on_white():
    assert (read(saved(Image.new("RGBA", (6, 4), (0, 0, 0, 0)))) == 255).all()
    assert (read(saved(Image.new("LA", (6, 4), (0, 0))), colours=1) == 255).all()


def test_sixteen_bits_become_eight_and_one_becomes_black_and_white():
    ramp = np.linspace(0, 65_535, 24).reshape(4, 6).astype(np.uint16)
    assert np.abs(read(saved(Image.fromarray(ramp)), colours=1)[..., 0] - ramp / 257).max() <= 1
    assert set(read(saved(Image.new("1", (6, 4), 1)), colours=1).ravel().tolist()) == {255}


def test_a_photo_is_turned_as_its_camera_says():
    photo = Image.new("RGB", (4, 6), "white")
    photo.paste((0, 0, 0), (0, 0, 4, 3))  # the upper half is black; turned by 90 degrees it stands on the right
    exif = Image.Exif()
    exif[0x0112] = 6
    found = read(saved(photo, "PNG", exif=exif))
    assert found[:, 4:].max() == 0 and found[:, :2].min() == 255


def test_a_picture_of_another_size_is_whole_with_white_at_its_sides():
    found = read(saved(Image.new("L", (40, 10), 0)), width=8, height=8, colours=1)[..., 0]
    assert found.shape == (8, 8)
    assert (found[0] == 255).all() and (found[-1] == 255).all() and (found[4] == 0).all()


@pytest.mark.parametrize(
    "array",
    [
        np.full((4, 6), 51, np.uint8), np.full((4, 6, 1), 51, np.int64), np.full((4, 6), 0.2),
        np.full((4, 6), 51 * 257, np.uint16), np.full((4, 6, 3), 0.2, np.float32),
    ],
)  # fmt: skip
def test_an_array_may_hold_bytes_or_fractions(array):
    assert (from_array(array, "here", 6, 4, 1) == 51).all()
    assert as_png(from_array(array, "here", 6, 4, 3))[:4] == b"\x89PNG"


def bomb(width: int, height: int) -> bytes:
    """A PNG whose header says that it is huge, in a hundred bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


NOISE = Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8))
BAD = {
    "nothing": (b"", "empty picture"),
    "a text": (b"a red square", "not a picture: no format that is read"),
    "PostScript, which would start a program": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not a picture"),
    "a PNG cut off": (saved(NOISE)[:5_000], "damaged or truncated picture"),
    "a JPEG cut off": (saved(NOISE, "JPEG")[:1_500], "damaged or truncated picture"),
    "a PNG with a broken header": (saved(NOISE)[:20], "picture"),
    "60 million pixels": (bomb(10_000, 6_000), "picture too large: 10,000 x 6,000 pixels, over 50,000,000"),
    "100 million pixels, where Pillow warns": (bomb(10_000, 10_000), "picture too large: 10,000 x 10,000 pixels"),
    "4 billion pixels": (bomb(65_000, 65_000), "picture too large"),
}


@pytest.mark.parametrize("content, what", BAD.values(), ids=BAD)
def test_what_cannot_be_decoded_is_an_error(content, what):
    with pytest.raises(DataError) as caught:
        read(content)
    assert what in caught.value.what and caught.value.where == "a.png" and caught.value.remedy


@pytest.mark.parametrize(
    "array, what",
    [
        (np.zeros((2, 3, 5)), "an array of shape (2, 3, 5)"), (np.zeros(4), "an array of shape (4,)"),
        (np.zeros((0, 3)), "an array of shape (0, 3)"), (np.full((2, 2), np.nan), "NaN or infinite"),
        (np.array([["a", "b"]]), "type <U1"),
    ],
)  # fmt: skip
def test_an_array_that_is_no_picture_is_an_error(array, what):
    with pytest.raises(DataError) as caught:
        from_array(array, "here", 6, 4, 1)
    assert what in caught.value.what


def test_a_bound_of_bytes_and_pixels_holds_before_anything_is_decoded(monkeypatch):
    content = saved(NOISE)
    assert size_of(content, "here") == (64, 64)
    with pytest.raises(DataError, match="64 x 64 pixels, over 4,000"):
        size_of(content, "here", most_pixels=4_000)
    monkeypatch.setattr(decoding, "MOST_BYTES", 1_000)
    with pytest.raises(DataError, match="bytes, over 1,000"):
        size_of(content, "here")
