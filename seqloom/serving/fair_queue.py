"""Fair queueing: how much of the work in flight would be done before a newcomer's, if all clients take turns.

Clients take turns by address, and the requests of one address by turns again. So a request with three hundred sentences
stands before a newcomer with one sentence like a single one, and a crowd of requests from one address like one client.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar


class HasOwner(Protocol):
    """A text that waits or is computed."""

    @property
    def owner(self) -> tuple[str, object]:
        """The address of its client, and its request."""
        ...


Q = TypeVar("Q", bound=HasOwner)
Owner = tuple[str, object]


class ClientShares:
    """Texts in flight, by client and request."""

    def __init__(self) -> None:
        self.clients: dict[str, Counter[object]] = {}

    def count(self, texts: Iterable[HasOwner]) -> None:
        """Count anew what is in flight."""
        clients: dict[str, Counter[object]] = defaultdict(Counter)
        for text in texts:
            client, request = text.owner
            clients[client][request] += 1
        self.clients = dict(clients)

    def ahead(self, client: str, more: int) -> int:
        """Texts that are done before the last of `more` new ones of a client's, those not among them."""
        clients = self.clients
        own = clients.get(client, Counter[object]())
        mine = own.total() + more
        others = sum(min(requests.total(), mine) for name, requests in clients.items() if name != client)
        return others + sum(min(count, more) for count in own.values())


def in_turn(texts: Sequence[Q], active: Mapping[Owner, int]) -> list[Q]:
    """Waiting texts in the order in which they are fair to take: what is computed for an owner already counts."""
    owners = {text.owner for text in texts}
    if len(owners) < 2:
        return list(texts)
    turns: Counter[Owner] = Counter({owner: active.get(owner, 0) for owner in owners})
    by_request: dict[str, list[tuple[int, int, Q]]] = defaultdict(list)
    for place, text in enumerate(texts):
        by_request[text.owner[0]].append((turns[text.owner], place, text))
        turns[text.owner] += 1
    ordered: list[tuple[int, int, Q]] = []
    for client, waiting in by_request.items():
        taken = sum(count for (name, _), count in active.items() if name == client)
        waiting.sort(key=lambda one: one[:2])
        ordered += [(taken + turn, place, text) for turn, (_, place, text) in enumerate(waiting)]
    ordered.sort(key=lambda one: one[:2])
    return [text for _, _, text in ordered]
