"""Adds, searches and contexts over the socket: by size, by embedder, beside other owners.

The embedder's share is the difference to the daemon that has none, in scopes of one size.
`system.status` is what a call costs at all, and a 4 KiB append with fdatasync is what the disk
costs: both are measured in the same rounds.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.speed import daemons, facts, syncs
from benchmarks.speed.machine import resident_mib
from benchmarks.speed.timing import Times, interleaved, ratio
from tests.daemons import Client, Daemon

OTHERS = 40
"""How many times more the others have, in the crowded store."""
STATUS, DISK = "system.status", "4 KiB append + fdatasync"
FRESH, CACHED = "context.get", "context.get, said before"


@dataclass(frozen=True)
class Sizes:
    """The number of stored memories and of questions."""

    small: int
    large: int
    turns: int
    rounds: int
    calls: int

    @property
    def own(self) -> int:
        """Return the number of the one owner's memories; others have `OTHERS` times as many."""
        return self.large // OTHERS


FULL = Sizes(small=1_000, large=10_000, turns=6_000, rounds=8, calls=10)
QUICK = Sizes(small=50, large=200, turns=200, rounds=2, calls=3)


def measure(models: Path | None, *, quick: bool) -> dict[str, object]:
    """Times of calls, other owners' influence, concurrent writers, memory.

    Every embedder holds the smaller scope; the best one here also the larger one and the others.
    """
    sizes = QUICK if quick else FULL
    names = daemons.providers(models)
    best = names[-1]
    with ExitStack() as held:
        filled = {name: held.enter_context(daemons.daemon(name, models)) for name in names}
        alone = held.enter_context(daemons.daemon(best, models))
        empty = {name: _resident(daemon) for name, daemon in filled.items()}
        wanted = [(daemon, "small", sizes.small) for daemon in filled.values()]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            large = [
                pool.submit(_fill_best, filled[best], alone, sizes),
                pool.submit(_talk_to_best, filled[best], sizes),
            ]
            list(pool.map(lambda task: daemons.fill(*task, seed=8), wanted))
            for task in large:
                task.result()
        calls = _calls(filled, best, sizes)
        context = _context(filled[best], sizes)
        beside = _beside(alone, filled[best], sizes)
        return {
            "sizes": {"small": sizes.small, "large": sizes.large},
            "calls": calls,
            "context": {"embedder": best, **context},
            "other_owners": {"embedder": best, **beside},
            "writers": syncs.measure(filled["wordllama"], quick=quick),
            "resident_mib": {
                name: {
                    "empty": empty[name],
                    "full": _resident(daemon),
                    "stored": sizes.small
                    + (name == best) * (2 * sizes.large + sizes.own + sizes.turns),
                }
                for name, daemon in filled.items()
            },
        }


def _fill_best(best: Daemon, alone: Daemon, sizes: Sizes) -> None:
    daemons.fill(best, "large", sizes.large, seed=7)
    for daemon in (best, alone):
        daemons.fill(daemon, "own", sizes.own, seed=9)


def _talk_to_best(best: Daemon, sizes: Sizes) -> None:
    """Two owners say the same, as far as the first one goes: a text is embedded once."""
    daemons.talk(best, "turns", sizes.turns, seed=6)
    daemons.talk(best, "large", sizes.large, seed=6)


def _calls(filled: dict[str, Daemon], best: str, sizes: Sizes) -> list[dict[str, object]]:
    cases: dict[str, Callable[[], object]] = {}
    with ExitStack() as held:
        cases[DISK] = held.enter_context(_appends(filled["none"].home))
        for provider, daemon in filled.items():
            client = held.enter_context(daemon.client())
            if provider == "none":
                cases[STATUS] = partial(client.call, "system.status")
            for size in ("small", *(["large"] if provider == best else [])):
                cases[f"memory.add {provider} {size}"] = _adds(client, size)
                cases[f"memory.search {provider} {size}"] = _searches(client, size)
            if provider == best:
                search = _searches(client, "turns", "conversation.search")
                cases[f"conversation.search {provider} turns"] = search
        times = interleaved(cases, rounds=sizes.rounds, calls=sizes.calls)
    return [_row(name, one, times, sizes) for name, one in times.items()]


