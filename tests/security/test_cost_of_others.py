"""The cost of a call is independent of others' data: no full scans, no cleared caches.

Counted in a daemon that records the plan of every statement, and every commit that invalidates
everybody's caches. Budget: 20 s.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import changes
import pytest
from daemons import Daemon

Params = dict[str, Any]

_WATCHED = """
import json, sys, threading
import apsw
from ashd.store.change_tracker import Changes

seen, lock, file = set(), threading.Lock(), open(sys.argv.pop(1), "a", buffering=1)

def write(kind, value):
    with lock:
        file.write(json.dumps([kind, value]) + chr(10))

def traced(cursor, sql, bindings):
    if sql.split(None, 1)[0].lower() in ("select", "with", "insert", "update", "delete"):
        plan = cursor.connection.execute(f"explain query plan {sql}", bindings).fetchall()
        write("plan", [" ".join(sql.split()), [row[3] for row in plan]])
    return True

def all_changed(changes, generation, forget=Changes.note_all):
    write("all", generation)
    forget(changes, generation)

Changes.note_all = all_changed
apsw.connection_hooks.append(lambda connection: setattr(connection, "exec_trace", traced))
from ashd.cli.ashd import main
main()
"""
_GROWING = {
    *("memories", "passages", "memory_subjects", "memory_events", "memory_links", "messages"),
    *("memory_attributes", "conversations", "summaries", "accounts", "chats", "participations"),
    *("people", "person_aliases", "person_relationships", "person_activity", "not_identified"),
    *("person_merges", "entities", "entity_aliases", "relations", "overrides", "embeddings"),
    *("profile_versions", "profile_statements", "passage_vectors", "replies", "idempotency"),
    *("jobs", "given_lines", "audit"),
}
"""Tables with everybody's data."""
_NAMED = re.compile(r"\b(?:from|join|update|into)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?", re.IGNORECASE)


class Watched(Daemon):
    """A daemon that counts statements and invalidated caches."""

    def __init__(self) -> None:
        super().__init__()
        self.file = Path(tempfile.mkdtemp()) / "seen"
        self._at = 0

    def command(self) -> list[str]:
        own = super().command()
        return [own[0], "-c", _WATCHED, str(self.file), *own[3:]]

    def seen(self) -> tuple[list[Any], bool]:
        """Return (plans, whether all caches were invalidated) since the last call."""
        lines = self.file.read_text(encoding="utf-8").splitlines()
        new, self._at = [json.loads(line) for line in lines[self._at :]], len(lines)
        return [one for kind, one in new if kind == "plan"], any(kind == "all" for kind, _ in new)


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    daemon = Watched()
    daemon.config('[embedding]\nprovider = "wordllama"\n')
    yield daemon.start()
    unexpected = daemon.unexpected()
    daemon.remove()
    assert unexpected == []


def gone_through(sql: str, plan: list[str]) -> set[str]:
    """Return the growing tables that a statement scans."""
    tables = {alias or table: table for table, alias in _NAMED.findall(sql)}
    tables |= {table: table for table in tables.values()}
    steps = [step.split() for step in plan]
    made = {step[1] for step in steps if step[0] in ("CO-ROUTINE", "MATERIALIZE")}
    scanned = {step[1] for step in steps if step[0] == "SCAN" and "VIRTUAL" not in step}
    scanned |= {step[1] for step in steps if step[-1] in ("(rowid>?)", "(rowid<?)")}
    return {tables[name] for name in scanned - made if tables.get(name) in _GROWING}


