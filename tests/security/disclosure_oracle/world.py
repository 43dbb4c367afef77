"""A daemon with a scripted model, its gateway over HTTP and its page: all that is asked."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

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


class World(NamedTuple):
    """The daemon and everything in front of it; `facts` are what the model finds, by turn."""

    daemon: Daemon
    gateway: Gateway
    visitor: Visitor
    facts: dict[str, Json]

    @classmethod
    @contextmanager
    def running(cls) -> Iterator["World"]:
        """Run all of it. The model reads a conversation when it is asked to, and not before."""
        endpoint, daemon, facts = Endpoint(), Daemon(), dict[str, Json]()
        endpoint.always("extract_facts", lambda body: _found(body, facts))
        daemon.config(f"{_CONFIG}{endpoint.llm_config}")
        try:
            with started(daemon, seconds=60) as gateway, opened(daemon) as site:
                yield cls(daemon, gateway, site.log_in(), facts)
                assert daemon.unexpected() == []
        finally:
            endpoint.end()

    def label_of_relation(self, number: str) -> str | None:
        """Return the label that a relation was stored with, which no reply shows."""
        asked = "select sensitivity from relations where uuid = ?"
        with rows.opened(self.daemon.home, read_only=True) as database:
            label: str | None = database.execute(asked, [number]).fetchall()[0][0]
            return label


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
