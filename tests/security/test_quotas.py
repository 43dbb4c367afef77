"""Quotas over the socket: replies when a limit is reached. Budget: 15 s."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from sandboxes import opened, refused, trail

from ashd import config, errors, limits
from ashd.rpc.methods import TABLE

Scope = Callable[..., dict[str, Any]]


def test_writes_of_a_minute_end(daemon: Daemon, scope: Scope) -> None:
    """The error has the waiting time; reading and other grants go on at once."""
    mine = scope()
    grant = opened(daemon, mine, quota={"writes_per_minute": 2})
    other = opened(daemon, scope())
    with daemon.client(grant["socket"]) as client, daemon.client(other["socket"]) as others:
        for number in range(2):
            client.call("memory.add", content=f"Fact number {number}")
        error = refused(client, "memory.add", content="One more")

        assert error.kind == "rate_limited"
        assert 0 < error.data["retry_after_ms"] <= 30_000
        assert error.data["retryable"]
        assert client.call("memory.list")["total"] == 2
        assert others.call("memory.add", content="One more")["memories"]
    assert "rate_limited" in [row["outcome"] for row in trail(daemon, grant_id=grant["grant_id"])]


def test_each_fact_of_a_batch_is_a_write(daemon: Daemon, scope: Scope) -> None:
    """A batch is let in whole or not at all."""
    grant = opened(daemon, scope(), quota={"writes_per_minute": 3})
    with daemon.client(grant["socket"]) as client:
        facts = [{"content": f"Fact number {number}"} for number in range(4)]
        error = refused(client, "memory.add", facts=facts)
        added = client.call("memory.add", facts=facts[:3])["memories"]

        assert error.kind == "quota_exceeded"
        assert [entry["outcome"] for entry in added] == ["added"] * 3
        assert client.call("memory.list")["total"] == 3


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory.add", {"content": "Over it"}),
        ("person.resolve", {"reference": "Zenobia"}),
        ("tools.call", {"name": "remember", "arguments": {"content": "Over it"}}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_way_to_write_counts(
    daemon: Daemon, scope: Scope, method: str, params: dict[str, Any]
) -> None:
    """The quota counts whichever method writes."""
    grant = opened(daemon, scope(), quota={"writes_per_day": 1})
    with daemon.client(grant["socket"]) as client:
        client.call("memory.add", content="The only one")

        assert refused(client, method, **params).kind == "quota_exceeded"


def test_what_a_sandbox_may_call_and_changes_is_counted() -> None:
    """Every method that changes something has a cost."""
    free = [
        method.name
        for method in TABLE.values()
        if method.sandbox and method.changes and method.right == "read"
    ]

    assert free == []


def test_all_grants_of_an_owner_are_counted_together(new_daemon: Callable[..., Daemon]) -> None:
    """More grants give no more quota; the control socket has none."""
    daemon = new_daemon()
    daemon.config(
        '[embedding]\nprovider = "none"\n[limits]\nwrites_per_minute = 2\n'
        "owner_writes_per_minute = 3\n"
    )
    daemon.start()
    mine = {"provider": "test", "user_id": "me"}
    first, second = (opened(daemon, mine) for _ in range(2))
    with daemon.client(first["socket"]) as one, daemon.client(second["socket"]) as other:
        for client, number in ((one, 1), (one, 2), (other, 3)):
            client.call("memory.add", content=f"Fact number {number}")
        error = refused(other, "memory.add", content="One more")

        assert error.kind == "rate_limited"
        assert "3 writes" in error.error["message"]
    for number in range(5):
        daemon.call("memory.add", scope=mine, content=f"The operator's fact number {number}")


def test_a_day_outlives_the_daemon(new_daemon: Callable[..., Daemon]) -> None:
    """A restart resets nothing, and the grant keeps its own quota."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start()
    grant = opened(daemon, {"provider": "test", "user_id": "me"}, quota={"writes_per_day": 2})
    daemon.call("memory.add", at=grant["socket"], content="The first")
    daemon.stop()
    daemon.start()
    with daemon.client(grant["socket"]) as client:
        client.call("memory.add", content="The second")
        error = refused(client, "memory.add", content="The third")

    assert error.kind == "quota_exceeded"
    assert error.data["quota"] == "writes_per_day"
    assert 0 < error.data["retry_after_ms"] <= 24 * 3_600 * 1_000


