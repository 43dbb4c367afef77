"""Measures how long others wait while one grant stores and asks hostile texts on six connections.

    python -m benchmarks.speed.stalls [--embedder NAME …] [--kind NAME …] [--seconds 3] [--write]

For each embedder and kind of text: the longest stretches of the daemon's CPU that others wait for
(`stretches`), resident memory above idle at its highest, and the searches of another owner beside
the attack. What only a host may call is called for the attacker's owner. Each kind has a daemon of
its own: what is stored of one is not searched by another. The openai embedder speaks to a scripted
endpoint on loopback.
"""

import argparse
import itertools
import json
import statistics
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks import readme
from benchmarks.speed import cpu, daemons, facts, hostile_texts, machine, stalls_table
from tests.daemons import CallFailed, Client, Daemon
from tests.endpoint import Endpoint

EMBEDDERS: Final = ("none", "wordllama", "minilm", "openai")
KINDS: Final = (
    *("prose", "long ligatures", "compatibility characters", "combining marks", "Chinese"),
    *(
        "one long word",
        "digits",
        "quotes",
        "words of two letters",
        "names",
        "emoji",
        "right to left",
    ),
)
"""The kinds that are measured unless others are named."""
CONNECTIONS: Final = 6
_OF_NEIGHBOUR: Final = 200
_IDLE_SEARCHES: Final = 60
_QUERY, _CONTENT, _NAME = 4_000, 10_000, 200
_OF_HOST: Final = frozenset({"conversation.ingest", "graph.relate", "memory.update"})
_LIMITS: Final = """
[limits]
writes_per_minute = 100000
owner_writes_per_minute = 100000
request_bytes_per_minute = 1000000000
owner_request_bytes_per_minute = 1000000000
"""


