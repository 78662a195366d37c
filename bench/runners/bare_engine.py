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
        asked = json.loads(line)
        texts = list(islice(cycle(job["texts"]), asked["count"]))
        chosen = {**options, **asked.get("options", {})}
        began, processor = time.perf_counter(), time.process_time()
        found = [model(text, **chosen) for text in texts] if asked.get("one_by_one") else model(texts, **chosen)
        times = {"seconds": time.perf_counter() - began, "processor": time.process_time() - processor}
        print(json.dumps({**times, "answers": [one.text for one in found]}), flush=True)


main()