def test_room_ends(daemon: Daemon, scope: Scope) -> None:
    """Stored bytes count; the hint names the command that raises the limit."""
    grant = opened(daemon, scope(), quota={"stored_bytes": 2_000}, rights=["write", "forget"])
    with daemon.client(grant["socket"]) as client:
        added = client.call("memory.add", content="word " * 300)["memories"][0]
        error = refused(client, "memory.add", content="term " * 300)

        assert error.kind == "quota_exceeded"
        assert "--quota stored_bytes=N" in error.data["hint"]
        client.call("memory.delete", id=added["memory"]["id"])


def test_answers_of_a_day_end(daemon: Daemon, scope: Scope) -> None:
    """The reply that passes the limit is still sent, the next is not."""
    grant = opened(daemon, scope(), quota={"reply_bytes_per_day": 3_000})
    with daemon.client(grant["socket"]) as client:
        client.call("rpc.discover")

        assert refused(client, "memory.list").data["quota"] == "reply_bytes_per_day"


def test_without_embedder_calls_searches_go_by_words(daemon: Daemon, scope: Scope) -> None:
    """The reply says so; texts that would need vectors later are not stored."""
    grant = opened(daemon, scope(), quota={"embedder_calls_per_day": 2})
    with daemon.client(grant["socket"]) as client:
        client.call("memory.add", content="My bicycle is in the red shed")
        client.call("memory.search", query="where is my bicycle?")
        found = client.call("memory.search", query="where is my bicycle?")

        assert found["degraded"] == ["embedder"]
        assert len(found["results"]) == 1
        assert refused(client, "memory.add", content="One more").kind == "quota_exceeded"


def test_a_sandbox_is_told_its_quota(daemon: Daemon, scope: Scope) -> None:
    """The quota is in `session.hello`, beside the other limits, and in the operator's list."""
    mine = scope()
    grant = opened(daemon, mine, quota={"writes_per_day": 77})
    told = daemon.call("session.hello", at=grant["socket"])["limits"]
    [listed] = [
        one for one in daemon.call("grant.list")["grants"] if one["grant_id"] == grant["grant_id"]
    ]

    assert told["writes_per_day"] == 77
    assert told["writes_per_minute"] == config.Limits().writes_per_minute
    assert listed["quota"] == {"writes_per_day": 77}


@pytest.mark.parametrize("quota", [{"writes_per_day": 0}, {"writes": 1}, {"stored_bytes": "1"}])
def test_a_quota_that_is_none_is_refused(
    daemon: Daemon, scope: Scope, quota: dict[str, Any]
) -> None:
    """The refusal comes before a socket is opened."""
    with daemon.client() as client:
        assert refused(client, "grant.create", scope=scope(), quota=quota).kind == "invalid_params"


@pytest.mark.parametrize(
    ("line", "said"),
    [("writes_per_minute = 0", "1 to 100000"), ("writes = 5", "writes_per_minute")],
)
def test_a_limit_out_of_range_is_refused(line: str, said: str, tmp_path: Path) -> None:
    """The error names the range."""
    path = tmp_path / "config.toml"
    path.write_text(f"[limits]\n{line}\n")

    with pytest.raises(errors.StartError, match=said):
        config.load(path, required=True)


def test_after_the_last_answer_of_a_day_next_to_nothing_is_sent(
    daemon: Daemon, scope: Callable[..., dict[str, Any]]
) -> None:
    """The reply to any request only says that the quota is used up."""
    grant = opened(daemon, scope(), quota={"reply_bytes_per_day": 3_000})
    asked = {"jsonrpc": "2.0", "id": "x" * limits.SANDBOX.id_chars, "method": "no.such"}
    with daemon.client(grant["socket"]) as client:
        replies = []
        for identifier in ["x" * 10_000, *[asked["id"]] * 20]:
            client.send(json.dumps({**asked, "id": identifier}).encode() + b"\n")
            replies.append(client.receive())

    assert replies[0]["id"] is None, "too long to be repeated"
    kinds = [reply["error"]["data"]["kind"] for reply in replies]
    last = kinds.index("quota_exceeded")
    assert set(kinds[last:]) == {"quota_exceeded"}
    assert all(len(json.dumps(reply)) < 1_000 for reply in replies)
