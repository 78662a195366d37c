"""How soon the studio follows: milliseconds of each request that its page sends, asked one after the other.

    python -m bench.studio FOLDER [TEXT]

FOLDER is a trained model. A server of its own answers on this machine; a line says how long each view waits from the
question to the last byte, at best and in the middle of several times, and how many bytes that is.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import urllib.request
from typing import Any

TIMES = 9
ASKED = {
    "answer and attention (Weave, What if)": ("inspect", {}),
    "gates, states, influence (Weave)": ("strips", {}),
    "integrated gradients (What if)": ("attribute", {"method": "integrated"}),
    "gradient x input (What if)": ("attribute", {"method": "gradient"}),
    "leave one out (What if)": ("attribute", {"method": "leave-one-out"}),
    "the model opened (Inside)": ("explain", {"format": "view"}),
    "embeddings (Words)": ("words", {}),
}


def main() -> None:
    folder, *rest = sys.argv[1:]
    command = [sys.executable, "-c", "from seqloom.cli import main; main()", "serve", folder, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        address = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
        text = rest[0] if rest else ask(address, "inspect", {})["input"]
        print(f"{text!r}, milliseconds at best and in the middle of {TIMES}, kilobytes")
        for name, (path, more) in ASKED.items():
            given = more if path == "words" else {"text": text, **more}
            took, size = [], 0
            for _ in range(TIMES):
                began = time.perf_counter()
                size = len(read(address, path, given))
                took.append(1000 * (time.perf_counter() - began))
            print(f"{name:40}{min(took):8.1f}{statistics.median(took):8.1f}{size / 1000:9.1f}", flush=True)
    finally:
        server.terminate()
        server.wait()


def ask(address: str, path: str, given: dict[str, Any]) -> Any:
    return json.loads(read(address, path, given))


def read(address: str, path: str, given: dict[str, Any]) -> bytes:
    request = urllib.request.Request(
        f"{address.rstrip('/')}/api/{path}", json.dumps(given).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: bytes = answer.read()
    return found


if __name__ == "__main__":
    main()
