"""Measures a host with a million memories: 1,000 owners with 1,000 each, all with vectors.

    python -m benchmarks.speed.million --home FOLDER [--owners 1000] [--each 1000] [--write]

The home is built where there is none yet: statements go into the database through the store's own
inserts and the search index, 2,000 a transaction, with the vectors of the embedder of the package
(wordllama); over the socket it would take hours. Then the daemon starts on it and is measured:
CPU of the whole process from the scheduler's counters, and wall time, medians of single calls.
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from ashd.providers import registry
from benchmarks import readme
from benchmarks.speed import daemons, facts, machine, stored
from benchmarks.speed.cpu import used_ns
from tests.daemons import CallFailed, Client, Daemon

_PROVIDER = "wordllama"
_IN_TURN = 200
"""Owners that search in turn, again and again: their rows and vectors are to stay in memory."""
_PATIENCE_SECONDS = 900.0


def main() -> None:
    """Build the home if need be, measure, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--home", type=Path, required=True, help="built there if there is none")
    parser.add_argument("--owners", type=int, default=1_000)
    parser.add_argument("--each", type=int, default=1_000, help="memories of each owner")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    arguments = parser.parse_args()
    built = arguments.home / "built.json"
    if not built.exists():
        made = _build(arguments.home, arguments.owners, arguments.each)
        built.write_text(json.dumps(made), encoding="utf-8")
    if arguments.build_only:
        return
    result = {
        "machine": machine.describe(("ashd", "apsw", "numpy")),
        "build": json.loads(built.read_text(encoding="utf-8")),
        **_measured(arguments.home, arguments.owners),
    }
    print(json.dumps(result, indent=1))
    if arguments.write:
        readme.keep_million(result)


def _build(home: Path, owners: int, each: int) -> dict[str, Any]:
    """Write the memories of all owners into the database of a daemon that does not run."""
    daemon = _daemon(home)
    daemon.start()
    daemon.stop()
    embedder = registry.load(_PROVIDER, models_dir=Path())
    assert embedder is not None
    begun, cpu = time.perf_counter(), time.process_time()
    texts = facts.statements(1)
    for number in range(owners):
        stored.fill(
            _database(home),
            daemons.owner(f"owner-{number}"),
            islice(texts, each),
            lambda text: embedder.embed([text])[0],
        )
        if number % 50 == 49:
            print(f"{time.strftime('%H:%M:%S')} {number + 1} owners", file=sys.stderr, flush=True)
    return {
        "owners": owners,
        "memories": owners * each,
        "embedder": _PROVIDER,
        "cpu_s": round(time.process_time() - cpu),
        "wall_s": round(time.perf_counter() - begun),
    }


def _daemon(home: Path) -> Daemon:
    made = Daemon(home)
    made.config(f'[embedding]\nprovider = "{_PROVIDER}"\n')
    return made


def _database(home: Path) -> Path:
    return home / "data" / "ash.db"


class _Meter:
    """Times calls to a daemon."""

    def __init__(self, daemon: Daemon, client: Client) -> None:
        assert daemon.process is not None
        self._daemon, self._pid = daemon, daemon.process.pid
        self._client = client
        self._cut_off = 0
        """Calls that took longer than the daemon allows, beside whatever else the machine does."""
        self.rows: list[dict[str, Any]] = []

    def call(self, method: str, **params: Any) -> tuple[float, float]:
        """(CPU of the daemon, wall time) of a call in milliseconds."""
        begun, cpu = time.perf_counter(), used_ns(self._daemon)
        try:
            self._client.call(method, **params)
        except CallFailed as failed:
            if failed.kind != "timed_out":
                raise
            self._cut_off += 1
        return (used_ns(self._daemon) - cpu) / 1e6, (time.perf_counter() - begun) * 1e3

    def measure(self, name: str, calls: Iterable[Callable[[], tuple[float, float]]]) -> None:
        """Add a row with the medians of some calls, the worst of them and the memory after it."""
        self._cut_off = 0
        taken = [call() for call in calls]
        cpu, wall = zip(*taken, strict=True)
        self.rows.append(
            {
                "call": name,
                "calls": len(taken),
                "cut_off": self._cut_off,
                "cpu_ms": round(statistics.median(cpu), 2),
                "wall_p50_ms": round(statistics.median(wall), 2),
                "wall_max_ms": round(max(wall), 1),
                "resident_mib": machine.resident_mib(self._pid),
            }
        )


def _measured(home: Path, owners: int) -> dict[str, Any]:
    sizes = {path.name: path.stat().st_size for path in _database(home).parent.glob("ash.db*")}
    daemon = _daemon(home)
    begun = time.perf_counter()
    daemon.start()
    try:
        start = {"wall_ms": round((time.perf_counter() - begun) * 1e3)}
        assert daemon.process is not None
        start["cpu_ms"] = round(used_ns(daemon) / 1e6)
        start["resident_mib"] = machine.resident_mib(daemon.process.pid)
        with daemon.client() as client:
            client.patience(_PATIENCE_SECONDS)
            meter = _Meter(daemon, client)
            _calls(meter, owners)
        return {"bytes": sizes, "start": start, "calls": meter.rows}
    finally:
        daemon.stop()


def _calls(meter: _Meter, owners: int) -> None:
    order = random.Random(1).sample(range(owners), min(owners, _IN_TURN))
    scopes = [daemons.owner(f"owner-{number}") for number in order]
    ask, say = facts.questions(4), facts.statements(3)

    def search(scope: dict[str, str], **more: Any) -> Callable[[], tuple[float, float]]:
        return lambda: meter.call("memory.search", scope=scope, query=next(ask), **more)

    def each(method: str, **more: Any) -> list[Callable[[], tuple[float, float]]]:
        return [lambda scope=scope: meter.call(method, scope=scope, **more) for scope in scopes]

    meter.measure("memory.search, an owner's first", map(search, scopes))
    meter.measure(f"memory.search, {len(scopes)} owners in turn", map(search, scopes))
    meter.measure(
        "memory.add",
        [
            lambda scope=scope: meter.call("memory.add", scope=scope, content=next(say))
            for scope in scopes
        ],
    )
    meter.measure("memory.search, after an add", map(search, scopes))
    meter.measure("memory.list", each("memory.list"))
    meter.measure("context.get", each("context.get", message="What happened at the harbour?"))
    meter.measure("system.status", [lambda: meter.call("system.status")] * 50)
    meter.measure("db.stats", [lambda: meter.call("db.stats")] * 5)
    everybody = search(scopes[0], all_scopes=True)
    meter.measure("memory.search of all scopes, the first", [everybody])
    meter.measure("memory.search of all scopes", [everybody] * 3)
    rest = [daemons.owner(f"owner-{number}") for number in range(owners)]
    meter.measure("memory.search, every owner", map(search, rest))
    meter.measure("db.backup", [lambda: meter.call("db.backup")])


if __name__ == "__main__":
    main()
