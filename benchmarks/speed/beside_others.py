"""Measure adds of many clients at once, and one beside another owner's batches."""

import itertools
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, Final

from benchmarks.speed import cpu, daemons
from benchmarks.speed.machine import resident_mib
from tests.daemons import Client, Daemon

CLIENTS: Final = 60
"""As many connections as the control socket has, but for a few."""


def measure(daemon: Daemon, texts: Iterator[str], calls: int) -> dict[str, Any]:
    """The rate and CPU of adds by many, the time of an add beside batches, memory in the end."""
    many = _adds_of_many(daemon, texts, each=2 if calls < 20 else 10)
    beside = _beside_a_batch(daemon, texts, adds=5 if calls < 20 else 40)
    assert daemon.process is not None
    return {**many, "beside_a_batch": beside, "resident_mib": resident_mib(daemon.process.pid)}


def _adds_of_many(daemon: Daemon, texts: Iterator[str], *, each: int) -> dict[str, float]:
    """Adds by many clients at once, each for an owner of their own."""
    own = [list(islice(texts, each)) for _ in range(CLIENTS)]

    def write(number: int) -> None:
        with daemon.client() as client:
            for text in own[number]:
                _add(client, daemons.owner(f"client-{number}"), text)

    cpu.until_rest(daemon)
    begun, before = time.perf_counter(), cpu.used_ns(daemon)
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(write, range(CLIENTS)))
    taken = cpu.used_ns(daemon) - before
    return {
        "adds_per_s": round(CLIENTS * each / (time.perf_counter() - begun)),
        "cpu_of_many_ms": round(taken / 1e6 / (CLIENTS * each), 2),
    }


def _beside_a_batch(daemon: Daemon, texts: Iterator[str], *, adds: int) -> dict[str, float]:
    """Time an owner's add alone, and while another owner's batches are stored."""
    scope = daemons.owner("beside")
    own = iter(list(islice(texts, 2 * adds)))
    with daemon.client() as client, daemon.client() as other:
        alone = [_timed_ms(lambda: _add(client, scope, next(own))) for _ in range(adds)]
        stop = threading.Event()

        def batches() -> None:
            for number in itertools.count():
                if stop.is_set():
                    return
                batch = [{"content": text} for text in islice(texts, daemons.BATCH)]
                other.call("memory.add", scope=daemons.owner(f"batch-{number}"), facts=batch)

        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(batches)
            time.sleep(0.05)
            beside = [_timed_ms(lambda: _add(client, scope, next(own))) for _ in range(adds)]
            stop.set()
            running.result()
    return {
        "alone_p50_ms": round(statistics.median(alone), 1),
        "beside_p50_ms": round(statistics.median(beside), 1),
        "beside_max_ms": round(max(beside), 1),
    }


def _add(client: Client, scope: dict[str, str], text: str) -> None:
    client.call("memory.add", scope=scope, content=text)


def _timed_ms(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e3
