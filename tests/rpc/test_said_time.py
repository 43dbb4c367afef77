"""Only what was said later replaces or ends something, read in any order. Budget: 30 s."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from daemons import Daemon
from scripted_model import ModelWorld

Scope = Callable[..., dict[str, Any]]
EARLY, LATE, LATEST = "2023-05-01T10:00:00Z", "2026-10-01T10:00:00Z", "2026-11-01T10:00:00Z"


def listed(daemon: Daemon, scope: dict[str, Any], query: str) -> list[str]:
    """The words of the memories that a scope finds."""
    found = daemon.call("memory.search", scope=scope, query=query)
    return [one["memory"]["content"] for one in found["results"]]


def test_a_fact_said_earlier_and_stored_later_is_not_the_current_one(
    plain: Daemon, scope: Scope
) -> None:
    """What was said later stays active and comes first."""
    mine = scope()
    plain.call("memory.add", scope=mine, content="My phone number is 555-9876", observed_at=LATE)
    added = plain.call(
        "memory.add", scope=mine, content="My phone number is 555-1234", observed_at=EARLY
    )

    assert [] == added["memories"][0]["superseded"]
    phones = ["My phone number is 555-9876", "My phone number is 555-1234"]
    assert phones == listed(plain, mine, "what is my phone number")


@pytest.mark.parametrize("provider", ["wordllama", "minilm"])
@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("My phone number is 555-1234", "My phone number is 555-9876"),
        ("My favourite colour is blue", "My favourite colour is green"),
        ("My cat is called Tom", "My cat is called Kim"),
    ],
)
def test_the_order_of_storing_does_not_matter(
    with_embedder: Callable[[str], Daemon],
    scope: Scope,
    provider: str,
    earlier: str,
    later: str,
) -> None:
    """Stored in either order, what was said later is active; it replaces the other in both."""
    daemon = with_embedder(provider)
    said = [(earlier, EARLY), (later, LATE)]
    active = []
    for order in (said, said[::-1]):
        mine = scope()
        for content, at in order:
            daemon.call("memory.add", scope=mine, content=content, observed_at=at)
        listing = daemon.call("memory.list", scope=mine)["memories"]
        active.append(sorted(one["content"] for one in listing))

    assert active[0] == active[1]
    assert later in active[0]


@pytest.mark.parametrize("is_stored_in_order", [True, False])
@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "The phone number of the office is 555-1234",
            "The phone number of the office is 555-9876",
        ),
        ("The default room of the office is Hamlet", "The default room of the office is Ophelia"),
    ],
)
def test_another_members_later_word_is_marked_and_replaces_nothing(
    plain: Daemon, scope: Scope, earlier: str, later: str, *, is_stored_in_order: bool
) -> None:
    """In a group what one said earlier is not taken away by what another said later."""
    one, other = scope(), scope()
    roster = [one["user_id"], other["user_id"]]
    place = {"chat_id": f"g-{one['user_id']}", "chat_type": "group", "participants": roster}
    said = [(one, earlier, EARLY), (other, later, LATE)]
    for who, content, at in said if is_stored_in_order else said[::-1]:
        plain.call(
            "memory.add", scope={**who, **place}, content=content, observed_at=at, shared=True
        )

    assert 2 == len(plain.call("memory.list", scope={**one, **place})["memories"])
    (conflict,) = plain.call("memory.conflicts", scope={**one, **place})["conflicts"]
    assert LATE == conflict["newer"]["observed_at"]


@pytest.mark.parametrize("is_stored_in_order", [True, False])
def test_another_members_later_word_does_not_mark_what_one_says_of_oneself(
    plain: Daemon, scope: Scope, *, is_stored_in_order: bool
) -> None:
    """Nobody else could confirm that it is replaced."""
    one, other = scope(), scope()
    roster = [one["user_id"], other["user_id"]]
    place = {"chat_id": f"g-{one['user_id']}", "chat_type": "group", "participants": roster}
    said = [
        (one, "Our default room is Hamlet", EARLY),
        (other, "Our default room is Ophelia", LATE),
    ]
    for who, content, at in said if is_stored_in_order else said[::-1]:
        plain.call(
            "memory.add", scope={**who, **place}, content=content, observed_at=at, shared=True
        )

    assert [] == plain.call("memory.conflicts", scope={**one, **place})["conflicts"]


def test_a_later_word_that_fewer_may_see_replaces_nothing(plain: Daemon, scope: Scope) -> None:
    """Oneself said the later one in private, or more closely: the group's stays."""
    for closer in ({}, {"sensitivity": "personal"}):
        mine = scope()
        roster = [mine["user_id"], scope()["user_id"]]
        place = {"chat_id": f"g-{roster[0]}", "chat_type": "group", "participants": roster}
        there = {**mine, **place}
        later = {"scope": there if closer else mine, "observed_at": LATE, **closer}
        plain.call("memory.add", content="My phone number is 555-9876", **later)
        earlier = {"scope": there, "observed_at": EARLY, "sensitivity": "public"}
        plain.call("memory.add", content="My phone number is 555-1234", **earlier)

        found = plain.call("memory.list", scope=there)["memories"]
        assert "My phone number is 555-1234" in [one["content"] for one in found]


