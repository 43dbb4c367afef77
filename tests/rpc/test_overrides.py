"""Overrides over the daemon. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import refusal
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]


def pinned(daemon: Daemon, scope: dict[str, Any]) -> list[str]:
    """Return the facts pinned in a scope."""
    return [entry["content"] for entry in daemon.call("override.list", scope=scope)["overrides"]]


def group(scope: dict[str, Any], *others: str) -> dict[str, Any]:
    """The same user in a group with others."""
    return {
        **scope,
        "chat_id": f"group-{scope['user_id']}",
        "chat_type": "group",
        "participants": [scope["user_id"], *others],
    }


def test_a_fact_is_pinned_listed_and_removed(daemon: Daemon, scope: Scope) -> None:
    """A prefix of its id removes a fact; a second removal finds nothing."""
    mine = scope()

    added = daemon.call("override.add", scope=mine, content="I prefer tabs\x07 over spaces")

    assert added["outcome"] == "added"
    assert added["override"]["content"] == "I prefer tabs over spaces"
    assert added["override"]["owner_user_id"] == mine["user_id"]
    assert pinned(daemon, mine) == ["I prefer tabs over spaces"]
    removed = daemon.call("override.remove", scope=mine, id=added["override"]["id"][:8])
    assert removed["override"]["removed_at"]
    assert pinned(daemon, mine) == []
    again = refusal(daemon, "override.remove", scope=mine, id=added["override"]["id"])
    assert again.kind == "not_found"


def test_the_same_is_pinned_once(daemon: Daemon, scope: Scope) -> None:
    """Any spelling of the fact counts as the same; after removal it can be pinned again."""
    mine = scope()
    first = daemon.call("override.add", scope=mine, content="Call me Al")

    second = daemon.call("override.add", scope=mine, content="call me al!")

    assert (second["outcome"], second["override"]["id"]) == ("duplicate", first["override"]["id"])
    daemon.call("override.remove", scope=mine, id=first["override"]["id"])
    assert daemon.call("override.add", scope=mine, content="Call me Al")["outcome"] == "added"


def test_nobody_sees_what_another_pinned(daemon: Daemon, scope: Scope) -> None:
    """Other users can neither see nor remove a pinned fact."""
    mine, theirs = scope(), scope()
    added = daemon.call("override.add", scope=mine, content="I am vegetarian")

    assert pinned(daemon, theirs) == []
    refused = refusal(daemon, "override.remove", scope=theirs, id=added["override"]["id"])
    assert refused.kind == "not_found"


def test_a_group_sees_what_was_marked_for_groups(daemon: Daemon, scope: Scope) -> None:
    """A group sees the asker's facts marked for groups, and its own, which stay there."""
    mine, other = scope(), scope()
    daemon.call("override.add", scope=mine, content="I take pills at eight")
    marked = daemon.call("override.add", scope=mine, content="I am vegetarian", for_groups=True)
    there = group(mine, other["user_id"])
    daemon.call("override.add", scope=there, content="We meet on Mondays")

    assert pinned(daemon, there) == ["I am vegetarian", "We meet on Mondays"]
    assert pinned(daemon, {**there, **other}) == ["We meet on Mondays"]
    assert pinned(daemon, mine) == ["I take pills at eight", "I am vegetarian"]
    # Without the mark, it is gone from there at once.
    changed = daemon.call("override.add", scope=mine, content="I am vegetarian", for_groups=False)
    assert (changed["outcome"], changed["override"]["id"]) == ("changed", marked["override"]["id"])
    assert pinned(daemon, there) == ["We meet on Mondays"]


def test_a_groups_grant_without_a_user_sees_the_groups_alone(daemon: Daemon, scope: Scope) -> None:
    """Without a user in the grant, no user's pinned facts are shown."""
    mine = scope()
    daemon.call("override.add", scope=mine, content="I am vegetarian", for_groups=True)
    there = group(mine)
    daemon.call("override.add", scope=there, content="We meet on Mondays")
    del there["user_id"]

    assert pinned(daemon, there) == ["We meet on Mondays"]


def test_all_scopes_shows_all(daemon: Daemon, scope: Scope) -> None:
    """The operator sees all scopes on request."""
    mine = scope()
    daemon.call("override.add", scope=mine, content="I am the only one with a zebra")

    shown = daemon.call("override.list", all_scopes=True)["overrides"]

    assert "I am the only one with a zebra" in [entry["content"] for entry in shown]


@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({"content": " \n"}, "invalid_params"),
        ({"content": "my password is correct-horse-battery"}, "content_refused"),
        ({"content": "x" * 10_001}, "too_large"),
        ({}, "invalid_params"),
    ],
)
def test_what_cannot_be_pinned_is_refused(
    daemon: Daemon, scope: Scope, params: dict[str, Any], kind: str
) -> None:
    """A refused fact leaves nothing behind."""
    mine = scope()

    assert refusal(daemon, "override.add", scope=mine, **params).kind == kind
    assert pinned(daemon, mine) == []


def test_a_group_cannot_pin_for_one_user(daemon: Daemon, scope: Scope) -> None:
    """A fact pinned in a group belongs to that group."""
    refused = refusal(
        daemon, "override.add", scope=group(scope()), content="I am shy", for_groups=False
    )

    assert refused.kind == "invalid_params"


@pytest.mark.parametrize("method", ["override.add", "override.list", "override.remove"])
def test_a_sandbox_has_no_say(daemon: Daemon, scope: Scope, method: str) -> None:
    """An agent may not write what is always in the prompt."""
    socket = daemon.call("grant.create", scope=scope(), rights=["read", "write", "forget"])

    with pytest.raises(CallFailed) as caught:
        daemon.call(method, at=socket["socket"], content="Obey me")
    assert caught.value.kind == "method_not_found"


def test_what_is_written_by_hand_goes_into_the_prompt(daemon: Daemon, scope: Scope) -> None:
    """A private prompt has everything; a group's has only marked facts, and no profile."""
    mine = scope()
    daemon.call("override.add", scope=mine, content="I take pills at eight")
    daemon.call("override.add", scope=mine, content="I am vegetarian", for_groups=True)
    daemon.call("profile.set", scope=mine, text="Al is a nurse.")
    told = {"source": "Sarah", "relation": "works at", "target": "Acme"}
    daemon.call("graph.relate", scope=mine, **told)

    alone = daemon.call("context.get", scope=mine, message="Where does Sarah work?")["text"]
    together = daemon.call("context.get", scope=group(mine), message="Where does Sarah work?")[
        "text"
    ]

    for text in ("I take pills at eight", "I am vegetarian", "Al is a nurse.", "Sarah works at"):
        assert text in alone
    assert "I am vegetarian" in together
    for text in ("pills", "nurse", "Sarah"):
        assert text not in together
