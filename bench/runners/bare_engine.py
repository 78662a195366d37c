"""A model called from Python, with as many texts at once as it likes: what a server can reach at best."""

from __future__ import annotations

import json
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from seqloom.cli.export import Engine
from seqloom.cli.predict import opened


def main() -> None:
    job = json.loads(sys.stdin.readline())
    model: Any = opened(Path(job["model"]), Engine.auto, inside=False, token_scores=True)
    options = {**({"attention": False} if "attention" in model.option_names else {}), **job["options"]}
    model(job["texts"][:64], **options)
    print("{}", flush=True)
    for line in sys.stdin:
        texts = list(islice(cycle(job["texts"]), json.loads(line)["count"]))
        began, processor = time.perf_counter(), time.process_time()
        model(texts, **options)
        times = {"seconds": time.perf_counter() - began, "processor": time.process_time() - processor}
        print(json.dumps(times), flush=True)


main()
