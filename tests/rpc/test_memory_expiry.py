"""Faded and expired memories are absent from every read, over both sockets. Budget: 5 s."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]

_LIVES_DAYS = {"context": 7, "event": 30, "task": 14, "observation": 3}


def _days_ago(days: float) -> str:
    return (dt.datetime.now(dt.UTC) - dt.timedelta(days=days)).isoformat()


def _time(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def test_expiry_in_days_counts_from_now(daemon: Daemon, scope: Scope) -> None:
    """Whole days and parts of a day (A6)."""
    mine = scope()
    for days in (1, 0.5, 36_500):
        memory = add(daemon, f"The pass holds for {days} days", scope=mine, expires_in_days=days)

        lives = _time(memory["expires_at"]) - _time(memory["created_at"])
        assert lives == dt.timedelta(days=days)


def test_expiry_on_a_day_is_at_its_end(daemon: Daemon, scope: Scope) -> None:
    """A pass that expires on the 5th is good on the 5th; a time is exact and in UTC."""
    mine = scope()
    day = add(daemon, "The pass", scope=mine, expires_at="2099-05-05")
    time = add(daemon, "The ticket", scope=mine, expires_at="2099-05-05T08:00:00+02:00")

    assert day["expires_at"] == "2099-05-06T00:00:00Z"
    assert time["expires_at"] == "2099-05-05T06:00:00Z"


@pytest.mark.parametrize("memory_type", list(_LIVES_DAYS))
def test_a_fading_type_fades_from_when_it_was_observed(
    daemon: Daemon, scope: Scope, memory_type: str
) -> None:
    """A memory observed longer ago than its type lasts is gone at once, from every read (A2)."""
    mine = scope()
    lives = _LIVES_DAYS[memory_type]
    fresh = add(
        daemon,
        "The lighthouse keeper waved",
        scope=mine,
        type=memory_type,
        observed_at=_days_ago(lives - 0.1),
    )
    faded = add(
        daemon,
        "The lighthouse keeper sang",
        scope=mine,
        type=memory_type,
        observed_at=_days_ago(lives + 0.1),
    )

    assert listed(daemon, scope=mine) == [fresh["content"]]
    for mode in ("hybrid", "lexical", "vector"):
        assert found(daemon, "lighthouse keeper", scope=mine, mode=mode, min_score=0) == [
            fresh["content"]
        ]
    assert daemon.call("memory.list", scope=mine)["total"] == 1
    assert set(found(daemon, "lighthouse keeper", scope=mine, include_expired=True)) == {
        fresh["content"],
        faded["content"],
    }
    assert listed(daemon, scope=mine, include_expired=True) == [
        faded["content"],
        fresh["content"],
    ]


def test_a_lasting_type_does_not_fade(daemon: Daemon, scope: Scope) -> None:
    """A lasting type stays, however long ago it was observed."""
    mine = scope()
    lasting = ("preference", "identity", "relationship", "knowledge", "decision", "skill")
    for memory_type in (*lasting, "correction", "commitment"):
        add(
            daemon,
            f"An old {memory_type}",
            scope=mine,
            type=memory_type,
            observed_at="1999-01-01",
        )

    assert daemon.call("memory.list", scope=mine)["total"] == 8


def test_a_sandbox_never_sees_what_has_faded(daemon: Daemon, scope: Scope) -> None:
    """Faded memories are hidden in every read, and the filters for them are denied (A2)."""
    mine = scope()
    socket = daemon.call("grant.create", scope=mine, rights=["read", "write", "forget"])["socket"]
    red = add(
        *(daemon, "The flag on the tower is red"),
        scope=mine,
        observed_at="2019-01-01",
        expires_in_days=9,
    )
    faded = add(
        daemon,
        "The flag on the tower is blue",
        scope=mine,
        type="observation",
        observed_at="2020-01-01",
        supersedes=red["id"],
    )

    assert listed(daemon, at=socket) == [red["content"]]
    assert found(daemon, "flag tower", at=socket, include_superseded=True) == [red["content"]]
    for method, extra in (
        ("memory.get", {}),
        ("memory.history", {}),
        ("memory.delete", {}),
        ("memory.update", {"changes": {"content": "x"}}),
    ):
        assert refusal(daemon, method, at=socket, id=faded["id"], **extra).kind == "not_found"
    chain = daemon.call("memory.history", at=socket, id=red["id"])["chain"]
    assert [(memory["content"], memory["superseded_by_id"]) for memory in chain] == [
        (red["content"], None)
    ]
    error = refusal(daemon, "memory.search", at=socket, query="flag", include_expired=True)
    assert error.kind == "denied"
    whole = daemon.call("memory.history", scope=mine, id=red["id"])["chain"]
    assert [memory["content"] for memory in whole] == [red["content"], faded["content"]]


def test_the_same_fact_after_it_faded_is_a_new_one(daemon: Daemon, scope: Scope) -> None:
    """No active memory has these words, so it is no duplicate (A10)."""
    mine = scope()
    old = add(daemon, "The shop is closed", scope=mine, type="context", observed_at="2020-01-01")

    new = add(daemon, "The shop is closed", scope=mine, type="context")

    assert new["id"] != old["id"]
    assert listed(daemon, scope=mine) == ["The shop is closed"]


def test_a_lasting_fact_takes_the_place_of_one_that_fades(daemon: Daemon, scope: Scope) -> None:
    """The same words stated to last do not expire with the first statement."""
    mine = scope()
    passing = add(daemon, "The key is at the porter's", scope=mine, expires_in_days=1)

    entry = daemon.call("memory.add", scope=mine, content="The key is at the porter's")

    assert entry["memories"][0]["superseded"] == [passing["id"]]
    assert entry["memories"][0]["memory"]["expires_at"] is None
    assert listed(daemon, scope=mine) == ["The key is at the porter's"]
