"""One client with one long text after the other, beside clients of short ones: `python -m tests.serving.fairness 75`.

Whoever sends a long text must not shut the others out. Printed: what became of the requests of both.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from tests.serving.conftest import Running
from tests.tasks.written_numbers import train_reader

LONG = {"q": ("1 2 3 4 5 6 7 8 9 0 1 2. " * 400)[:10_000], "source": "en", "target": "en"}
"""Ten kilobytes in four hundred sentences."""
SHORT = {"text": "1 2 3"}
OTHERS = 4


def asking(
    running: Running, path: str, body: dict[str, str], until: float, seen: Counter[int], times: list[float]
) -> None:
    """Ask again and again, each time when the last was answered."""
    while (began := time.monotonic()) < until:
        status = running.ask(path, body).status
        seen[status] += 1
        if status == 200:
            times.append(time.monotonic() - began)
        else:
            time.sleep(0.1)


def main(seconds: float) -> int:
    long, short, long_times, short_times = Counter[int](), Counter[int](), list[float](), list[float]()
    with tempfile.TemporaryDirectory() as place:
        train_reader(Path(place))
        running = Running([str(Path(place) / "run")], "--quiet")
        until = time.monotonic() + seconds
        clients = [threading.Thread(target=asking, args=(running, "/translate", LONG, until, long, long_times))]
        for _ in range(OTHERS):
            one = threading.Thread(target=asking, args=(running, "/api/predict", SHORT, until, short, short_times))
            clients.append(one)
        for one in clients:
            one.start()
        for one in clients:
            one.join(seconds + 120)
        code, _ = running.stop()
    print(
        f"{seconds:.0f} s: long texts {dict(long)}, median {median(long_times)}; others {dict(short)}, median", end=" "
    )
    print(f"{median(short_times)}, slowest {max(short_times, default=0):.2f} s")
    return 0 if code == 0 and set(short) == {200} and long[200] else 1


def median(times: list[float]) -> str:
    return f"{sorted(times)[len(times) // 2]:.2f} s" if times else "none"


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 75))
