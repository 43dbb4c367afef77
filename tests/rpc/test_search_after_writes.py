"""A search finds what was just written, whoever wrote it and wherever."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon

Scopes = Callable[..., dict[str, Any]]


def memories(daemon: Daemon, scope: dict[str, Any], query: str) -> list[str]:
    found = daemon.call("memory.search", scope=scope, query=query)["results"]
    return [result["memory"]["content"] for result in found]


def turns(daemon: Daemon, scope: dict[str, Any], query: str) -> list[str]:
    found = daemon.call("conversation.search", scope=scope, query=query)["results"]
    return [result["message"]["content"] for result in found]


def test_who_comes_into_a_group_finds_what_is_told_there(daemon: Daemon, scope: Scopes) -> None:
    """A new member's earlier search does not hide later memories of the group."""
    alice, bob = scope()["user_id"], scope()["user_id"]
    group = scope(alice, chat_id=f"g-{alice}", chat_type="group", participants=[alice, bob])
    daemon.call("memory.add", scope=scope(bob), content="Bob plays the oboe.")
    assert [] == memories(daemon, scope(bob), "Which team won the rowing regatta?")
    assert [] == turns(daemon, scope(bob), "Which team won the rowing regatta?")

    daemon.call("memory.add", scope=group, content="The red team won the rowing regatta.")
    daemon.call(
        "conversation.ingest",
        scope=group,
        conversation_id="c",
        messages=[{"content": "The rowing regatta was won by red."}],
    )

    assert memories(daemon, scope(bob), "Which team won the rowing regatta?")
    assert turns(daemon, scope(bob), "Which team won the rowing regatta?")


def test_a_speaker_finds_own_words_in_anothers_conversation(daemon: Daemon, scope: Scopes) -> None:
    """A host may name another's message in a group; a private chat belongs to its owner."""
    alice, bob = scope()["user_id"], scope()["user_id"]
    daemon.call("memory.add", scope=scope(bob), content="Bob plays the oboe.")
    assert [] == turns(daemon, scope(bob), "Who repairs the lighthouse?")

    place = {"chat_id": f"g-{alice}", "chat_type": "group", "participants": [alice]}
    for where, words in (
        ({}, "The lighthouse is mine to repair."),
        (place, "The lighthouse is what I repair."),
    ):
        daemon.call(
            "conversation.ingest",
            scope=scope(alice, **where),
            conversation_id="c",
            messages=[{"content": words, "user_id": bob}],
        )

    assert ["The lighthouse is what I repair."] == turns(
        daemon, scope(bob), "Who repairs the lighthouse?"
    )


def test_whom_a_memory_is_about_now_finds_it(daemon: Daemon, scope: Scopes) -> None:
    """Bob finds a memory from before he joined once it is about him."""
    alice, bob = scope()["user_id"], scope()["user_id"]
    place = {"chat_id": f"g-{alice}", "chat_type": "group"}
    alone = scope(alice, **place, participants=[alice])
    told = daemon.call("memory.add", scope=alone, content="The boat is moored at pier seven.")
    daemon.call("memory.add", scope=scope(bob, display_name="Bob"), content="I play the oboe.")
    together = scope(alice, **place, participants=[alice, bob])
    daemon.call("memory.add", scope=together, content="The regatta is over.")
    boat = "The boat is moored at pier seven."
    assert boat not in memories(daemon, scope(bob), "Where is the boat moored?")

    memory_id = told["memories"][0]["memory"]["id"]
    daemon.call("memory.update", scope=together, id=memory_id, changes={"subjects": ["Bob"]})

    assert boat == memories(daemon, scope(bob), "Where is the boat moored?")[0]


@pytest.mark.parametrize("then", [[], ["Carol"]])
def test_a_subject_who_was_never_there_finds_it_and_misses_it(
    daemon: Daemon, scope: Scopes, then: list[str]
) -> None:
    """A public memory of another chat becomes about Bob, and then no longer."""
    alice, bob = scope()["user_id"], scope()["user_id"]
    daemon.call("memory.add", scope=scope(bob), content="I play the oboe.")
    group = scope(alice, chat_id=f"g-{alice}", chat_type="group", participants=[alice])
    told = {"content": "The boat is moored at pier seven.", "sensitivity": "public"}
    added = daemon.call("memory.add", scope=group, facts=[told])["memories"][0]["memory"]
    robert = daemon.call("person.resolve", scope=group, reference="Robert", create=True)
    own = daemon.call("person.resolve", scope=scope(bob), reference="me")
    ids = {"id": robert["person_id"], "into": own["person_id"]}
    daemon.call("person.merge", scope=group, **ids, all_scopes=True)
    question = "Where is the boat moored?"
    assert [] == memories(daemon, scope(bob), question)

    daemon.call("memory.update", scope=group, id=added["id"], changes={"subjects": ["Robert"]})
    assert told["content"] == memories(daemon, scope(bob), question)[0]

    daemon.call("memory.update", scope=group, id=added["id"], changes={"subjects": then})
    assert [] == memories(daemon, scope(bob), question)


@pytest.mark.parametrize("again", [False, True])
def test_a_change_is_found_beside_what_is_new(
    daemon: Daemon, scope: Scopes, *, again: bool
) -> None:
    """An add between two searches does not hide that another memory was deleted."""
    owner = scope()
    first = daemon.call("memory.add", scope=owner, content="The kayak is in the cellar.")
    assert memories(daemon, owner, "Where is the kayak?")

    daemon.call("memory.delete", scope=owner, id=first["memories"][0]["memory"]["id"])
    if again:
        memories(daemon, owner, "Where is the kayak?")
    daemon.call("memory.add", scope=owner, content="The kayak paddle is in the attic.")

    assert ["The kayak paddle is in the attic."] == memories(daemon, owner, "Where is the kayak?")
