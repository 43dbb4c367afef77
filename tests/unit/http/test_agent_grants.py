"""The grants through which clients of `ashd http` call the daemon: few, and no more than needed."""

from typing import Any

import pytest

from ashd.http import memory
from ashd.http.callers import Acting
from ashd.http.memory import Memory


class Recorded(Memory):
    """Notes the calls that would go to the daemon."""

    def __init__(self) -> None:
        super().__init__(None, None)
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """A grant is named by the agent that it is for."""
        self.calls.append((method, params))
        agent = params["scope"]["user_id"] if "scope" in params else ""
        return {"grant_id": f"g-{agent}", "socket": f"/nowhere/{agent}"}


async def test_the_grant_used_longest_ago_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The revoked grant makes space, so a stranger to the key file cannot fill the daemon with
    grants."""
    monkeypatch.setattr(memory, "_MOST_GRANTS", 2)
    made = Recorded()
    for agent in ("ann", "bob", "ann", "cleo"):
        await made._grant(Acting(agent))

    revoked = [params["grant_id"] for method, params in made.calls if method == "grant.revoke"]
    assert revoked == ["g-bob"]
    assert [method for method, _ in made.calls].count("grant.create") == 3


async def test_a_grant_reads_and_writes_and_ends_with_the_gateway() -> None:
    """No call that an agent's client may make by itself deletes anything."""
    made = Recorded()
    await made._grant(Acting("ann"))
    [(_, params)] = made.calls

    assert params["rights"] == ["read", "write"]
    assert params["ends_with_caller"] is True
    assert params["scope"] == {"provider": "http", "user_id": "ann"}
