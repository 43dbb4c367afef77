"""The main path over the control socket. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def test_a_fact_is_stored_and_found(daemon: Daemon, scope: Scope) -> None:
    """A stored fact is found by its words, with its owner and type."""
    mine = scope()

    added = daemon.call("memory.add", scope=mine, content="My bicycle is in the red shed")
    found = daemon.call("memory.search", scope=mine, query="where is my bicycle?")

    assert added["memories"][0]["outcome"] == "added"
    assert [added["memories"][0]["memory"]["id"]] == [r["memory"]["id"] for r in found["results"]]
    assert mine["user_id"] == found["results"][0]["memory"]["owner_user_id"]


def test_nothing_relevant_is_nothing(daemon: Daemon, scope: Scope) -> None:
    """A question that no memory answers gets no least bad one (D7)."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="My bicycle is in the red shed")

    found = daemon.call("memory.search", scope=mine, query="quantum chromodynamics on a lattice")

    assert found["results"] == []
