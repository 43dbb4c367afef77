"""Memories of a session, grant, source or time are withdrawn and restored as one. Budget: 9 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def test_a_session_is_withdrawn_and_restored_as_one(daemon: Daemon, scope: Scope) -> None:
    """Memories that it had replaced are active again, until the restore; all others stay."""
    mine = scope()
    old = add(daemon, "The door is red", scope=mine)
    bad = {**mine, "session_id": "bad"}
    daemon.call("memory.update", scope=bad, id=old["id"], changes={"content": "The door is blue"})
    add(daemon, "The window is open", scope=bad)
    add(daemon, "The roof is green", scope=mine)

    dry = daemon.call("memory.withdraw", scope=mine, session_id="bad", dry_run=True)
    assert dry["withdrawal_id"] is None
    assert dry["total"] == 2
    assert len(listed(daemon, scope=mine)) == 3
    done = daemon.call("memory.withdraw", scope=mine, session_id="bad")

    assert sorted(listed(daemon, scope=mine)) == ["The door is red", "The roof is green"]
    assert [one["id"] for one in done["memories"]] == [one["id"] for one in dry["memories"]]
    assert {one["archive_reason"] for one in done["memories"]} == {"withdrawn"}
    assert found(daemon, "window", scope=mine, mode="lexical") == []
    back = daemon.call("memory.restore", withdrawal_id=done["withdrawal_id"])
    assert (back["count"], back["stay"], back["restored"]) == (2, [], True)
    assert sorted(listed(daemon, scope=mine)) == [
        "The door is blue",
        "The roof is green",
        "The window is open",
    ]
    again = daemon.call("memory.restore", withdrawal_id=done["withdrawal_id"])
    assert (again["count"], again["restored"]) == (0, False)


def test_memories_stored_through_a_grant_are_withdrawn(daemon: Daemon, scope: Scope) -> None:
    """Any caller on the host can withdraw by the grant's id alone."""
    mine = scope()
    add(daemon, "Mine", scope=mine)
    grant = daemon.call("grant.create", scope=mine)
    daemon.call("memory.add", at=grant["socket"], content="The sandbox's")

    done = daemon.call("memory.withdraw", grant_id=grant["grant_id"])

    assert done["total"] == 1
    assert listed(daemon, scope=mine) == ["Mine"]


def test_a_time_and_a_source_are_withdrawn_for_the_scope_alone(
    daemon: Daemon, scope: Scope
) -> None:
    """Others' memories of the same time stay."""
    mine, other = scope(), scope()
    first = add(daemon, "Before", scope=mine)
    second = add(daemon, "After", scope=mine)
    add(daemon, "Another's", scope=other)

    done = daemon.call("memory.withdraw", scope=mine, since=second["created_at"], source="rpc")

    assert [one["content"] for one in done["memories"]] == ["After"]
    assert listed(daemon, scope=mine) == ["Before"]
    done = daemon.call("memory.withdraw", scope=mine, until=second["created_at"])
    assert [one["id"] for one in done["memories"]] == [first["id"]]
    assert listed(daemon, scope=other) == ["Another's"]


def test_a_memory_stated_again_meanwhile_stays_withdrawn(daemon: Daemon, scope: Scope) -> None:
    """The rest of the withdrawal is restored."""
    mine = scope(session_id="s")
    twice = add(daemon, "Said twice", scope=mine)
    add(daemon, "Said once", scope=mine)
    done = daemon.call("memory.withdraw", scope=mine, session_id="s")
    add(daemon, "Said twice", scope=scope(mine["user_id"]))

    back = daemon.call("memory.restore", withdrawal_id=done["withdrawal_id"])

    assert (back["count"], back["stay"]) == (1, [twice["id"]])
    assert sorted(listed(daemon, scope=scope(mine["user_id"]))) == ["Said once", "Said twice"]


@pytest.mark.parametrize("params", [{}, {"dry_run": True}])
def test_nothing_in_particular_is_refused(
    daemon: Daemon, scope: Scope, params: dict[str, Any]
) -> None:
    """A call without a filter would withdraw everything."""
    assert refusal(daemon, "memory.withdraw", scope=scope(), **params).kind == "invalid_params"
    assert refusal(daemon, "memory.restore", scope=scope()).kind == "invalid_params"