@pytest.fixture(scope="module")
def world() -> Iterator[ModelWorld]:
    with ModelWorld.running() as made:
        yield made


def learn(world: ModelWorld, scope: dict[str, Any], target: str, at: str, **more: Any) -> None:
    """Let a conversation of that time be read, which says where its speaker lives."""
    relation = {"subject": "I", "relation": "lives in", "object": target, "confidence": 1, **more}
    world.endpoint.script("extract_facts", {"facts": [], "relations": [relation]})
    world.daemon.call(
        "conversation.ingest",
        scope=scope,
        conversation_id=f"{target}-{at}",
        messages=[{"content": f"I live in {target}", "at": at}],
    )
    world.daemon.call("jobs.flush")


def homes(world: ModelWorld, scope: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    """When each home was said, and when it ended."""
    found = world.daemon.call(
        "graph.search", scope=scope, relation="lives in", include_ended=True, limit=100
    )
    return {
        one["target"]["name"]: (one["said_at"], one["valid_until"]) for one in found["relations"]
    }


def test_an_older_conversation_read_later_ends_no_newer_relation(
    world: ModelWorld, scope: Scope
) -> None:
    """It is stored as ended by the one that was said after it; the prompt says when it was said."""
    mine = scope(display_name="Ida Berg")
    learn(world, mine, "Oslo", LATE)
    learn(world, mine, "Porto", EARLY)

    assert {"Oslo": (LATE, None), "Porto": (EARLY, LATE)} == homes(world, mine)
    text = world.daemon.call("context.get", scope=mine, message="Where do I live?")["text"]
    assert "Ida Berg lives in Oslo (said 2026-10-01)" in text
    assert "Porto (" not in text


def test_a_relation_between_two_read_ones_is_ended_by_the_later_alone(
    world: ModelWorld, scope: Scope
) -> None:
    """Bergen in between: Porto ends at Bergen, and Bergen at Oslo."""
    mine = scope(display_name="Ida Berg")
    for home, at in (("Oslo", LATEST), ("Porto", EARLY), ("Bergen", LATE)):
        learn(world, mine, home, at)

    assert homes(world, mine) == {
        "Oslo": (LATEST, None),
        "Bergen": (LATE, LATEST),
        "Porto": (EARLY, LATE),
    }


def test_an_older_repetition_changes_nothing(world: ModelWorld, scope: Scope) -> None:
    """The same home in an older conversation, with an end, does not end what was said later."""
    mine = scope(display_name="Ida Berg")
    learn(world, mine, "Oslo", LATE)
    learn(world, mine, "Oslo", EARLY, valid_until="2024-01-01")

    assert {"Oslo": (LATE, None)} == homes(world, mine)


def test_a_role_said_earlier_does_not_end_its_later_holder(plain: Daemon, scope: Scope) -> None:
    """Ann is the boss since 2026; that Bo was the boss in 2023 is read afterwards."""
    mine = scope()
    for name, at in (("Ann", LATE), ("Bo", EARLY)):
        plain.call(
            "memory.add",
            scope=mine,
            content=f"My boss is {name}",
            subjects=[f"my boss {name}"],
            observed_at=at,
        )

    people = plain.call("person.list", scope=mine)["people"]
    held = {
        one["name"]: [claim["ended_at"] for claim in one["relationships"]]
        for one in people
        if one["relationships"]
    }
    assert {"Ann": [None], "Bo": [LATE]} == held
    assert "Ann" == plain.call("person.resolve", scope=mine, reference="my boss")["person_name"]
