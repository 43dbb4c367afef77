"""From `ashd serve` to the first answer, and to the first search with vectors."""

import time
from pathlib import Path

from benchmarks.speed import daemons
from benchmarks.speed.commands import BARE, command
from benchmarks.speed.machine import resident_mib
from benchmarks.speed.timing import Times, interleaved, ratio
from tests.daemons import Daemon

STORED = 1_000


def measure(models: Path | None, *, quick: bool) -> list[dict[str, object]]:
    """A row for each embedder; the daemon starts on a home that holds memories already."""
    rows = []
    for provider in daemons.providers(models):
        daemon = daemons.prepared(provider, models)
        try:
            daemon.start()
            daemons.fill(daemon, "start", 50 if quick else STORED, seed=3)
            daemon.stop()
            rows.append({"embedder": provider, **_starts(daemon, provider, 2 if quick else 7)})
        finally:
            daemon.remove()
    return rows


def _starts(daemon: Daemon, provider: str, rounds: int) -> dict[str, object]:
    status, search, memory = Times(), Times(), []
    bare = command(BARE, {})
    reference = Times()
    for _ in range(rounds):
        reference.rounds.append(interleaved({"": bare}, rounds=3)[""].values)
        begun = time.perf_counter()
        daemon.start(wait_for="daemon_ready")
        daemon.call("system.status")
        status.rounds.append([(time.perf_counter() - begun) * 1e3])
        while _search(daemon)["degraded"]:
            pass  # it went by words alone: the embedder was not there yet
        search.rounds.append([(time.perf_counter() - begun) * 1e3])
        assert daemon.process is not None
        memory.append(resident_mib(daemon.process.pid))
        daemon.stop()
    return {
        "status_ms": status.row()["p50_ms"],
        "status_ratio": ratio(status, reference),
        "search_ms": search.row()["p50_ms"] if provider != "none" else None,
        "resident_mib": sorted(memory)[len(memory) // 2],
    }


def _search(daemon: Daemon) -> dict[str, object]:
    result: dict[str, object] = daemon.call(
        "memory.search", scope=daemons.owner("start"), query="Who repaired the garden gate?"
    )
    return result
