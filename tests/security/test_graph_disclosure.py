"""Relations are disclosed like memories about nobody. Budget: 5 s."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]

NAMES = ["Ada", "Boa", "Cleo", "Dido", "Ebba", "Fay"]
LABELS = list(itertools.product(["public", "personal", "sensitive"], [True, False]))
TOLD = dict(zip(NAMES, LABELS, strict=True))


@pytest.fixture
def everybody(scope: Scope) -> dict[str, dict[str, Any]]:
    """A speaker, a listener, one who has left, one who comes later, and a stranger."""
    return {name: scope() for name in ("alice", "bob", "left", "late", "stranger")}


def chat(everybody: dict[str, dict[str, Any]], name: str, *members: str) -> dict[str, Any]:
    """A group of these, in the words of a scope."""
    ids = [everybody[member]["user_id"] for member in members]
    return {
        "chat_id": f"{name}-{everybody['alice']['user_id']}",
        "chat_type": "group",
        "participants": ids,
    }


def tell(daemon: Daemon, scope: dict[str, Any], **params: Any) -> None:
    """State the same things as memories and as relations."""
    for name, (label, portable) in TOLD.items():
        held = {"sensitivity": label, "portable": portable, "scope": scope, **params}
        added = daemon.call("memory.add", content=f"{name} sings in the choir", **held)
        assert added["memories"][0]["outcome"] == "added"
        daemon.call("graph.relate", source=name, relation="sings in", target="the choir", **held)


def seen(daemon: Daemon, scope: dict[str, Any]) -> tuple[set[str], set[str], set[str]]:
    """Return the people named by memories, by relations, and through their common end."""
    memories = daemon.call("memory.list", scope=scope, limit=100)["memories"]
    listed = daemon.call("graph.search", scope=scope, limit=100)["relations"]
    walked = daemon.call("graph.search", scope=scope, name="choir", limit=100)["relations"]
    return (
        {memory["content"].split()[0] for memory in memories},
        {entry["source"]["name"] for entry in listed},
        {entry["source"]["name"] for entry in walked},
    )


@pytest.mark.parametrize("shared", [False, True])
def test_what_is_told_in_a_group_is_seen_as_a_memory_is(
    daemon: Daemon, everybody: dict[str, dict[str, Any]], *, shared: bool
) -> None:
    """The rule holds in the group, in private, in another group, for present, former and later
    members."""
    first = chat(everybody, "choir", "alice", "bob", "left")
    now = chat(everybody, "choir", "alice", "bob", "late")
    other = chat(everybody, "work", "alice", "bob", "stranger")
    tell(daemon, {**everybody["alice"], **first}, shared=shared)
    while_there = seen(daemon, {**everybody["bob"], **first})
    assert while_there == ({"Ada", "Boa", "Cleo", "Dido"},) * 3
    daemon.call("memory.list", scope={**everybody["alice"], **now})

    for name, scope in everybody.items():
        places = [scope]
        if name in {"alice", "bob", "late"}:
            places.append({**scope, **now})
        if name in {"alice", "bob", "stranger"}:
            places.append({**scope, **other})
        for place in places:
            memories, listed, walked = seen(daemon, place)
            assert memories == listed == walked, (name, place)
    # The rules do distinguish these; otherwise nothing was compared.
    assert seen(daemon, {**everybody["late"], **now})[0] == {"Ada", "Boa"}
    assert seen(daemon, everybody["left"])[0] == {"Ada", "Boa", "Cleo", "Dido"}
    assert seen(daemon, everybody["stranger"])[0] == set()


def test_what_is_told_in_private_is_its_owners(
    daemon: Daemon, everybody: dict[str, dict[str, Any]]
) -> None:
    """A private memory is not shown in the group."""
    tell(daemon, everybody["alice"])

    assert seen(daemon, everybody["alice"]) == (set(NAMES),) * 3
    there = chat(everybody, "choir", "alice", "bob")
    for scope in (everybody["bob"], {**everybody["alice"], **there}):
        assert seen(daemon, scope) == (set(),) * 3
    assert len(seen(daemon, {**everybody["alice"]})[1]) == len(TOLD)
