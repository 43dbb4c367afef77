"""A call repeated with its key has the same answer and no second effect. Budget: 40 s."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asking import add, listed, refusal
from daemons import CallFailed, Daemon
from rows import opened

from ashd.rpc import idempotency
from ashd.rpc.methods import TABLE

sys.path.insert(0, str(Path(__file__).parents[1] / "security"))
import changes

MINE = {"provider": "test", "user_id": "ada", "display_name": "Ada"}
Scope = Callable[..., dict[str, Any]]
OWN_KEYS = {"memory.add", "memory.extract"}
"""They store facts, and build a repeated answer from what is stored."""
AFTERWARDS = {
    # Their work takes many transactions, and a repetition finds it done.
    *("memory.forget_person", "memory.withdraw", "memory.erase", "db.gc", "db.compact"),
    *("db.clear", "db.backup", "db.export", "db.import", "jobs.flush", "model.use"),
    *("db.check", "db.reindex"),
    "system.reload",  # settings are read from a file, and nothing is stored
    "llm.count",  # counted in memory and stored a moment later
    *("key.create", "key.revoke"),  # in a file, unless the database is on a server
    # A socket is made beside the row; a second grant could be revoked by itself.
    *("grant.create", "grant.revoke", "grant.turn", "conversation.delete"),
}
"""Methods whose reply is stored after their effect, in a transaction of its own."""


def test_every_method_that_changes_something_takes_a_key() -> None:
    """The common implementation handles it, or the method's own."""
    for method in TABLE.values():
        if method.changes:
            own = "idempotency_key" in method.params.__struct_fields__
            assert idempotency.takes_key(method) != own, method.name
            assert own == (method.name in OWN_KEYS), method.name


def test_a_repeated_call_answers_as_the_first_time(new_daemon: Callable[..., Daemon]) -> None:
    """For every method: the same reply, one row in the audit, both in one transaction."""
    daemon = new_daemon().start()
    together, seen = set(), set()
    for step in changes.steps(daemon.call, MINE):
        method = TABLE.get(step.method)
        if method is None or not idempotency.takes_key(method):
            daemon.call(step.method, **{"scope": MINE, **step.params})
            continue
        params = {"scope": MINE, **step.params, "idempotency_key": f"key of {step}"[:200]}
        first = daemon.call(step.method, **params)
        before = daemon.call("audit.list", limit=1)["entries"]
        assert daemon.call(step.method, **params) == first, step.method
        assert daemon.call("audit.list", limit=1)["entries"] == before, step.method
        seen.add(step.method)
        if _stored_together(daemon):
            together.add(step.method)
        assert _changed_key(daemon, step.method, params).kind == "conflict"

    late = seen - together - AFTERWARDS
    assert late == set(), "let the transaction of the effect return the reply"


def _changed_key(daemon: Daemon, method: str, params: dict[str, Any]) -> CallFailed:
    """The refusal of the key with other params."""
    other = {**params["scope"], "display_name": "Another name"}
    return refusal(daemon, method, **{**params, "scope": other})


def _stored_together(daemon: Daemon) -> bool:
    """Return whether the last reply and the last audit row share one time: one transaction."""
    with opened(daemon.home, read_only=True) as rows:
        [(stored,)] = rows.execute("select created_at from replies order by id desc limit 1")
        return bool(rows.execute("select 1 from audit where at = ?", (stored,)).fetchall())


def test_an_undated_conversation_is_not_stored_twice(daemon: Daemon, scope: Scope) -> None:
    """Messages without dates and ids are recognised by the key of the call."""
    mine = scope()
    call = {
        "scope": mine,
        "conversation_id": "c",
        "turns": [{"user": "Good morning", "assistant": "Good morning to you"}],
        "idempotency_key": "once",
    }

    first = daemon.call("conversation.ingest", **call)

    assert daemon.call("conversation.ingest", **call) == first
    found = daemon.call("conversation.get", scope=mine, conversation_id="c")
    assert len(found["messages"]) == 2


def test_a_repeated_update_answers_as_the_first_time(daemon: Daemon, scope: Scope) -> None:
    """A key is optional when the repeated change is the same."""
    mine = scope()
    memory = add(daemon, "The door is red", scope=mine)
    call = {"scope": mine, "id": memory["id"], "changes": {"content": "The door is blue"}}

    first = daemon.call("memory.update", **call, idempotency_key="once", expected_revision=1)

    assert (
        daemon.call("memory.update", **call, idempotency_key="once", expected_revision=1) == first
    )
    again = daemon.call("memory.update", **call, expected_revision=1)
    assert again["memory"]["id"] == first["memory"]["id"]
    assert again["previous_id"] == first["previous_id"]
    assert listed(daemon, scope=mine) == ["The door is blue"]