WHOLE = {
    "db.": "the operator looks after all that is stored",
    "jobs.list": "the operator's, the newest first, as many as are asked for",
    "audit.list": "the same",
    "system.metrics": "the operator's counts by kind and state",
    "person.link_account": "the operator looks for who else has the account",
    "person.unlink_account": "the same",
}
"""Methods, or the beginnings of their names, that may scan a table, and why."""
REPLIES = "update replies set reply = null"
"""Erased text is removed from every stored reply; replies are stored for a day."""
FOR_ALL = {
    "db.import": "it brings anybody's memories",
    "person.undo_identification": "memories of several chats are about somebody else",
    "person.update": "a person's metadata are shown wherever the person is known",
    "person.remove_alias": "memories are no longer about the person by that name",
    "person.link_account": "accounts that become one person's see more",
    "person.unlink_account": "and less",
    "person.merge": "memories are about somebody else",
    "person.split": "the same",
    "person.delete": "the same",
}
"""Methods whose effect may concern everybody, and why; they are rare."""


def slow(watched: Watched) -> tuple[list[str], bool]:
    """Return (statements that scanned a growing table, whether all caches were invalidated)."""
    plans, for_all = watched.seen()
    found = [sql for sql, plan in plans if gone_through(sql, plan) and REPLIES not in sql]
    return found, for_all


def test_a_change_costs_nobody_what_others_have_stored(
    watched: Watched, scope: Callable[..., Params]
) -> None:
    """Every method that changes something uses indexes, and keeps others' caches."""
    mine, found, for_all = scope(), [], set()
    for step in changes.steps(watched.call, mine):
        watched.seen()
        watched.call(step.method, **{"scope": mine, **step.params})
        statements, is_for_all = slow(watched)
        if is_for_all:
            for_all.add(step.method)
        if not any(step.method.startswith(name) for name in WHOLE):
            found += [(step.method, sql) for sql in statements]

    assert [] == found
    assert set(FOR_ALL) == for_all


READS: tuple[tuple[str, Params], ...] = (
    ("context.get", {"message": "Where does Anna like it?"}),
    ("conversation.search", {"query": "harbour"}),
    ("conversation.list", {}),
    ("conversation.get", {"conversation_id": "c"}),
    ("graph.search", {"name": "Anna"}),
    ("memory.search", {"query": "Anna at the harbour"}),
    ("memory.list", {}),
    ("override.list", {}),
    ("person.resolve", {"reference": "Anna", "create": False}),
    ("person.list", {}),
    ("person.duplicates", {}),
    ("profile.get", {}),
    ("profile.history", {}),
    ("profile.sources", {}),
    ("search.all", {"query": "harbour"}),
    ("summary.list", {}),
    ("summary.search", {"query": "harbour"}),
    ("system.status", {}),
    ("tools.call", {"name": "recall", "arguments": {"query": "harbour"}}),
    ("tools/call", {"name": "recall", "arguments": {"query": "harbour"}}),
    ("session.hello", {}),
)


@pytest.mark.parametrize("in_group", [False, True], ids=["private", "group"])
def test_a_look_costs_nobody_what_others_have_stored(
    watched: Watched, scope: Callable[..., Params], *, in_group: bool
) -> None:
    """Every statement of every reading method uses indexes."""
    mine = scope()
    if in_group:
        mine |= {"chat_id": mine["user_id"], "chat_type": "group"}
        watched.call("memory.list", scope={**mine, "participants": [mine["user_id"], "another"]})
    watched.call("memory.add", scope=mine, content="Anna likes the harbour", subjects=["Anna"])
    said = [{"role": "user", "content": "We met Anna at the harbour"}]
    watched.call("conversation.ingest", scope=mine, conversation_id="c", messages=said)
    memory = watched.call("memory.list", scope=mine)["memories"][0]["id"]
    person = watched.call("person.list", scope=mine)["people"][0]["id"]
    more = [(method, {"id": memory}) for method in ("memory.get", "memory.history")]
    found = []
    for method, params in (*READS, *more, ("person.get", {"id": person})):
        watched.seen()
        watched.call(method, **{"scope": mine, **params})
        found += [(method, sql) for sql in slow(watched)[0]]

    assert [] == found


def test_what_goes_through_a_table_is_noticed(watched: Watched) -> None:
    """The check can fail: an operator's read of everything scans the tables."""
    watched.seen()
    watched.call("memory.search", all_scopes=True, query="harbour")

    assert any("from memories" in sql for sql in slow(watched)[0])
