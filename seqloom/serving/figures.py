"""Figures of a running server, as Prometheus reads them."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Figures:
    """Counted by one server; another one in the same process has its own."""

    def __init__(self) -> None:
        self.registry = mine = CollectorRegistry()
        self.requests = Counter("seqloom_requests", "Requests by path and status.", ["path", "status"], registry=mine)
        self.refused = Counter("seqloom_refused", "Requests over a bound, by bound.", ["bound"], registry=mine)
        self.seconds = Histogram("seqloom_request_seconds", "Time to answer.", ["path"], buckets=SECONDS, registry=mine)
        self.batches = Histogram("seqloom_batch_texts", "Texts of a batch at its start.", buckets=ROWS, registry=mine)
        self.waiting = Gauge("seqloom_waiting_texts", "Texts that wait for their turn.", registry=mine)
        self.working = Gauge("seqloom_working_texts", "Texts that are worked on.", registry=mine)
        self.models = Gauge("seqloom_loaded_models", "Models in memory.", registry=mine)

    def request(self, path: str, status: int, seconds: float, bound: str) -> None:
        self.requests.labels(path, str(status)).inc()
        self.seconds.labels(path).observe(seconds)
        if bound:
            self.refused.labels(bound).inc()

    def batch(self, texts: int) -> None:
        if texts:
            self.batches.observe(texts)

    def step(self, waiting: int, working: int) -> None:
        self.waiting.set(waiting)
        self.working.set(working)

    def text(self) -> bytes:
        return generate_latest(self.registry)
