"""Where a Transformer's parameters are, by width and depth."""

from seqloom.explaining.panels import BarChart, Panel, Table
from seqloom.layers.embedding import embedding
from seqloom.layers.encoder_block import encoder_block

QUESTION = "Where are the parameters of a Transformer?"
WIDTHS = (128, 256, 512, 1024)
DEPTHS = (1, 2, 4, 6, 12, 24)
VOCABULARY = 32_000


def run() -> tuple[str, list[str], list[Panel]]:
    base = by_part(512, 6)
    inside = base["attention"] + base["feed-forward"] + base["norms"]
    text = [
        "Counted from the shapes in the definitions: an encoder of blocks with a feed-forward network four times as "
        f"wide as the model, and a vocabulary of {VOCABULARY:,} tokens.",
        f"Inside a block the feed-forward network holds {base['feed-forward'] / inside:.0%} of the parameters and "
        f"attention {base['attention'] / inside:.0%}, at every width: 8 D² against 4 D². Norms and biases are few.",
        f"In a small and shallow model nearly all parameters are embeddings: "
        f"{by_part(128, 1)['embedding'] / total(128, 1):.0%} at width 128 with one block. At width 512 with six it is "
        f"{base['embedding'] / total(512, 6):.0%}.",
        f"Without feed-forward networks the model of width 512 and six blocks would have "
        f"{total(512, 6) - base['feed-forward']:,} parameters instead of {total(512, 6):,}.",
    ]
    parts = list(base)
    counts = {width: by_part(width, 6) for width in WIDTHS}
    panels: list[Panel] = [
        BarChart(
            "By width, six blocks", "share of the parameters", [str(width) for width in WIDTHS],
            [(part, [by_part(width, 6)[part] / total(width, 6) for width in WIDTHS]) for part in parts], stacked=True,
        ),
        BarChart(
            "By depth, width 512", "share of the parameters", [str(depth) for depth in DEPTHS],
            [(part, [by_part(512, n)[part] / total(512, n) for n in DEPTHS]) for part in parts], stacked=True,
        ),
        Table(
            "Six blocks", ["width", *parts, "together"],
            [[str(w), *(f"{counts[w][part]:,}" for part in parts), f"{total(w, 6):,}"] for w in WIDTHS],
        ),
    ]  # fmt: skip
    return "Where the parameters are", text, panels


def by_part(width: int, depth: int) -> dict[str, int]:
    """Parameters by part."""
    counted = encoder_block.count(D=width, N=8, K=width // 8, F=4 * width, T=1)
    kinds = {"attention": "attention", "network": "feed-forward", "norm_1": "norms", "norm_2": "norms"}
    found = {
        "embedding": sum(embedding.count(V=VOCABULARY, D=width).values()),
        "attention": 0,
        "feed-forward": 0,
        "norms": 0,
    }
    for symbol, number in counted.items():
        found[kinds[symbol.partition(".")[0]]] += depth * number
    return found


def total(width: int, depth: int) -> int:
    return sum(by_part(width, depth).values())
