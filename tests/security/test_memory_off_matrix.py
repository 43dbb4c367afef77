"""No method writes anything new while memory is off (E12). Budget: 15 s."""

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import changes
import pytest
import rows
from daemons import CallFailed, Daemon
from sandboxes import opened

from ashd.rpc.methods import TABLE

MINE = {"provider": "test", "user_id": "alice", "display_name": "Alice"}
TAKES_AWAY = {
    *("memory.delete", "memory.restore", "memory.supersede"),
    *("memory.forget_person", "memory.erase", "db.clear", "db.gc", "db.compact"),
    "memory.withdraw",
    *("conversation.delete", "override.remove"),
    *("graph.end", "graph.remove", "person.remove_alias", "person.unrelate", "person.delete"),
    *("person.unlink_account", "person.split", "chat.leave"),
}
"""Methods that remove something, and those that undo that: they store nothing new."""
GRANT_METHODS = {
    *("grant.create", "grant.turn", "grant.revoke", "model.use", "llm.count"),
    *("key.create", "key.revoke", "db.backup", "db.export"),
    *("db.check", "db.reindex", "system.reload"),
}
"""Methods about the daemon, not about memories."""
RECORDS = (
    *("accounts", "chats", "participations", "people", "person_aliases"),
    *("person_relationships", "person_merges", "memories", "memory_subjects", "conversations"),
    *("messages", "overrides", "profile_versions", "entities", "entity_aliases", "relations"),
)
"""Tables with what is remembered."""


@pytest.fixture(scope="module")
def taken() -> Iterator[tuple[Daemon, list[changes.Step]]]:
    """A daemon that did everything once and then had its memory switched off, and what it did."""
    daemon = Daemon()
    try:
        daemon.start()
        steps = []
        for step in changes.steps(daemon.call, MINE):
            daemon.call(step.method, **{"scope": MINE, **step.params})
            steps.append(step)
        daemon.stop()
        daemon.config("[memory]\nenabled = false\n")
        daemon.start()
        yield daemon, steps
        assert daemon.unexpected() == []
    finally:
        daemon.remove()


def written(home: Path) -> set[str]:
    """Return every remembered row, without columns that only removal changes."""
    found = set()
    with rows.opened_tx(home, read_only=True) as tx:
        for table in RECORDS:
            kept = [
                name
                for name in tx.dialect.catalog.columns(tx.connection, table)
                if not name.startswith(("archive", "superseded_until", "revision"))
                and not name.endswith(
                    ("ended_at", "left_at", "valid_until", "undone_at", "merged_into")
                )
            ]
            found |= {f"{table} {row}" for row in tx.all(f"select {','.join(kept)} from {table}")}
    return found


def test_every_method_that_changes_something_has_its_place() -> None:
    """Each is refused while memory is off, only removes, or does not concern memory."""
    changing = {method.name for method in TABLE.values() if method.changes}
    stores = {method.name for method in TABLE.values() if method.stores}

    assert changing - stores - {"person.resolve", "tools.call"} == TAKES_AWAY | GRANT_METHODS
    assert {"person.resolve", "tools.call"} <= TABLE.keys()


def test_no_change_is_written_down(taken: tuple[Daemon, list[changes.Step]]) -> None:
    """Each is refused with the reason if it would store, and leaves no trace in any case."""
    daemon, steps = taken
    before = written(daemon.home)
    assert before
    for step in steps:
        kind, hint = "", ""
        try:
            daemon.call(step.method, **{"scope": MINE, **step.params})
        except CallFailed as failed:
            kind, hint = failed.kind, failed.data["hint"]

        assert written(daemon.home) <= before, step.method
        if TABLE[step.method].stores:
            assert kind == "denied", step.method
            assert "[memory] enabled" in hint


@pytest.mark.parametrize("method", ["memory.list", "person.list", "context.get", "grant.create"])
def test_who_is_told_of_is_not_written_down(
    taken: tuple[Daemon, list[changes.Step]], method: str
) -> None:
    """An unknown scope stores neither a name nor a chat nor a participant."""
    daemon, _ = taken
    stranger = {
        "provider": "test",
        "user_id": f"zoe of {method}",
        "display_name": "Zoe Quist",
        "chat_id": f"room of {method}",
        "chat_type": "group",
        "participants": [f"zoe of {method}", f"yan of {method}"],
    }
    renamed = {**MINE, "display_name": "Alicia"}
    before = written(daemon.home)
    params = {"message": "Who is here?"} if method == "context.get" else {}
    for scope in (stranger, renamed):
        # A grant for somebody who would have to be recorded as taking part is refused.
        with suppress(CallFailed) if method == "grant.create" else nullcontext():
            daemon.call(method, scope=scope, **params)

    assert written(daemon.home) <= before


def test_a_sandbox_opened_meanwhile_reads_and_stores_nothing(
    taken: tuple[Daemon, list[changes.Step]],
) -> None:
    """The socket works; new facts are refused, and named people are not created."""
    daemon, _ = taken
    grant = opened(daemon, {"provider": "test", "user_id": "bob"})
    before = written(daemon.home)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("memory.search", {"query": "bicycle"}),
        ("memory.list", {}),
        ("person.list", {}),
    ]
    for method, params in calls:
        daemon.call(method, at=grant["socket"], **params)
    for method, params in [
        ("memory.add", {"content": "I like tea"}),
        ("person.resolve", {"reference": "Zoe"}),
    ]:
        with pytest.raises(CallFailed) as failed:
            daemon.call(method, at=grant["socket"], **params)
        assert failed.value.kind == "denied"

    assert written(daemon.home) <= before
