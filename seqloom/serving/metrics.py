"""Metrics of a running server, in Prometheus' format."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class ServerMetrics:
    """Counters, gauges and histograms of one server; another one in the same process has its own."""

    def __init__(self) -> None:
        self.registry = mine = CollectorRegistry()
        self.requests = Counter("seqloom_requests", "Requests by path and status.", ["path", "status"], registry=mine)
        self.refused = Counter("seqloom_refused", "Requests over a bound, by bound.", ["bound"], registry=mine)
        self.seconds = Histogram("seqloom_request_seconds", "Latency.", ["path"], buckets=SECONDS, registry=mine)
        self.batches = Histogram("seqloom_batch_texts", "Texts of a batch at its start.", buckets=SIZES, registry=mine)
        self.waiting = Gauge("seqloom_waiting_texts", "Texts in the queue.", registry=mine)
        self.working = Gauge("seqloom_working_texts", "Texts in batches that are computed.", registry=mine)
        self.models = Gauge("seqloom_loaded_models", "Models in memory.", registry=mine)

    def observe_request(self, path: str, status: int, seconds: float, bound: str) -> None:
        self.requests.labels(path, str(status)).inc()
        self.seconds.labels(path).observe(seconds)
        if bound:
            self.refused.labels(bound).inc()

    def observe_batch(self, texts: int) -> None:
        if texts:
            self.batches.observe(texts)

    def set_load(self, queued: int, active: int) -> None:
        self.waiting.set(queued)
        self.working.set(active)

    def render(self) -> bytes:
        """All of them as text, for `GET /metrics`."""
        return generate_latest(self.registry)
