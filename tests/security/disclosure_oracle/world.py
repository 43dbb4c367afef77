"""A daemon with a scripted model, its gateway over HTTP and its page: all that is asked."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import postgres_server
import rows
from daemons import Daemon
from gateways import Gateway, started
from sites import Visitor, opened

from tests.endpoint import Endpoint, reader

Json = dict[str, Any]
_NOTE = re.compile(r"Hear (\w+): (\w+) (stands beside|is treated for) ((?:depression )?\w+)")
_CONFIG = """
[embedding]
provider = "none"
[memory]
extraction_debounce_s = 3600
extraction_batch_turns = 100
summary_debounce_s = 3600
"""


class Several:
    """Daemons on one database of a server, of which each call asks any."""

    def __init__(self, daemons: list[Daemon], url: str) -> None:
        self._daemons = daemons
        self._random = Random(0)
        self.url = url
        self.home = daemons[0].home

    def call(self, method: str, *, at: Path | str | None = None, **params: Any) -> Any:
        """One call at any of the daemons, or at a socket of one."""
        return self._random.choice(self._daemons).call(method, at=at, **params)

    def unexpected(self) -> list[str]:
        """The error lines of their logs."""
        return [line for daemon in self._daemons for line in daemon.unexpected()]


class World(NamedTuple):
    """The daemon and everything in front of it; `facts` are what the model finds, by turn."""

    daemon: Daemon | Several
    gateway: Gateway
    visitor: Visitor
    facts: dict[str, Json]

    @classmethod
    @contextmanager
    def running(cls, daemons: int = 1) -> Iterator["World"]:
        """Run all of it. The model reads a conversation when it is asked to, and not before.

        Several daemons share a database on a server; the gateway and the page are the first one's.
        """
        endpoint, facts = Endpoint(), dict[str, Json]()
        endpoint.always("extract_facts", lambda body: _found(body, facts))
        with ExitStack() as running:
            running.callback(endpoint.end)
            environment, url = {}, ""
            if daemons > 1:
                url = running.enter_context(_database())
                environment = {"ASH_STORAGE_URL": url}
            made = [Daemon(environment=environment) for _ in range(daemons)]
            for daemon in made:
                daemon.config(f"{_CONFIG}{endpoint.llm_config}")
            gateway = running.enter_context(started(made[0], seconds=60))
            site = running.enter_context(opened(made[0]))
            for daemon in made[1:]:
                running.callback(daemon.remove)
                daemon.start()
            asked = made[0] if daemons == 1 else Several(made, url)
            yield cls(asked, gateway, site.log_in(), facts)
            assert (unexpected := asked.unexpected()) == [], unexpected[:5]

    def label_of_relation(self, number: str) -> str | None:
        """Return the label that a relation was stored with, which no reply shows."""
        if isinstance(self.daemon, Several):
            import psycopg

            asked = "select sensitivity from ashd.relations where uuid = %s"
            with psycopg.connect(self.daemon.url) as connection:
                found = connection.execute(asked, [number]).fetchall()
        else:
            asked = "select sensitivity from relations where uuid = ?"
            with rows.opened(self.daemon.home, read_only=True) as database:
                found = database.execute(asked, [number]).fetchall()
        label: str | None = found[0][0]
        return label


@contextmanager
def _database() -> Iterator[str]:
    """The URL of a new database at a server of its own."""
    import psycopg

    with postgres_server.needed() as server:
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute("create database oracle")
        yield server.url_of("oracle")


def _found(body: Json, facts: dict[str, Json]) -> Json:
    """Return the facts and relations of the turns that were scripted."""
    asked = next(one["content"] for one in body["messages"] if one["role"] == "user")
    found: dict[str, list[Json]] = {"facts": [], "entities": [], "relations": [], "profile": []}
    for number, speaker, said in reader.turns(asked):
        note = _NOTE.search(said)
        if note is None or note[1] not in facts:
            continue
        turn = {"speaker": speaker, "turn": number, "quote": f"Hear {note[1]}", "confidence": 1}
        found["facts"].append({"subjects": [], "type": "knowledge", **turn, **facts[note[1]]})
        ends = {"subject": note[2], "relation": note[3], "object": note[4]}
        found["relations"].append({**ends, "confidence": 1})
    return json.loads(json.dumps(found))