def test_the_same_call_twice_at_once_has_one_effect(daemon: Daemon, scope: Scope) -> None:
    """One of the two calls takes effect; both get its answer."""
    mine = scope()
    answers: list[Any] = []

    def make() -> None:
        with daemon.client() as client:
            answers.append(
                client.call("override.add", scope=mine, content="Be brief", idempotency_key="k")
            )

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 6
    assert all(answer == answers[0] for answer in answers)
    assert len(daemon.call("override.list", scope=mine)["overrides"]) == 1


def test_keys_of_two_callers_are_two_keys(daemon: Daemon, scope: Scope) -> None:
    """A reply to one user is not given to another who uses the same key."""
    one, other = scope(), scope()
    for mine in (one, other):
        daemon.call("override.add", scope=mine, content=mine["user_id"], idempotency_key="same")

    pinned = daemon.call("override.list", scope=other)["overrides"]
    assert [entry["content"] for entry in pinned] == [other["user_id"]]


@pytest.mark.parametrize("key", ["", "x" * 201, 7])
def test_a_key_that_is_none_is_refused(daemon: Daemon, scope: Scope, key: Any) -> None:
    """The error says what a key looks like."""
    failed = refusal(daemon, "override.add", scope=scope(), content="Be brief", idempotency_key=key)
    assert failed.kind == "invalid_params"


def test_a_failed_call_can_be_made_again(daemon: Daemon, scope: Scope) -> None:
    """An error is not stored: the same key works once the cause is gone."""
    mine = scope()
    call = {"scope": mine, "conversation_id": "c", "idempotency_key": "k"}
    assert refusal(daemon, "conversation.delete", **call).kind == "not_found"
    daemon.call(
        "conversation.ingest",
        scope=mine,
        conversation_id="c",
        messages=[{"role": "user", "content": "Hello"}],
    )

    assert daemon.call("conversation.delete", **call)["deleted"] == 1
    assert daemon.call("conversation.delete", **call)["deleted"] == 1


def test_an_erasure_takes_the_content_of_stored_replies(daemon: Daemon, scope: Scope) -> None:
    """A repeated call has no second effect, and is told what holds no content: ids, times."""
    mine, other = scope(), scope()
    call = {"scope": mine, "content": "Be brief", "idempotency_key": "k"}
    first = daemon.call("override.add", **call)
    kept = {"scope": mine, "method": "memory.delete", "idempotency_key": "k2"}
    kept["id"] = add(daemon, "Nobody needs this", scope=mine)["id"]
    deleted = daemon.call(**kept)
    memory = add(daemon, "Something else", scope=other)
    daemon.call("memory.erase", scope=other, id=memory["id"])

    again = daemon.call("override.add", **call)

    assert again["content_erased"] is True
    assert again["override"]["id"] == first["override"]["id"]
    assert again["override"]["created_at"] == first["override"]["created_at"]
    assert again["override"]["content"] == ""
    assert len(daemon.call("override.list", scope=mine)["overrides"]) == 1
    again = daemon.call(**kept)
    assert again["memory"]["archive_reason"] == deleted["memory"]["archive_reason"]
    assert "Nobody" not in repr(again)


def test_an_erasure_leaves_replies_without_content(daemon: Daemon, scope: Scope) -> None:
    """A receipt is told again as it was, with its files, whatever was erased since."""
    mine = scope()
    call = {
        "scope": mine,
        "id": add(daemon, "The first secret of the house", scope=mine)["id"],
        "idempotency_key": "k",
    }
    daemon.call("db.backup")
    first = daemon.call("memory.erase", **call)
    memory = add(daemon, "Something else", scope=mine)
    daemon.call("memory.erase", scope=mine, id=memory["id"])

    assert first["receipt"]["backups"]
    assert daemon.call("memory.erase", **call) == first


def test_a_key_of_an_unfinished_call_is_for_that_call(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """An interrupted erasure is not finished by another call with its key."""
    mine = scope()
    daemon = new_daemon().start()
    first, second = (add(daemon, text, scope=mine)["id"] for text in ("One thing", "Another"))
    call = {"scope": mine, "id": first, "idempotency_key": "k"}
    daemon.call("memory.erase", **call)
    daemon.stop()
    with opened(daemon.home) as rows:
        rows.execute(
            "update replies set bare = null, progress = ? where key = 'k'",
            ('{"rows":{"memories":1,"passages":1}}',),
        )
    daemon.start()

    assert refusal(daemon, "memory.erase", **{**call, "id": second}).kind == "conflict"
    again = daemon.call("memory.erase", **call)

    assert again["erased"] == 1
    assert again["receipt"]["rows"] == {"memories": 1, "passages": 1}
    assert daemon.call("memory.erase", **call) == again
    assert daemon.call("memory.list", scope=mine)["total"] == 1