def _row(name: str, one: Times, times: dict[str, Times], sizes: Sizes) -> dict[str, object]:
    if name in (STATUS, DISK):
        return {"call": name, **one.row()}
    method, provider, size = name.split()
    row = {"call": method, "embedder": provider, "stored": getattr(sizes, size), **one.row()}
    row["in_statuses"] = ratio(one, times[STATUS])
    if size == "large":
        row["to_small"] = ratio(one, times[f"{method} {provider} small"])
    if size == "small" and provider != "none":
        without = times[f"{method} none small"]
        row["embedder_share"] = max(0.0, round(1 - 1 / ratio(one, without), 2))
    return row


def _context(daemon: Daemon, sizes: Sizes) -> dict[str, object]:
    """`context.get` for whom the most is stored: another message each call, then one again."""
    ask, scope = facts.questions(12), daemons.owner("large")
    again = next(ask)
    with daemon.client() as client:
        status = partial(client.call, "system.status")
        fresh = interleaved(
            {STATUS: status, FRESH: lambda: client.call(FRESH, scope=scope, message=next(ask))},
            rounds=sizes.rounds * 2,
            calls=sizes.calls,
        )
        # Measured separately: every write empties the cache.
        cached = interleaved(
            {STATUS: status, CACHED: partial(client.call, FRESH, scope=scope, message=again)},
            rounds=sizes.rounds,
            calls=sizes.calls,
        )
    return {
        "memories": sizes.large,
        "turns": sizes.large,
        **fresh[FRESH].row(),
        "in_statuses": ratio(fresh[FRESH], fresh[STATUS]),
        "goal_p95_ms": 20,
        "cached_ms": cached[CACHED].row()["p50_ms"],
    }


def _beside(alone: Daemon, crowded: Daemon, sizes: Sizes) -> dict[str, object]:
    """The same owner's searches in a store of their own and beside others."""
    ask = facts.questions(11)
    same = True
    for _ in range(sizes.rounds * 5):
        query = next(ask)
        same = same and _ranking(alone, query) == _ranking(crowded, query)
    with alone.client() as first, crowded.client() as second:
        times = interleaved(
            {"alone": _searches(first, "own"), "crowded": _searches(second, "own")},
            rounds=sizes.rounds * 2,
            calls=sizes.calls,
        )
    return {
        "own": sizes.own,
        "others": sizes.large + sizes.small,
        "same_results": same,
        "alone_ms": times["alone"].row()["p50_ms"],
        "crowded_ms": times["crowded"].row()["p50_ms"],
        "ratio": ratio(times["crowded"], times["alone"]),
        "goal": 1.5,
    }


def _ranking(daemon: Daemon, query: str) -> list[tuple[str, float]]:
    found: dict[str, Any] = daemon.call(
        "memory.search", scope=daemons.owner("own"), query=query, limit=20, min_score=0
    )
    return [(result["memory"]["content"], result["score"]) for result in found["results"]]


def _searches(client: Client, name: str, method: str = "memory.search") -> Callable[[], object]:
    ask = facts.questions(5)
    return lambda: client.call(method, scope=daemons.owner(name), query=next(ask))


def _adds(client: Client, name: str) -> Callable[[], object]:
    say = facts.facts(13)
    return lambda: client.call("memory.add", scope=daemons.owner(name), content=next(say))


def _resident(daemon: Daemon) -> float:
    assert daemon.process is not None
    return resident_mib(daemon.process.pid)


@contextmanager
def _appends(folder: Path) -> Iterator[Callable[[], object]]:
    """Appends to a file in a folder, each on disk before it returns."""
    file = os.open(folder / "appends", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def append() -> None:
        os.write(file, bytes(4096))
        os.fdatasync(file)

    try:
        yield append
    finally:
        os.close(file)
