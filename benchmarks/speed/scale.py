"""Measure the cost of a call as the memories of an owner and of strangers grow.

CPU of the whole process, from the scheduler's counters: it hardly depends on what else the machine
does. The owners' and the strangers' memories are written into the database before it starts.
"""

import itertools
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from ashd.providers import registry
from ashd.providers.embedder import Embedder
from benchmarks.speed import daemons, facts, stored, transaction
from benchmarks.speed.machine import resident_mib
from tests.daemons import Client, Daemon

_OF_A_STRANGER = 500
"""Memories of each of the strangers."""
_CLIENTS = 60
"""As many connections as the control socket has, but for a few."""


def measure(models: Path | None, *, quick: bool) -> list[dict[str, object]]:
    """A row for each embedder and size: CPU of adds, searches, contexts, lists, with ratios."""
    sizes = [20, 40, 80] if quick else [1_000, 10_000, 100_000]
    rows = []
    for provider in ("none", *(["minilm"] if models is not None else [])):
        embedder = registry.load(provider, models_dir=models or Path())
        daemon = daemons.prepared(provider, models)
        try:
            _fill(daemon, sizes, strangers=sizes[-1], embedder=embedder)
            daemon.start()
            calls = 5 if quick else 60
            row = _measured(daemon, provider, sizes, embedder, calls=calls)
            daemon.stop()
            for one in row["sizes"]:
                one["transaction_ms"] = transaction.measure(
                    *(_database(daemon), daemons.owner(f"owner-{one['stored']}"), embedder),
                    calls=calls,
                )
            rows.append(row)
        finally:
            daemon.remove()
    return rows


def _fill(daemon: Daemon, sizes: list[int], *, strangers: int, embedder: Embedder | None) -> None:
    """Write the memories of all owners into the database of a daemon that does not run."""
    daemon.start()
    daemon.stop()
    database, texts = _database(daemon), facts.statements(1)
    embed = None
    if embedder is not None:
        embed = stored.made_up(embedder.dimension, embedder.token_dimension, seed=2)
    for size in sizes:
        stored.fill(database, daemons.owner(f"owner-{size}"), islice(texts, size), embed)
    for number in range(-(-strangers // _OF_A_STRANGER)):
        part = islice(texts, _OF_A_STRANGER)
        stored.fill(database, daemons.owner(f"stranger-{number}"), part, embed)


def _database(daemon: Daemon) -> Path:
    return daemon.home / "data" / "ash.db"


def _measured(
    daemon: Daemon, provider: str, sizes: list[int], embedder: Embedder | None, *, calls: int
) -> dict[str, Any]:
    say, ask = facts.statements(3), facts.questions(4)
    with daemon.client() as client:
        by_size = [_at_size(daemon, client, size, say, ask, calls) for size in sizes]
    embedding = None if embedder is None else _embedding_ms(embedder, calls)
    for row in by_size:
        row["add_in_embeddings"] = embedding and round(row["add_ms"] / embedding, 2)
    assert daemon.process is not None
    return {
        "embedder": provider,
        "sizes": by_size,
        "embedding_ms": embedding,
        "adds_per_s": _adds_per_second(daemon, each=2 if calls < 20 else 10),
        "beside_a_batch": _beside_a_batch(daemon, adds=5 if calls < 20 else 40),
        "resident_mib": resident_mib(daemon.process.pid),
    }


def _at_size(
    daemon: Daemon,
    client: Client,
    size: int,
    say: Iterator[str],
    ask: Iterator[str],
    calls: int,
) -> dict[str, Any]:
    scope = daemons.owner(f"owner-{size}")

    def add() -> None:
        _add(client, scope, next(say))

    def search() -> None:
        client.call("memory.search", scope=scope, query=next(ask))

    def context() -> None:
        client.call("context.get", scope=scope, message=next(ask))

    def first_page() -> None:
        client.call("memory.list", scope=scope)

    def search_after_add() -> float:
        add()
        time.sleep(0.01)
        return _cpu_ms(daemon, search)

    first = _cpu_ms(daemon, search)
    for _ in range(3):
        add()
        search()
    return {
        "stored": size,
        "first_search_ms": first,
        "add_ms": _cpu_ms(daemon, add, calls),
        "search_ms": _cpu_ms(daemon, search, calls),
        "context_ms": _cpu_ms(daemon, context, calls),
        "list_ms": _cpu_ms(daemon, first_page, calls),
        "search_after_add_ms": statistics.median(search_after_add() for _ in range(calls)),
    }


def _add(client: Client, scope: dict[str, str], text: str) -> None:
    client.call("memory.add", scope=scope, content=text)


def _cpu_ms(daemon: Daemon, call: Callable[[], object], calls: int = 1) -> float:
    """CPU of the daemon a call in milliseconds, the median of single calls."""
    taken = []
    for _ in range(calls):
        before = cpu_ns(daemon)
        call()
        taken.append(cpu_ns(daemon) - before)
    return round(statistics.median(taken) / 1e6, 2)


def cpu_ns(daemon: Daemon) -> int:
    """CPU of all threads of the daemon so far."""
    assert daemon.process is not None
    threads = Path(f"/proc/{daemon.process.pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads)


def _embedding_ms(embedder: Embedder, calls: int) -> float:
    """CPU of embedding such a statement, in a process that does nothing else."""
    taken = []
    for text in islice(facts.statements(5), calls):
        before = time.process_time_ns()
        embedder.embed([text])
        taken.append(time.process_time_ns() - before)
    return round(statistics.median(taken) / 1e6, 2)


def _adds_per_second(daemon: Daemon, *, each: int) -> int:
    """Adds a second by many clients at once, each for an owner of their own."""

    def write(number: int) -> None:
        with daemon.client() as client:
            for text in islice(facts.statements(100 + number), each):
                _add(client, daemons.owner(f"client-{number}"), text)

    begun = time.perf_counter()
    with ThreadPoolExecutor(_CLIENTS) as pool:
        list(pool.map(write, range(_CLIENTS)))
    return round(_CLIENTS * each / (time.perf_counter() - begun))


def _beside_a_batch(daemon: Daemon, *, adds: int) -> dict[str, float]:
    """Time an owner's add alone, and while another owner's batches are stored."""
    with daemon.client() as client, daemon.client() as other:
        say = facts.statements(50)
        scope = daemons.owner("beside")
        alone = [_timed_ms(lambda: _add(client, scope, next(say))) for _ in range(adds)]
        stop = threading.Event()

        def batches() -> None:
            source = facts.statements(60)
            for number in itertools.count():
                if stop.is_set():
                    return
                batch = [{"content": text} for text in islice(source, daemons.BATCH)]
                other.call("memory.add", scope=daemons.owner(f"batch-{number}"), facts=batch)

        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(batches)
            time.sleep(0.05)
            beside = [_timed_ms(lambda: _add(client, scope, next(say))) for _ in range(adds)]
            stop.set()
            running.result()
    return {
        "alone_p50_ms": round(statistics.median(alone), 1),
        "beside_p50_ms": round(statistics.median(beside), 1),
        "beside_max_ms": round(max(beside), 1),
    }


def _timed_ms(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e3
