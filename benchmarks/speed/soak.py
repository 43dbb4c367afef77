"""A mixed load on a steady store, and what the daemon holds meanwhile.

    python -m benchmarks.speed.soak [--minutes 60] [--embedder NAME] [--models FOLDER]

Every round is one owner's day: facts, searches, contexts, a conversation that the scripted language
model reads, corrections, deletions, a sandbox that comes and goes, calls that fail. The owner of
some rounds before is erased, so that what is stored stays the same and whatever grows is not data.
"""

import argparse
import json
import random
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.speed import daemons, facts
from tests.daemons import CallFailed, Client, Daemon
from tests.endpoint import Endpoint

OWNERS_KEPT = 10
"""Owners that are stored at a time."""
_SETTINGS = "[memory]\nextraction_debounce_s = 0\nsummary_debounce_s = 10\n"
_MIB = 2**20
_SAMPLES = 60
"""Samples that a run prints."""
_RESTART_EVERY = 25
"""Rounds after which the calls go over a new connection."""


@dataclass(frozen=True)
class Sample:
    """The resources of the daemon after so many calls."""

    calls: int
    seconds: float
    private_mib: float
    """Memory of its own: without the files that are mapped in."""
    descriptors: int
    threads: int
    wal_mib: float
    database_mib: float


class Soak:
    """The load on one daemon."""

    def __init__(self, daemon: Daemon, endpoint: Endpoint, *, seed: int = 1) -> None:
        self._daemon = daemon
        self._endpoint = endpoint
        self._facts = facts.facts(seed)
        self._questions = facts.questions(seed)
        self._random = random.Random(seed)
        self._owners: deque[str] = deque()
        self._client: Client | None = None
        self._started = time.monotonic()
        self.rounds = 0
        self.calls = 0

    def round(self) -> None:
        """Make the calls of one owner's day."""
        self.rounds += 1
        if self._client is not None and self.rounds % _RESTART_EVERY == 0:
            self.close()
        owner = f"owner-{self.rounds}"
        self._owners.append(owner)
        self._write(owner)
        self._talk(owner)
        self._in_a_sandbox(owner)
        self._refused(owner)
        if len(self._owners) > OWNERS_KEPT:
            account = daemons.owner(self._owners.popleft())
            self._call("memory.erase", owner=account)
        self._call("jobs.flush")
        self._endpoint.requests.clear()
        self._endpoint.keys.clear()

    def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def sample(self) -> Sample:
        """Look at the daemon's process and files."""
        assert self._daemon.process is not None
        process = Path(f"/proc/{self._daemon.process.pid}")
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        database = self._daemon.home / "data" / "ash.db"
        wal = database.with_name("ash.db-wal")
        return Sample(
            calls=self.calls,
            seconds=round(time.monotonic() - self._started, 1),
            private_mib=round(int(status["RssAnon"].split()[0]) / 1024, 1),
            descriptors=len(list((process / "fd").iterdir())),
            threads=int(status["Threads"]),
            wal_mib=round(wal.stat().st_size / _MIB, 1) if wal.exists() else 0.0,
            database_mib=round(database.stat().st_size / _MIB, 1),
        )

    def _call(self, method: str, **params: Any) -> Any:
        if self._client is None:
            self._client = self._daemon.client()
        self.calls += 1
        return self._client.call(method, **params)

    def _write(self, owner: str) -> None:
        scope = daemons.owner(owner)
        batch = [{"content": text} for text in islice(self._facts, 8)]
        self._call("memory.add", scope=scope, facts=batch)
        for text in islice(self._facts, 4):
            self._call("memory.add", scope=scope, content=text)
            self._search(scope)
        ids = [
            memory["id"] for memory in self._call("memory.list", scope=scope, limit=50)["memories"]
        ]
        self._random.shuffle(ids)
        for identifier, text in zip(ids[:2], self._facts, strict=False):
            self._call("memory.update", scope=scope, id=identifier, changes={"content": text})
        self._call("memory.supersede", scope=scope, id=ids[2], superseded_id=ids[3])
        for identifier in ids[4:7]:
            self._call("memory.delete", scope=scope, id=identifier)
        self._call("memory.restore", scope=scope, id=ids[4])
        for _ in range(4):
            self._search(scope)

    def _search(self, scope: dict[str, Any]) -> None:
        self._call("memory.search", scope=scope, query=next(self._questions), min_score=0)

    def _talk(self, owner: str) -> None:
        scope = daemons.owner(owner)
        for part in range(2):
            messages = [
                {
                    "role": "assistant" if number % 2 else "user",
                    "content": text,
                    "external_id": f"{part}-{number}",
                    "at": f"2025-01-0{part + 1}T10:0{number}:00Z",
                }
                for number, text in enumerate(islice(self._facts, 6))
            ]
            self._call(
                "conversation.ingest", scope=scope, conversation_id="talk", messages=messages
            )
        self._call("conversation.search", scope=scope, query=next(self._questions))
        for _ in range(2):
            self._call("context.get", scope=scope, message=next(self._questions))

    def _in_a_sandbox(self, owner: str) -> None:
        grant = self._call("grant.create", scope=daemons.owner(owner))
        with self._daemon.client(grant["socket"]) as sandbox:
            sandbox.call("memory.add", content=next(self._facts))
            sandbox.call("memory.search", query=next(self._questions))
            sandbox.call("tools.list")
            self.calls += 3
            self._call("grant.revoke", grant_id=grant["grant_id"])

    def _refused(self, owner: str) -> None:
        scope = daemons.owner(owner)
        for method, params in (
            ("memory.add", {"content": ""}),
            ("memory.get", {"id": "00000000-0000-4000-8000-000000000000"}),
            ("no.such.method", {}),
        ):
            with suppress(CallFailed):
                self._call(method, scope=scope, **params)
        with self._daemon.client() as broken:
            broken.send(b"no JSON\n")
            broken.receive()
            broken.send(b'{"jsonrpc": "2.0", "method"')


@contextmanager
def running(embedder: str, models: Path | None) -> Iterator[Soak]:
    """Run the load's daemon and its language model."""
    endpoint = Endpoint()
    daemon = daemons.prepared(embedder, models)
    daemon.config(f'[embedding]\nprovider = "{embedder}"\n{endpoint.llm_config}{_SETTINGS}')
    try:
        daemon.start()
        soak = Soak(daemon, endpoint)
        yield soak
        soak.close()
    finally:
        daemon.remove()
        endpoint.end()
    if daemon.unexpected():
        raise SystemExit(f"The daemon logged errors: {daemon.unexpected()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--embedder", default="wordllama", choices=("none", "wordllama", "minilm"))
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    arguments = parser.parse_args()
    models = daemons.models_folder(arguments.models)
    until = time.monotonic() + arguments.minutes * 60
    every_s, next_s = arguments.minutes * 60 / _SAMPLES, 0.0
    with running(arguments.embedder, models) as soak:
        while time.monotonic() < until:
            soak.round()
            sample = soak.sample()
            if sample.seconds >= next_s:
                print(json.dumps(asdict(sample)), flush=True)
                next_s += every_s
        print(json.dumps(asdict(soak.sample())), flush=True)


if __name__ == "__main__":
    main()
