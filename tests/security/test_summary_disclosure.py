"""Summaries are shown only to those who may see them, on every surface. Budget: 20 s.

Alice talks in private and in a group with Bob. Carol joins the group later; Max is a stranger.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from daemons import CallFailed, Client, Daemon

from tests.endpoint import Endpoint

EMPTY = {"topics": [], "decisions": [], "key_dates": [], "action_items": []}
WORDS = {"dm": "wubzol", "group": "plinko"}


def dm(user: str) -> dict[str, Any]:
    """A user's private chat."""
    return {"provider": "matrix", "user_id": user}


def group(user: str, chat: str, *others: str) -> dict[str, Any]:
    """A group in which a user speaks."""
    roster = [user, *others]
    return {**dm(user), "chat_id": chat, "chat_type": "group", "participants": roster}


PLACES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "alice in private": (dm("alice"), {"dm", "group"}),
    "bob in private": (dm("bob"), {"group"}),
    "carol in private": (dm("carol"), set()),
    "max in private": (dm("max"), set()),
    "alice in another group": (group("alice", "other", "bob"), set()),
    "max in another group": (group("max", "of max"), set()),
    "alice in the group": (group("alice", "g", "bob"), {"group"}),
    "bob in the group": (group("bob", "g", "alice"), {"group"}),
    # From here on Carol hears the group, who was not there.
    "alice beside carol": (group("alice", "g", "bob", "carol"), set()),
    "carol in the group": (group("carol", "g", "alice", "bob"), set()),
    "carol in private later": (dm("carol"), set()),
    "bob in private later": (dm("bob"), {"group"}),
}


@pytest.fixture(scope="module")
def world() -> Iterator[Daemon]:
    """A daemon with the two summaries."""
    endpoint, daemon = Endpoint(), Daemon()
    daemon.config(f'[embedding]\nprovider = "none"\n{endpoint.llm_config}')
    daemon.start(wait_for="daemon_ready")
    for name, scope in (("dm", dm("alice")), ("group", group("alice", "g", "bob"))):
        summary = {"overall": f"They spoke of the {WORDS[name]} plan.", **EMPTY}
        endpoint.always("summarise", summary)
        daemon.call(
            "conversation.ingest",
            scope=scope,
            conversation_id=f"about {name}",
            messages=[{"role": "user", "content": "We meet soon"}],
        )
        daemon.call("jobs.flush")
    yield daemon
    assert daemon.unexpected() == []
    daemon.remove()
    endpoint.end()


def ids(world: Daemon) -> dict[str, str]:
    """The ids of both summaries."""
    listed = world.call("summary.list", scope=dm("alice"))["summaries"]
    return {one["conversation_id"].removeprefix("about "): one["id"] for one in listed}


def replies(
    world: Daemon, known: dict[str, str], scope: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """(surface, everything that it answers) of every surface that shows summaries."""

    def reply(method: str, **params: Any) -> str:
        try:
            return json.dumps(world.call(method, scope=scope, **params))
        except CallFailed as failed:
            return json.dumps(failed.error)

    yield "summary.list", reply("summary.list", limit=100)
    yield "summary.get", "".join(reply("summary.get", id=one) for one in known.values())
    for word in WORDS.values():
        query = f"the {word} plan"
        found = [
            ("summary.search", reply("summary.search", query=query, limit=100)),
            ("search.all", reply("search.all", query=query, limit=100)),
            (
                "tools.call",
                reply("tools.call", name="search_summaries", arguments={"query": query}),
            ),
            ("context.get", reply("context.get", message="What plan?", max_tokens=10_000)),
        ]
        yield from ((surface, text) for surface, text in found if word in text)


def test_summaries_show_to_whom_their_turns_show(world: Daemon) -> None:
    """The rule holds for everybody on every surface, before and after somebody joins."""
    known = ids(world)
    assert known.keys() == WORDS.keys()
    wrong = []
    for place, (scope, shown) in PLACES.items():
        seen: dict[str, set[str]] = {}
        for surface, text in replies(world, known, scope):
            words = {name for name, word in WORDS.items() if word in text}
            seen[surface] = seen.get(surface, set()) | words
        wrong += [(place, surface, words) for surface, words in seen.items() if words - shown]
        if seen["summary.list"] != shown:
            wrong.append((place, "summary.list", seen["summary.list"]))
        if "another" not in place and shown:
            assert seen["summary.search"] == shown, place
            assert seen["context.get"] == shown, place

    assert wrong == []


def test_a_sandbox_finds_those_of_its_scope_only(world: Daemon) -> None:
    """A search finds them, and nothing lists them."""
    for user, shown in (("alice", {"dm", "group"}), ("max", set())):
        grant = world.call("grant.create", scope=dm(user), rights=["read"])
        with Client(grant["socket"]) as sandbox:
            found = {
                name
                for name, word in WORDS.items()
                if word in json.dumps(sandbox.call("summary.search", query=f"the {word} plan"))
            }
            with pytest.raises(CallFailed) as failed:
                sandbox.call("summary.list")
        world.call("grant.revoke", grant_id=grant["grant_id"])
        assert found == shown
        assert failed.value.kind == "method_not_found"
