"""The audit: changes and denials are recorded, and the records stay. Budget: 10 s."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import changes
import pytest
from daemons import CallFailed, Daemon
from sandboxes import opened, refused, trail

from ashd.rpc.methods import TABLE

Scope = Callable[..., dict[str, Any]]
ELSEWHERE = {
    "memory.extract",
    "model.use",
    "jobs.retry",
    "profile.rebuild",
    "summary.rebuild",
    "db.clear",
}
"""Changes that need more than one call: they have their own tests."""


def test_every_change_leaves_one_row(daemon: Daemon, scope: Scope) -> None:
    """The row has the method, the outcome and the caller, and none of the call's words."""
    mine = scope()
    seen = set()
    for step in changes.steps(daemon.call, mine):
        before = trail(daemon)[:1]
        daemon.call(step.method, **{"scope": mine, **step.params})
        new = [row for row in trail(daemon) if not before or row["id"] > before[0]["id"]]

        assert [(row["method"], row["outcome"]) for row in new] == [(step.method, "ok")]
        [row] = new
        assert row["actor"] == "operator"
        assert row["grant_id"] is None
        assert row["peer_pid"] is not None
        assert row["peer_uid"] is not None
        said = json.dumps({**row, "digest": ""})
        assert not [word for word in _words(step.params) if len(word) > 5 and word in said]
        seen.add(step.method)

    changing = {method.name for method in TABLE.values() if method.changes}
    assert changing - seen - ELSEWHERE == set(), "add a step for it in changes.py"


def _words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [word for item in value.values() for word in _words(item)]
    if isinstance(value, list):
        return [word for item in value for word in _words(item)]
    return [value] if isinstance(value, str) and " " in value else []


def test_a_row_is_of_the_moment_of_its_change(daemon: Daemon, scope: Scope) -> None:
    """One transaction has one time, to the microsecond."""
    mine = scope()
    memory = daemon.call("memory.add", scope=mine, content="I like tea")["memories"][0]["memory"]

    assert trail(daemon)[0]["at"] == memory["created_at"]


def test_what_was_refused_leaves_no_row_of_a_change(daemon: Daemon, scope: Scope) -> None:
    """A refused call changed nothing, so it leaves no row of a change."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="I like tea")
    before = trail(daemon)[0]["id"]
    with pytest.raises(CallFailed):
        daemon.call("memory.add", scope=mine, content="")

    assert trail(daemon)[0]["id"] == before


@pytest.fixture(scope="module")
def quiet() -> Iterator[Daemon]:
    """A daemon without other denials: only so many a minute are recorded."""
    daemon = Daemon()
    yield daemon.start()
    unexpected = daemon.unexpected()
    daemon.remove()
    assert unexpected == []


SECRET = "My password is hunter2-Horse"


@pytest.mark.parametrize(
    ("method", "params", "rows"),
    [
        ("memory.add", {"content": SECRET}, ["content_refused"]),
        (
            "memory.add",
            {"facts": [{"content": "I like tea"}, {"content": SECRET}]},
            ["content_refused", "ok"],
        ),
        (
            "tools.call",
            {"name": "remember", "arguments": {"content": SECRET}},
            ["content_refused"],
        ),
        (
            "conversation.ingest",
            {"conversation_id": "c", "messages": [{"role": "user", "content": SECRET}]},
            ["content_refused"],
        ),
    ],
    ids=["fact", "batch", "tool", "messages"],
)
def test_a_refused_secret_is_on_record(
    quiet: Daemon, scope: Scope, method: str, params: dict[str, Any], rows: list[str]
) -> None:
    """The row names the call, never the secret."""
    before = {row["id"] for row in trail(quiet)}
    with suppress(CallFailed):
        quiet.call(method, scope=scope(), **params)
    new = [row for row in trail(quiet) if row["id"] not in before]

    outcomes = [row["outcome"] for row in new]
    assert [outcome for outcome in outcomes if outcome != "ok"] == ["content_refused"]
    assert outcomes[: len(rows)] == rows
    assert {row["method"] for row in new} == {method}
    assert "hunter2" not in json.dumps(new)


@pytest.mark.parametrize("first", ["I like tea", "I like milk"], ids=["told again", "both"])
def test_what_is_told_again_is_on_record_as_that(daemon: Daemon, scope: Scope, first: str) -> None:
    """A duplicate is recorded with the memory that it repeats; a batch has one row."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="I like tea")
    before = trail(daemon)[0]["id"]
    facts = [{"content": first}, {"content": "I like tea"}]
    told = daemon.call("memory.add", scope=mine, facts=facts)["memories"]
    new = [row for row in trail(daemon) if row["id"] > before]

    outcome = "ok" if told[0]["outcome"] == "added" else "duplicate"
    assert told[1]["outcome"] == "duplicate"
    assert [("memory.add", outcome)] == [(row["method"], row["outcome"]) for row in new]