class Watched(Daemon):
    """A daemon that notes its stretches."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._file = self._own / "stretches"
        self._file.touch()
        self._read_to = 0

    def command(self) -> list[str]:
        """Return the command of `stretches`."""
        own = super().command()
        return [own[0], "-m", "benchmarks.speed.stretches", str(self._file), *own[3:]]

    def stretches(self) -> list[tuple[str, float, str]]:
        """Return the stretches noted since the last call."""
        with self._file.open(encoding="ascii") as file:
            file.seek(self._read_to)
            lines = file.readlines()
            self._read_to = file.tell()
        return [tuple(json.loads(line)) for line in lines]


def memory_mib(daemon: Daemon, name: str = "VmRSS") -> float:
    """Return the daemon's resident memory, or with `VmHWM` its highest."""
    assert daemon.process is not None
    status = Path(f"/proc/{daemon.process.pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024


@contextmanager
def started(embedder: str, models: Path | None) -> Iterator[Watched]:
    """Start a watched daemon with an embedder."""
    endpoint = Endpoint() if embedder == "openai" else None
    environment = {"ASH_MODELS": str(models)} if models else {}
    daemon = Watched(environment={**environment, "OPENAI_API_KEY": "no-key-is-needed"})
    given = endpoint.config if endpoint else f'[embedding]\nprovider = "{embedder}"\n'
    daemon.config(given + _LIMITS)
    try:
        yield daemon.start()
    finally:
        daemon.remove()
        if endpoint:
            endpoint.end()


def calls(kind: str) -> list[tuple[str, dict[str, Any]]]:
    """Return what an attacker calls, with a text of a kind in every field that takes one."""
    seeds = itertools.count(1_000)

    def text(length: int) -> str:
        return hostile_texts.text(kind, length, seed=next(seeds))

    names = [text(_NAME) for _ in range(20)]
    return [
        ("memory.search", {"query": text(_QUERY)}),
        ("context.get", {"message": text(_CONTENT)}),
        ("memory.add", {"content": text(_CONTENT)}),
        ("memory.add", {"facts": [{"content": text(_CONTENT)} for _ in range(20)]}),
        ("memory.add", {"facts": [{"content": text(590)} for _ in range(20)]}),
        (
            "memory.add",
            {
                "content": text(500),
                "subjects": names,
                "tags": [name[:100] for name in names],
                "metadata": {f"k{place}": name for place, name in enumerate(names)},
            },
        ),
        ("memory.update", {"id": "", "changes": {"content": text(_CONTENT)}}),
        ("conversation.search", {"query": text(_QUERY)}),
        (
            "conversation.ingest",
            {"conversation_id": "c", "messages": [{"content": text(_CONTENT)}]},
        ),
        ("memory.extract", {"messages": [{"role": "user", "content": text(_CONTENT)}]}),
        ("person.resolve", {"reference": text(_NAME)}),
        ("person.resolve", {"reference": "Anna", "hint": text(_CONTENT)[:4_000]}),
        ("graph.relate", {"source": names[0], "relation": text(60), "target": names[1]}),
        ("graph.search", {"name": text(_NAME)}),
        ("search.all", {"query": text(_QUERY)}),
        ("memory.search", {"query": "Where does my sister live?"}),
        ("tools.call", {"name": "recall", "arguments": {"query": text(_QUERY)}}),
    ]


def measure(embedder: str, kind: str, models: Path | None, seconds: float) -> dict[str, Any]:
    """Return a row of the table, with the names of the longest stretches."""
    with started(embedder, models) as daemon:
        for number, name in enumerate(("neighbour", "hostile")):
            daemons.fill(daemon, name, _OF_NEIGHBOUR if not number else 5, seed=number)
        neighbour = daemon.call("grant.create", scope=daemons.owner("neighbour"))["socket"]
        rights = ["read", "write", "forget"]
        hostile = daemon.call("grant.create", scope=daemons.owner("hostile"), rights=rights)
        questions = [text[:60] for text in itertools.islice(facts.facts(9), 20)]
        with Client(neighbour) as client:
            _search(daemon, client, questions, 10)
            cpu.until_rest(daemon)
            idle_mib = memory_mib(daemon)
            idle = _search(daemon, client, questions, _IDLE_SEARCHES)
            daemon.stretches()
            over, said = threading.Event(), defaultdict(set)
            threads = [
                threading.Thread(target=_attack, args=(daemon, hostile, kind, place, over, said))
                for place in range(CONNECTIONS)
            ]
            for thread in threads:
                thread.start()
            begun, beside = time.monotonic(), []
            while time.monotonic() - begun < seconds or len(beside) < 20:
                beside += _search(daemon, client, questions, 1)
            over.set()
            for thread in threads:
                thread.join(120)
        noted = daemon.stretches()
        highest = memory_mib(daemon, "VmHWM")
        faults = daemon.unexpected()
    longest: dict[str, tuple[float, str]] = {}
    for where, ms, name in noted:
        longest[where] = max(longest.get(where, (0.0, "")), (ms, name))
    return {
        "embedder": embedder,
        "kind": kind,
        **{f"{where}_ms": longest.get(where, (0.0, ""))[0] for where in WHERE},
        "memory_mib": round(highest - idle_mib),
        "idle_p95_ms": _p95([one.wall for one in idle]),
        "beside_p95_ms": _p95([one.wall for one in beside]),
        "idle_cpu_p95_ms": _p95([one.cpu for one in idle]),
        "beside_cpu_p95_ms": _p95([one.cpu for one in beside]),
        "searches": len(beside),
        "names": {where: name for where, (_, name) in longest.items()},
        "refusals": {method: sorted(kinds) for method, kinds in said.items()},
        "faults": faults,
    }


WHERE: Final = ("loop", "writer", "interpreter", "reader")


class _Taken(NamedTuple):
    """Milliseconds that a search took, and those of the daemon's CPU in all threads meanwhile."""

    wall: float
    cpu: float


def _search(daemon: Daemon, client: Client, questions: list[str], times: int) -> list[_Taken]:
    taken = []
    for number in range(times):
        used, begun = cpu.used_ns(daemon), time.monotonic()
        client.call("memory.search", query=questions[number % len(questions)])
        wall = (time.monotonic() - begun) * 1e3
        taken.append(_Taken(wall, (cpu.used_ns(daemon) - used) / 1e6))
        time.sleep(0.01)
    return taken


def _attack(
    daemon: Daemon,
    grant: dict[str, Any],
    kind: str,
    place: int,
    over: threading.Event,
    said: dict[str, set[str]],
) -> None:
    """Call everything again and again, each connection from another place of the list."""
    made, known = calls(kind), ""
    with suppress(OSError), Client(Path(grant["socket"])) as client, daemon.client() as host:
        for number in itertools.count(place * 3):
            if over.is_set():
                return
            method, params = made[number % len(made)]
            of_host = {"scope": daemons.owner("hostile")} if method in _OF_HOST else {}
            if "id" in params:
                if not known:
                    continue
                params = {**params, "id": known}
            try:
                reply = (host if of_host else client).call(method, **of_host, **params)
            except CallFailed as failed:
                said[method].add(failed.kind)
            else:
                said[method].add("ok")
                if method == "memory.add" and (new := reply["memories"][0].get("memory")):
                    known = new["id"]


def _p95(values: list[float]) -> float:
    return round(statistics.quantiles(values, n=20)[-1], 1)


def main() -> None:
    """Measure, and print a line for each embedder and kind of text."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--embedder", nargs="*", default=EMBEDDERS)
    parser.add_argument("--kind", nargs="*", default=KINDS)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    arguments = parser.parse_args()
    models = daemons.models_folder(arguments.models)
    rows: list[dict[str, Any]] = []
    result = {"machine": machine.describe(("ashd", "apsw", "numpy", "onnxruntime")), "rows": rows}
    for embedder in arguments.embedder:
        for kind in arguments.kind:
            rows.append(measure(embedder, kind, models, arguments.seconds))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    print(stalls_table.page(result))
    if arguments.write:
        readme.keep_stalls(result)


if __name__ == "__main__":
    main()
