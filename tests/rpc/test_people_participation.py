"""Participation in groups: chat.join, chat.leave, chat.list. Budget: 5 s."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]

_chats = itertools.count(1)


@pytest.fixture
def chat() -> dict[str, str]:
    """A group that no other test has."""
    return {
        "provider": "test",
        "chat_id": f"participation-{next(_chats)}",
        "chat_type": "group",
    }


def tell(daemon: Daemon, method: str, **params: Any) -> list[tuple[str, str, str | None]]:
    """Return (user, joined, left) of everybody in the method's answer."""
    with daemon.client() as client:
        answer = client.call(method, **params)
    return [(p["user_id"], p["joined_at"], p["left_at"]) for p in answer["participants"]]


def user(name: str) -> dict[str, str]:
    """An account."""
    return {"provider": "test", "user_id": name}


def test_joins_and_leaves_are_intervals(daemon: Daemon, chat: dict[str, str]) -> None:
    """Past or present, once or twice, the same calls make the same intervals."""
    history = [
        ("chat.join", "2026-01-01T00:00:00Z"),
        ("chat.leave", "2026-02-01T00:00:00+01:00"),
        ("chat.join", "2026-03-01T00:00:00Z"),
    ]

    for method, at in [*history, *history]:
        told = tell(daemon, method, chat=chat, account=user("bob"), at=at)

    assert [
        ("bob", "2026-01-01T00:00:00Z", "2026-01-31T23:00:00Z"),
        ("bob", "2026-03-01T00:00:00Z", None),
    ] == told
    assert told == tell(daemon, "chat.list", chat=chat)
    left = tell(daemon, "chat.leave", chat=chat, account=user("bob"))
    assert left[1][2] is not None


def test_the_roster_of_a_call_is_the_same_record(daemon: Daemon, chat: dict[str, str]) -> None:
    """`participants` is the full roster: missing users have left; no key, no change."""
    group = {**chat, "user_id": "ann"}

    daemon.call("memory.list", scope={**group, "participants": ["ann", "ben", "cem"]})
    daemon.call("memory.list", scope={**group, "participants": ["ann", "cem"]})
    daemon.call("memory.list", scope=group)
    told = tell(daemon, "chat.list", chat=chat)

    assert {("ann", False), ("ben", True), ("cem", False)} == {
        (name, left is not None) for name, _, left in told
    }


def test_a_backdated_join_lets_in_what_was_said_since(
    daemon: Daemon, chat: dict[str, str], scope: Scope
) -> None:
    """The operator says that Bob was there all along, so he counts as present."""
    ann, bob = scope(), scope()
    group = {**ann, **chat, "participants": [ann["user_id"]]}
    daemon.call(
        "memory.add", scope=group, content="The door code changes on Monday", sensitivity="personal"
    )
    before = daemon.call("memory.list", scope=bob)["total"]

    tell(daemon, "chat.join", chat=chat, account=user(bob["user_id"]), at="2026-01-01T00:00:00Z")

    assert (0, 1) == (before, daemon.call("memory.list", scope=bob)["total"])


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"at": "2999-01-01T00:00:00Z"}, "invalid_params"),
        ({"at": "2026-01-01T00:00:00"}, "invalid_params"),
        ({"at": "yesterday"}, "invalid_params"),
        ({"account": {"provider": "other", "user_id": "bob"}}, "invalid_params"),
        ({"account": {"provider": "test"}}, "invalid_params"),
    ],
)
def test_a_wrong_word_is_refused(
    daemon: Daemon, chat: dict[str, str], change: dict[str, Any], kind: str
) -> None:
    """A future time, one without a zone, another provider's account: nothing is recorded."""
    with pytest.raises(CallFailed) as failed:
        tell(daemon, "chat.join", **{"chat": chat, "account": user("bob"), **change})
    with pytest.raises(CallFailed) as unknown:
        tell(daemon, "chat.list", chat=chat)

    assert kind == failed.value.kind
    assert "not_found" == unknown.value.kind


def test_a_private_chat_has_its_user(daemon: Daemon, chat: dict[str, str]) -> None:
    """Nobody joins or leaves a private chat."""
    private = {**chat, "chat_type": "private"}
    with pytest.raises(CallFailed) as failed:
        tell(daemon, "chat.join", chat=private, account=user("bob"))

    assert "invalid_params" == failed.value.kind


def test_each_change_has_its_row(daemon: Daemon, chat: dict[str, str]) -> None:
    """The audit has one row for each change, and none for what was known already."""
    before = daemon.call("audit.list", limit=1)["entries"]
    for _ in range(2):
        tell(daemon, "chat.join", chat=chat, account=user("bob"))
    tell(daemon, "chat.leave", chat=chat, account=user("bob"))

    rows = daemon.call("audit.list", limit=3)["entries"]

    assert ["chat.leave", "chat.join"] == [row["method"] for row in rows[:2]]
    assert before == rows[2:]


def test_a_day_begins_an_interval(daemon: Daemon, chat: dict[str, str]) -> None:
    """`at` takes a day as every other time does; it begins in UTC."""
    tell(daemon, "chat.join", chat=chat, account=user("bob"), at="2026-01-01")
    told = tell(daemon, "chat.leave", chat=chat, account=user("bob"), at="2026-02-01")

    assert told == [("bob", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")]


@pytest.mark.parametrize(
    ("method", "params"), [("memory.list", {}), ("memory.search", {"query": "the boiler"})]
)
def test_to_ask_is_not_to_take_part(
    daemon: Daemon, chat: dict[str, str], scope: Scope, method: str, params: dict[str, Any]
) -> None:
    """Asking adds nobody to the group, under a new name either; telling does."""
    ann, bob = scope(), scope()
    roster = [ann["user_id"]]
    daemon.call("memory.add", scope={**ann, **chat, "participants": roster}, content="Tea is out")
    daemon.call("memory.add", scope=bob, content="I like tea")

    def present() -> list[str]:
        return [name for name, _, left in tell(daemon, "chat.list", chat=chat) if left is None]

    for names in ({}, {"display_name": "Bob the Builder"}):
        daemon.call(method, scope={**bob, **chat, **names}, **params)
    asked = present()
    daemon.call("memory.add", scope={**bob, **chat}, content="Coffee is out too")

    assert asked == roster
    assert sorted(present()) == sorted([*roster, bob["user_id"]])


def test_only_who_takes_part_leaves(daemon: Daemon, chat: dict[str, str]) -> None:
    """A stranger, and a time before the account joined, are errors; to leave twice is none."""
    tell(daemon, "chat.join", chat=chat, account=user("bob"), at="2026-02-01")
    for name, at in (("stranger", "2026-03-01"), ("bob", "2026-01-01")):
        with pytest.raises(CallFailed) as failed:
            tell(daemon, "chat.leave", chat=chat, account=user(name), at=at)
        assert "not_found" == failed.value.kind
    for _ in range(2):
        (stay,) = tell(daemon, "chat.leave", chat=chat, account=user("bob"), at="2026-03-01")
        assert stay[2] is not None
