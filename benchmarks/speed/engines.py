"""The same daemon on PostgreSQL and on SQLite, in turns in one run: CPU, statements, adds a second.

    python -m benchmarks.speed.engines [--memories N] [--rounds N] [--models FOLDER]

CPU is that of the daemon and, on PostgreSQL, of all processes of the server, from the call until
both rest. The server is one of its own on this machine, durable and reached by a Unix socket. A
ratio is the median over rounds of the ratio within a round.
"""

import argparse
import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg

from benchmarks.speed import cpu, daemons, facts
from tests.daemons import Client, Daemon
from tests.postgres_server import PostgresServer

OWNER: Final = daemons.owner("owner")
SQLITE: Final = "SQLite"
POSTGRES: Final = "PostgreSQL"
DURABLE: Final = {"fsync": "on", "full_page_writes": "on", "autovacuum": "on"}
CLIENTS: Final = 60
DAEMONS: Final = 3
"""Daemons that share the server's database in the last measurement."""
_seeds: Final = itertools.count(100, CLIENTS)
"""Facts are told once: each client of each measurement has its own."""
_CALLS: Final = 8
"""Calls in a turn, after as many that are not measured: every connection of both sides is warm."""
_WARMING: Final = 40
"""Searches before those of caches that are warm: each reads the token vectors of some 150 memories,
as far as they are not in memory yet.
"""
_REST_SECONDS: Final = 0.05
_REST_MS: Final = 1.0


@dataclass
class Side:
    """A daemon, and the server that it needs."""

    daemon: Daemon
    server: PostgresServer | None = None
    environment: dict[str, str] = field(default_factory=dict)
    questions: Iterator[str] = field(default_factory=lambda: facts.questions(3))
    statements: Iterator[str] = field(default_factory=lambda: facts.facts(4))

    def used_ms(self) -> float:
        """CPU so far: of the daemon, and of the server and its processes, those that ended too."""
        used = cpu.used_ns(self.daemon) / 1e6
        if self.server is None:
            return used
        assert self.server.process is not None
        parent = self.server.process.pid
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(FileNotFoundError, ProcessLookupError):
                text = (entry / "stat").read_text()
                fields = text.rpartition(")")[2].split()
                if int(entry.name) == parent:
                    ended = sum(map(int, fields[13:15]))
                    used += ended * 1e3 / os.sysconf("SC_CLK_TCK")
                elif int(fields[1]) != parent:
                    continue
                used += int((entry / "schedstat").read_text().split()[0]) / 1e6
        return used

    def at_rest(self) -> float:
        """Wait until nothing is done any more; return the CPU used so far."""
        known = self.used_ms()
        while True:
            time.sleep(_REST_SECONDS)
            now = self.used_ms()
            if now - known < _REST_MS:
                return now
            known = now

    def cpu_ms(self, work: Callable[[], object]) -> float:
        """Return the CPU that a piece of work takes, with what it leaves to do."""
        before = self.at_rest()
        work()
        return self.at_rest() - before


def add(side: Side) -> object:
    """Store a fact that is new."""
    return side.daemon.call("memory.add", scope=OWNER, content=next(side.statements))


def search(side: Side) -> object:
    """Ask a question that was not asked before."""
    return side.daemon.call("memory.search", scope=OWNER, query=next(side.questions))


def context(side: Side) -> object:
    """Ask for the prompt's context of a new message."""
    return side.daemon.call("context.get", scope=OWNER, message=next(side.questions))


def listing(side: Side) -> object:
    """List the newest memories."""
    return side.daemon.call("memory.list", scope=OWNER)


WARM: Final = "memory.search, warm"
CALLS: Final = {
    "memory.add": add,
    "memory.search": search,
    WARM: search,
    "context.get": context,
    "memory.list": listing,
}


@contextmanager
def sides(provider: str, models: Path | None, memories: int) -> Iterator[dict[str, Side]]:
    """Both daemons with the same memories."""
    with ExitStack() as held:
        server = held.enter_context(PostgresServer(**DURABLE))
        environment = {"ASH_MODELS": str(models)} if models else {}
        there = environment | _database(server)
        made = {
            SQLITE: Side(started(held, environment, provider)),
            POSTGRES: Side(started(held, there, provider), server, there),
        }
        for side in made.values():
            daemons.fill(side.daemon, "owner", memories, seed=1)
            side.at_rest()
        yield made


def started(held: ExitStack, environment: dict[str, str], provider: str) -> Daemon:
    """A daemon on a home of its own, which is removed at the end."""
    made = Daemon(environment=environment)
    held.callback(made.remove)
    made.config(f'[embedding]\nprovider = "{provider}"\n')
    return made.start()


