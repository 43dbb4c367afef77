"""Conflicts: shown with both memories, to whoever may see both, until somebody settles them."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, refusal
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]
OLD, NEW = "I keep the spare key with Ines", "The spare key hangs in the shed"


def link(daemon: Daemon, scope: dict[str, Any], newer: str, older: str) -> None:
    """Leave open whether a memory replaces another, as a model's belief does."""
    pair = {"id": newer, "superseded_id": older, "verdict": "unsure"}
    daemon.call("memory.supersede", scope=scope, **pair)


def pair_of(daemon: Daemon, scope: dict[str, Any], older: str, newer: str) -> tuple[str, str]:
    """Store two memories in conflict; the ids of the newer and the older one."""
    first, second = (add(daemon, text, scope=scope)["id"] for text in (older, newer))
    link(daemon, scope, second, first)
    return second, first


def conflicts(daemon: Daemon, scope: dict[str, Any], **params: Any) -> list[tuple[str, str]]:
    """The contents of what may replace what."""
    listed = daemon.call("memory.conflicts", scope=scope, **params)["conflicts"]
    return [(one["newer"]["content"], one["older"]["content"]) for one in listed]


def test_every_read_shows_a_memory_with_its_conflict(daemon: Daemon, scope: Scope) -> None:
    """A list, a memory by its id, a history and a search."""
    mine = scope()
    newer, older = pair_of(daemon, mine, OLD, NEW)
    listed = daemon.call("memory.list", scope=mine)["memories"]
    by_id = [daemon.call("memory.get", scope=mine, id=one)["memory"] for one in (newer, older)]
    chains = [
        memory
        for one in (newer, older)
        for memory in daemon.call("memory.history", scope=mine, id=one)["chain"]
    ]
    results = daemon.call("memory.search", scope=mine, query="spare key")["results"]

    for memories in (listed, by_id, chains, [one["memory"] for one in results]):
        shown = {memory["id"]: memory["conflicts"] for memory in memories}
        [of_newer], [of_older] = shown[newer], shown[older]
        assert (of_newer["id"], of_newer["relation"], of_newer["content"]) == (older, "older", OLD)
        assert (of_older["id"], of_older["relation"], of_older["content"]) == (newer, "newer", NEW)


def test_an_older_memory_brings_the_newer_one(daemon: Daemon, scope: Scope) -> None:
    """It is not counted towards the limit, and comes first if it fits about as well."""
    mine = scope()
    pair_of(daemon, mine, OLD, "Everything of hers was fetched back")

    shown = found(daemon, "who is it that Ines keeps a key for", scope=mine, limit=1)

    assert shown == [OLD, "Everything of hers was fetched back"]


def test_a_model_reads_the_mark(daemon: Daemon, scope: Scope) -> None:
    """In the block for a prompt and in a tool's text the older one has the newer one's day."""
    mine = scope()
    pair_of(daemon, mine, OLD, NEW)
    day = daemon.call("memory.list", scope=mine)["memories"][0]["created_at"][:10]
    mark = f"earlier; perhaps replaced by what was told on {day}"

    block = daemon.call("context.get", scope=mine, message="where is the spare key?")["text"]
    told = daemon.call("tools.call", scope=mine, name="recall", arguments={"query": "spare key"})[
        "content"
    ]

    for text in (block, told):
        [marked] = [line for line in text.splitlines() if mark in line]
        assert OLD in marked


@pytest.mark.parametrize("verdict", ["both", "replaces"])
def test_a_settled_conflict_is_gone(daemon: Daemon, scope: Scope, verdict: str) -> None:
    """Whatever the verdict; the pair is open again only if somebody says so."""
    mine = scope()
    newer, older = pair_of(daemon, mine, OLD, NEW)
    assert conflicts(daemon, mine) == [(NEW, OLD)]

    pair = {"id": newer, "superseded_id": older}
    daemon.call("memory.supersede", scope=mine, **pair, verdict=verdict)

    assert conflicts(daemon, mine) == []
    assert len(found(daemon, "spare key", scope=mine)) == (2 if verdict == "both" else 1)
    link(daemon, mine, newer, older)
    assert conflicts(daemon, mine) == [(NEW, OLD)]


