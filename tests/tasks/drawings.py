"""Pictures that a small model can describe after seconds: a square of one colour in one corner."""

from itertools import product
from pathlib import Path
from random import Random

from PIL import Image

from seqloom.training.run import train
from seqloom.training.run_config import RunConfig
from tests.sizes import load_fitting

COLOURS = {"red": (220, 30, 40), "green": (20, 160, 60), "blue": (30, 60, 200)}
CORNERS = {"above left": (1, 1), "above right": (9, 1), "below left": (1, 7), "below right": (9, 7)}
WIDTH, HEIGHT = 16, 14


def draw(caption: str, random: Random) -> Image.Image:
    """As `a red square above left`, a little darker or paler, a pixel aside."""
    _, name, _, *corner = caption.split()
    x, y = CORNERS[" ".join(corner)]
    x, y = x + random.randint(-1, 1), y + random.randint(-1, 1)
    colour = tuple(min(255, max(0, part + random.randint(-20, 20))) for part in COLOURS[name])
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    picture.paste(colour, (x, y, x + 6, y + 6))
    return picture


def captions() -> list[str]:
    return [f"a {colour} square {corner}" for colour, corner in product(COLOURS, CORNERS)]


def write_drawings(folder: Path, times: int = 8) -> Path:
    """A table of pictures in the folder beside it, and their captions."""
    random = Random(7)
    (folder / "drawn").mkdir(parents=True)
    lines = ["image\tcaption"]
    for number, caption in enumerate(captions() * times):
        draw(caption, random).save(folder / "drawn" / f"{number}.png")
        lines.append(f"drawn/{number}.png\t{caption}")
    (folder / "table.tsv").write_text("\n".join(lines) + "\n")
    return folder / "table.tsv"


SMALL = [
    "model.embedding=16", "model.encoder_widths=[16]", "model.decoder_widths=[24]", "model.heads=2", "model.hidden=16",
    "model.filters=[6,12]", "model.dropout=0", "train.batch_tokens=700", "train.learning_rate=0.01",
    "train.evaluate_every=100", "train.checkpoint_every=100", "caption.measure=exact",
]  # fmt: skip


def settings(data: Path, *changes: str, name: str = "show-attend-tell", steps: int = 4) -> RunConfig:
    """Of a small model that describes them."""
    given = [*SMALL, f"train.steps={steps}", *(["train.warmup_steps=1"] if steps < 10 else []), *changes]
    return load_fitting(given, task="caption", data__train=str(data), model__name=name)


def train_captioner(folder: Path) -> None:
    """A model that describes them well, in the folder's folder `run`."""
    train(settings(write_drawings(folder), steps=150), folder / "run", quiet=True)