def _database(server: PostgresServer) -> dict[str, str]:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("create database ash")
    return {"ASH_STORAGE_URL": server.url_of("ash")}


def measure(both: dict[str, Side], rounds: int) -> dict[str, dict[str, float]]:
    """CPU of each call in milliseconds, and the ratio; the first search after a start is cold."""
    found: dict[str, list[dict[str, float]]] = {}
    for number in range(rounds):
        order = list(both.items())[:: -1 if number % 2 else 1]
        for name, call in CALLS.items():
            for _, side in order:
                for _ in range(_WARMING if name == WARM else _CALLS):
                    call(side)
            turn = {
                engine: side.cpu_ms(lambda s=side, c=call: [c(s) for _ in range(_CALLS)]) / _CALLS
                for engine, side in order
            }
            found.setdefault(name, []).append(turn)
        turn = {}
        for engine, side in order:
            side.daemon.stop()
            side.daemon.start()
            turn[engine] = side.cpu_ms(lambda s=side: search(s))
        found.setdefault("memory.search, cold", []).append(turn)
        print({name: _row(turns) for name, turns in found.items()}, file=sys.stderr, flush=True)
    return {name: _row(turns) for name, turns in found.items()}


def _row(turns: list[dict[str, float]]) -> dict[str, float]:
    medians = {name: statistics.median(turn[name] for turn in turns) for name in turns[0]}
    ratio = statistics.median(turn[POSTGRES] / turn[SQLITE] for turn in turns)
    return {name: round(ms, 2) for name, ms in medians.items()} | {"ratio": round(ratio, 2)}


def round_trips(side: Side) -> dict[str, float]:
    """Return how many statements the server is sent by a call, the median of a few."""
    assert side.server is not None
    admin = side.server.url.replace("ash_tests", "ash_admin")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("alter system set log_statement = 'all'")
        connection.execute("select pg_reload_conf()")
        time.sleep(1)  # every process of the server reads it
        counts = {}
        for name, call in CALLS.items():
            each = []
            for _ in range(5):
                side.at_rest()
                before = _logged(side.server)
                call(side)
                each.append(_logged(side.server) - before)
            counts[name] = statistics.median(each)
        connection.execute("alter system reset log_statement")
        connection.execute("select pg_reload_conf()")
    return counts


def _logged(server: PostgresServer) -> int:
    log = server.log.read_text(errors="replace")
    return log.count("LOG:  statement: ") + log.count("LOG:  execute ")


def adds_a_second(among: Sequence[Daemon], seconds: float) -> float:
    """Return how many facts are durably stored a second by many clients at once."""
    begun, seed = time.monotonic(), next(_seeds)

    def store(number: int) -> int:
        stored, source = 0, facts.facts(seed + number)
        with among[number % len(among)].client() as client:
            while time.monotonic() < begun + seconds:
                stored += _stored(client, number, next(source))
        return stored

    with ThreadPoolExecutor(CLIENTS) as pool:
        stored = sum(pool.map(store, range(CLIENTS)))
    return round(stored / (time.monotonic() - begun), 1)


def _by_daemons(side: Side, provider: str, given: argparse.Namespace) -> dict[int, float]:
    """Return how much one and several daemons on one database store, the same clients at each."""
    among = [side.daemon]
    with ExitStack() as held:
        found = {1: adds_a_second(among, given.seconds)}
        others = range(DAEMONS - len(among))
        among += [started(held, side.environment, provider) for _ in others]
        found[len(among)] = adds_a_second(among, given.seconds)
    return found


def _stored(client: Client, number: int, text: str) -> int:
    result: Any = client.call("memory.add", scope=daemons.owner(f"client{number}"), content=text)
    return sum(entry["outcome"] == "added" for entry in result["memories"])


def main() -> None:
    """Measure and print, a line of JSON for each embedder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=10.0, help="of adds by many clients")
    parser.add_argument("--embedders", nargs="+", default=["none", "minilm"])
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    given = parser.parse_args()
    models = daemons.models_folder(given.models)
    for provider in given.embedders:
        with sides(provider, models, given.memories) as both:
            result: dict[str, object] = {
                "embedder": provider,
                "cpu_ms": measure(both, given.rounds),
            }
            result["statements"] = round_trips(both[POSTGRES])
            result["adds_a_second"] = {
                engine: adds_a_second([side.daemon], given.seconds) for engine, side in both.items()
            }
            result["adds_a_second_by_daemons"] = _by_daemons(both[POSTGRES], provider, given)
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