def test_a_digest_tells_equal_calls_and_nothing_else(daemon: Daemon, scope: Scope) -> None:
    """Two calls with the same params have the same; it is no plain hash of them."""
    mine = scope()
    digests = []
    for content in ("My bicycle is red", "I like tea", "My bicycle is red"):
        added = daemon.call("memory.add", scope=mine, content=content)["memories"][0]
        daemon.call("memory.delete", scope=mine, id=added["memory"]["id"])
        digests.append(trail(daemon)[1]["digest"])
    params = {"content": "My bicycle is red", "scope": mine}
    plain = json.dumps(["memory.add", params], sort_keys=True, separators=(",", ":"))

    assert digests[0] == digests[2] != digests[1]
    assert digests[0] != hashlib.sha256(plain.encode()).hexdigest()
    assert len(digests[0]) == 64


@pytest.mark.parametrize(
    ("method", "params", "kind"),
    [
        ("memory.list", {"scope": {"provider": "p", "user_id": "x"}}, "scope_is_bound"),
        ("memory.list", {"user_id": "x"}, "scope_is_bound"),
        ("memory.list", {"all_scopes": True}, "scope_is_bound"),
        ("memory.add", {"content": "x", "participants": ["x"]}, "scope_is_bound"),
        ("memory.delete", {"id": "abcdef"}, "denied"),
        ("grant.create", {}, "method_not_found"),
        ("audit.list", {}, "method_not_found"),
        ("person.merge", {"id": "abcdef", "into": "abcdef"}, "method_not_found"),
        ("session.hello", {"token": "ashtok_x"}, "scope_is_bound"),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_an_attempt_is_on_record(
    daemon: Daemon, scope: Scope, method: str, params: dict[str, Any], kind: str
) -> None:
    """A denied attempt is recorded with its grant, method and denial."""
    grant = opened(daemon, scope())
    with daemon.client(grant["socket"]) as client:
        assert refused(client, method, **params).kind == kind
    [row] = trail(daemon, grant_id=grant["grant_id"])

    assert (row["actor"], row["method"], row["outcome"]) == ("sandbox", method, kind)
    assert row["peer_pid"] is not None


def test_an_ended_grant_is_on_record_under_no_name_of_its_choice(
    daemon: Daemon, scope: Scope
) -> None:
    """The name of an unknown method is the caller's text, and is not stored."""
    grant = opened(daemon, scope(), expires_in_s=1)
    with daemon.client(grant["socket"]) as client:
        for _ in iter(lambda: _is_open(client), False):
            pass
        refused(client, "\x1b[2J" + "x" * 100_000)
    rows = trail(daemon, grant_id=grant["grant_id"])

    assert {row["outcome"] for row in rows} <= {"grant_expired", "denials_left_out"}
    assert rows[0]["method"] == "(unknown)"


def _is_open(client: Any) -> bool:
    try:
        client.call("session.hello")
    except CallFailed:
        return False
    return True


def test_nobody_floods_the_audit(daemon: Daemon, scope: Scope) -> None:
    """A thousand attempts leave some rows a minute, and one that counts the rest."""
    grant = opened(daemon, scope())
    other = opened(daemon, scope())
    with daemon.client(grant["socket"]) as client:
        for _ in range(1_000):
            refused(client, "audit.list")
    with daemon.client(other["socket"]) as client:
        refused(client, "audit.list")
    rows = trail(daemon, grant_id=grant["grant_id"])

    # The minute may have changed meanwhile.
    assert 31 <= len(rows) <= 62
    assert 1 <= [row["outcome"] for row in rows].count("denials_left_out") <= 2
    assert len(trail(daemon, grant_id=other["grant_id"])) == 1


def test_too_many_connections_are_on_record(daemon: Daemon, scope: Scope) -> None:
    """Refused connections are recorded under their own kind."""
    grant = opened(daemon, scope())
    clients = [daemon.client(grant["socket"]) for _ in range(9)]
    replies = [client.receive() for client in clients[8:]]
    for client in clients:
        client.close()
    [row] = trail(daemon, grant_id=grant["grant_id"])

    assert replies[0]["error"]["data"]["kind"] == "rate_limited"
    assert (row["method"], row["outcome"]) == ("(connection)", "rate_limited")


def test_a_notification_that_would_change_is_on_record(daemon: Daemon, scope: Scope) -> None:
    """The notification changes nothing, and only the operator learns of it."""
    grant = opened(daemon, scope())
    with daemon.client(grant["socket"]) as client:
        client.send(b'{"jsonrpc":"2.0","method":"memory.add","params":{"content":"x"}}\n')
        assert client.call("memory.list")["total"] == 0
    [row] = trail(daemon, grant_id=grant["grant_id"])

    assert row["outcome"] == "ignored_notification"


def test_a_look_at_everything_is_on_record(daemon: Daemon) -> None:
    """An operator's read of all scopes is recorded."""
    daemon.call("memory.list", all_scopes=True)

    assert trail(daemon)[0]["outcome"] == "all_scopes"


@pytest.mark.parametrize("method", ["jobs.list", "account.list", "chat.list"])
def test_a_list_of_everybodys_is_on_record(
    new_daemon: Callable[..., Daemon], scope: Scope, method: str
) -> None:
    """One scope's jobs are no look at everything, whether the call or the connection names it.

    A program that asks again soon has no further row; another program has its own.
    """
    daemon, mine = new_daemon(), scope()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start(wait_for="daemon_ready")
    daemon.call("jobs.list", scope=mine)
    with daemon.client() as client:
        client.call("session.hello", bind=True, scope=mine)
        client.call("jobs.list")
    assert trail(daemon) == []

    for _ in range(3):
        daemon.call(method)
        with daemon.client() as client:
            client.call("session.hello", client="ash web")
            client.call(method)

    rows = [(row["actor"], row["method"], row["outcome"]) for row in trail(daemon)[::-1]]
    assert rows == [("operator", method, "all_scopes"), ("web", method, "all_scopes")]


def test_the_list_is_filtered_and_paged(daemon: Daemon, scope: Scope) -> None:
    """Filters are grant, outcome and time; the pages together are the whole."""
    grant = opened(daemon, scope())
    with daemon.client(grant["socket"]) as client:
        for number in range(5):
            client.call("memory.add", content=f"Fact number {number}")
            refused(client, "audit.list")
    every = trail(daemon, grant_id=grant["grant_id"])
    pages, cursor = [], None
    while True:
        page = daemon.call(
            "audit.list",
            grant_id=grant["grant_id"],
            limit=3,
            **({"cursor": cursor} if cursor else {}),
        )
        pages += page["entries"]
        if (cursor := page["next_cursor"]) is None:
            break

    assert pages == every
    assert len(every) == 10
    assert [row["id"] for row in every] == sorted((row["id"] for row in every), reverse=True)
    assert len(trail(daemon, grant_id=grant["grant_id"], outcome="ok")) == 5
    middle = every[4]["at"]
    assert len(trail(daemon, grant_id=grant["grant_id"], since=middle)) == 5
    assert len(trail(daemon, grant_id=grant["grant_id"], until=middle)) == 5
    assert trail(daemon, since="2999-01-01") == []


@pytest.mark.parametrize(
    "params",
    [{"cursor": "x"}, {"cursor": "-1"}, {"since": "yesterday"}, {"limit": 0}, {"limit": 101}],
)
def test_a_filter_that_is_none_is_refused(daemon: Daemon, params: dict[str, Any]) -> None:
    """The error says what to give instead."""
    with daemon.client() as client:
        assert refused(client, "audit.list", **params).kind == "invalid_params"


def test_no_method_changes_the_audit() -> None:
    """Only events write the audit; no method's params can change or clear it."""
    named = [name for name in TABLE if name.startswith("audit.")]

    assert named == ["audit.list"]
    assert not TABLE["audit.list"].sandbox
