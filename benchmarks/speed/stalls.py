"""Measures how long others wait while one grant stores and asks hostile texts on six connections.

    python -m benchmarks.speed.stalls [--embedder NAME …] [--kind NAME …] [--seconds 9] [--write]

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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from ashd.access.quota import owner_key
from benchmarks import readme
from benchmarks.speed import cpu, daemons, facts, hostile_texts, machine, stalls_table
from benchmarks.speed.stretches import Turn
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
NEIGHBOUR: Final = "neighbour"
_OF_NEIGHBOUR: Final = 200
_BEATS_MS: Final = 3.0
"""The CPU that a watched daemon uses at rest while `cpu` looks at it: a tenth of a processor."""
_IDLE_SEARCHES: Final = 60
_LEAST_SEARCHES: Final = 20
_QUERY, _CONTENT, _NAME = 4_000, 10_000, 200
_OF_HOST: Final = frozenset({"conversation.ingest", "graph.relate", "memory.update"})
_LIMITS: Final = """
[limits]
writes_per_minute = 100000
owner_writes_per_minute = 100000
request_bytes_per_minute = 1000000000
owner_request_bytes_per_minute = 1000000000
"""


Stretch = tuple[str, float, Any]
"""A kind, milliseconds of CPU, and a name."""


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
        watched = [str(self._file), owner_key("bench", NEIGHBOUR, None)]
        return [own[0], "-m", "benchmarks.speed.stretches", *watched, *own[3:]]

    def stretches(self) -> list[Stretch]:
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


def forget_highest(daemon: Daemon) -> None:
    """Let `VmHWM` begin anew."""
    assert daemon.process is not None
    Path(f"/proc/{daemon.process.pid}/clear_refs").write_text("5", encoding="ascii")


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
        ("memory.add", {"content": text(_CONTENT), "subjects": ["Anna"]}),
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
        ("person.resolve", {"reference": "Anna", "content_hint": text(_QUERY)}),
        ("graph.relate", {"source": names[0], "relation": text(60), "target": names[1]}),
        ("graph.search", {"name": text(_NAME)}),
        ("search.all", {"query": text(_QUERY)}),
        ("memory.search", {"query": "Where does my sister live?"}),
        ("tools.call", {"name": "recall", "arguments": {"query": text(_QUERY)}}),
    ]


def measure(
    embedder: str, kinds: Sequence[str], models: Path | None, seconds: float
) -> Iterator[dict[str, Any]]:
    """Yield a row of the table for each kind, with the names of the longest stretches."""
    questions = [text[:60] for text in itertools.islice(facts.facts(9), 20)]
    with started(embedder, models) as daemon:
        daemons.fill(daemon, NEIGHBOUR, _OF_NEIGHBOUR, seed=0)
        neighbour = daemon.call("grant.create", scope=daemons.owner(NEIGHBOUR))["socket"]
        cpu.until_rest(daemon, _BEATS_MS)
        with Client(neighbour) as client:
            _search(daemon, client, questions, 10)
            idle_mib = memory_mib(daemon)
            alone, _ = _search(daemon, client, questions, _IDLE_SEARCHES)
        for kind in kinds:
            forget_highest(daemon)
            with Client(neighbour) as client:
                beside, noted, said = _attacked(daemon, client, questions, kind, seconds)
            longest: dict[str, tuple[float, str]] = {}
            for where, ms, name in noted:
                longest[where] = max(longest.get(where, (0.0, "")), (ms, name))
            yield {
                "embedder": embedder,
                "kind": kind,
                **{f"{where}_ms": longest.get(where, (0.0, ""))[0] for where in stalls_table.WHERE},
                "memory_mib": round(memory_mib(daemon, "VmHWM") - idle_mib),
                **{f"alone_{part}_p95_ms": _p95(alone, part) for part in _Taken._fields},
                **{f"beside_{part}_p95_ms": _p95(beside, part) for part in _Taken._fields},
                "searches": len(beside),
                "names": {where: name for where, (_, name) in longest.items()},
                "outcomes": {method: sorted(kinds) for method, kinds in said.items()},
                "faults": daemon.unexpected(),
            }


def _attacked(
    daemon: Watched, client: Client, questions: list[str], kind: str, seconds: float
) -> tuple[list["_Taken"], list[Stretch], dict[str, set[str]]]:
    """Search beside an attack; return the searches, the stretches, and what the attack was told."""
    hostile = daemons.owner(f"hostile {kind}")
    grant = daemon.call("grant.create", scope=hostile, rights=["read", "write", "forget"])
    over, said = threading.Event(), defaultdict[str, set[str]](set)
    threads = [
        threading.Thread(target=_attack, args=(daemon, hostile, grant, kind, place, over, said))
        for place in range(CONNECTIONS)
    ]
    daemon.stretches()
    for thread in threads:
        thread.start()
    begun, beside, noted = time.monotonic(), list[_Taken](), list[Stretch]()
    while time.monotonic() - begun < seconds or len(beside) < _LEAST_SEARCHES:
        taken, stretches = _search(daemon, client, questions, 1)
        beside += taken
        noted += stretches
    over.set()
    for thread in threads:
        thread.join(120)
    return beside, noted + daemon.stretches(), said


class _Taken(NamedTuple):
    """Milliseconds of a search, and of the daemon's CPU while it was not answered.

    `daemon` is the sum of `own`, the CPU of its threads; `queue`, that while it waited for a
    thread; `interpreter`, that while its thread waited for the interpreter; `loop`, that in the
    rest of the time but for waits for a processor. `processor` is all time of such waits.
    """

    wall: float
    daemon: float
    own: float
    queue: float
    interpreter: float
    loop: float
    processor: float


def _search(
    daemon: Watched, client: Client, questions: list[str], times: int
) -> tuple[list[_Taken], list[Stretch]]:
    """Search so many times; return the stretches meanwhile, too."""
    taken, noted = list[_Taken](), list[Stretch]()
    for number in range(times):
        noted += daemon.stretches()
        queued, used, begun = _queued_ns(daemon), cpu.used_ns(daemon), time.monotonic()
        client.call("memory.search", query=questions[number % len(questions)])
        wall, all_cpu = (time.monotonic() - begun) * 1e3, (cpu.used_ns(daemon) - used) / 1e6
        waited = (_queued_ns(daemon) - queued) / 1e6
        found = daemon.stretches()
        noted += found
        turns = [Turn(*parts) for kind, _, parts in found if kind == "turn"]
        of_turns = Turn(*map(sum, zip(*turns, strict=True)))
        waited -= of_turns.loop_processor
        rest = wall - of_turns.wall - waited
        loop = max(min(rest, all_cpu - of_turns.process), 0.0)
        parts = (of_turns.own, of_turns.queue, of_turns.interpreter, loop)
        taken.append(_Taken(wall, sum(parts), *parts, of_turns.processor + waited))
        time.sleep(0.01)
    return taken, [one for one in noted if one[0] != "turn"]


def _queued_ns(daemon: Daemon) -> int:
    """Return how long this thread and the daemon's event loop have waited for a processor."""
    assert daemon.process is not None
    places = ("thread-self", daemon.process.pid)
    return sum(cpu.queued_ns(Path(f"/proc/{place}")) for place in places)


def _attack(
    daemon: Daemon,
    owner: dict[str, str],
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
            of_host = {"scope": owner} if method in _OF_HOST else {}
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


def _p95(searches: list[_Taken], part: str) -> float:
    return round(statistics.quantiles([getattr(one, part) for one in searches], n=20)[-1], 1)


def main() -> None:
    """Measure, and print a line for each embedder and kind of text."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--embedder", nargs="*", default=EMBEDDERS)
    parser.add_argument("--kind", nargs="*", default=KINDS)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--seconds", type=float, default=9.0)
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    arguments = parser.parse_args()
    models = daemons.models_folder(arguments.models)
    rows: list[dict[str, Any]] = []
    result = {"machine": machine.describe(("ashd", "apsw", "numpy", "onnxruntime")), "rows": rows}
    for embedder in arguments.embedder:
        for row in measure(embedder, arguments.kind, models, arguments.seconds):
            rows.append(row)
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    print(stalls_table.page(result))
    if arguments.write:
        readme.keep_stalls(result)


if __name__ == "__main__":
    main()