def test_a_memory_that_is_not_active_has_no_conflict(daemon: Daemon, scope: Scope) -> None:
    """Neither in its own view nor in the other one's; a restored one has it again."""
    mine = scope()
    newer, older = pair_of(daemon, mine, OLD, NEW)

    for gone in (newer, older):
        daemon.call("memory.delete", scope=mine, id=gone)
        listed = daemon.call("memory.list", scope=mine, include_archived=True)["memories"]
        assert {one["id"]: one["conflicts"] for one in listed} == {newer: [], older: []}
        assert conflicts(daemon, mine) == []
        daemon.call("memory.restore", scope=mine, id=gone)
        assert conflicts(daemon, mine) == [(NEW, OLD)]


def test_conflicts_are_listed_in_pages(plain: Daemon, scope: Scope) -> None:
    """Each once; a settled one is not listed, and none is skipped for it.

    Without an embedder, which would find some of them likelier between two pages.
    """
    mine = scope()
    pairs = [
        pair_of(plain, mine, f"The key of hut {n} hangs at Ilse's", f"Ilse gave key {n} back")
        for n in range(5)
    ]
    first = plain.call("memory.conflicts", scope=mine, limit=2)
    assert (first["total"], len(first["conflicts"])) == (5, 2)
    settled = first["conflicts"][1]
    plain.call(
        "memory.supersede",
        scope=mine,
        id=settled["newer"]["id"],
        superseded_id=settled["older"]["id"],
        verdict="both",
    )

    rest = plain.call("memory.conflicts", scope=mine, cursor=first["next_cursor"])

    assert rest["next_cursor"] is None
    seen = [one["newer"]["id"] for page in (first, rest) for one in page["conflicts"]]
    assert sorted(seen) == sorted(newer for newer, _ in pairs)
    for cursor in ("nonsense", "1/2", "x/y/z"):
        error = refusal(plain, "memory.conflicts", scope=mine, cursor=cursor)
        assert error.kind == "invalid_params"


def test_a_conflict_is_for_whoever_may_see_both(daemon: Daemon, scope: Scope) -> None:
    """To a member who may not see one of the two the other has no mark and no conflict."""
    ann, bob = (scope()["user_id"] for _ in range(2))
    here = {"chat_id": f"{ann}-hut", "chat_type": "group", "participants": [ann, bob]}
    mine, other = scope(ann, **here), scope(bob, **here)
    older = add(daemon, OLD, scope=mine, shared=True)["id"]
    newer = add(daemon, NEW, scope=mine, shared=True)["id"]
    link(daemon, mine, newer, older)
    assert conflicts(daemon, other) == [(NEW, OLD)]
    daemon.call("memory.update", scope=mine, id=newer, changes={"sensitivity": "sensitive"})

    assert conflicts(daemon, other) == []
    memory = daemon.call("memory.get", scope=other, id=older)["memory"]
    assert memory["conflicts"] == []
    assert found(daemon, OLD, scope=other) == [OLD]
    block = daemon.call("context.get", scope=other, message="where is the spare key?")["text"]
    assert "perhaps replaced" not in block
    assert "shed" not in block


def test_a_sandbox_settles_its_own_conflicts(daemon: Daemon, scope: Scope) -> None:
    """Reading them takes the right to read, settling one the right to write."""
    mine = scope()
    newer, older = pair_of(daemon, mine, OLD, NEW)
    grant = daemon.call("grant.create", scope=mine, rights=["read"])

    with daemon.client(grant["socket"]) as box:
        assert box.call("memory.conflicts")["total"] == 1
        denied = refusal(box, "memory.supersede", id=newer, superseded_id=older, verdict="both")
    assert denied.kind == "denied"
