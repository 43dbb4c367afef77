"""A private chat belongs to one account, whatever a host calls it. Budget: 10 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from sandboxes import opened

Scope = dict[str, Any]
MAIN = {"chat_id": "main", "chat_type": "private"}


@pytest.fixture
def two(scope: Callable[..., Scope]) -> tuple[Scope, Scope]:
    """Two users whose private chats have the same name."""
    return scope(**MAIN), scope(**MAIN)


def say(daemon: Daemon, who: Scope, *contents: str, **more: Any) -> Any:
    """Store what a user said in the conversation that every host calls so."""
    messages = [{"role": "user", "content": content, **more} for content in contents]
    return daemon.call(
        "conversation.ingest", scope=who, conversation_id="default", messages=messages
    )


def turns(daemon: Daemon, who: Scope) -> list[str]:
    """List the messages that a user reads in that conversation, in order."""
    found = daemon.call("conversation.get", scope=who, conversation_id="default")
    return [message["content"] for message in found["messages"]]


def test_conversations_of_the_same_name_are_apart(daemon: Daemon, two: tuple[Scope, Scope]) -> None:
    """Each user reads, searches, lists and deletes only their own conversation."""
    anna, ben = two
    say(daemon, anna, "my secret word is quagga")
    say(daemon, ben, "my secret word is okapi")

    assert ["my secret word is quagga"] == turns(daemon, anna)
    assert ["my secret word is okapi"] == turns(daemon, ben)
    for who, word in ((anna, "quagga"), (ben, "okapi")):
        socket = opened(daemon, who, rights=["read"])["socket"]
        found = daemon.call("conversation.search", at=socket, query="secret word")["results"]
        assert [f"my secret word is {word}"] == [one["message"]["content"] for one in found]
        (listed,) = daemon.call("conversation.list", scope=who)["conversations"]
        assert 1 == listed["messages"]

    daemon.call("conversation.delete", scope=anna, conversation_id="default")
    assert ["my secret word is okapi"] == turns(daemon, ben)


def test_no_external_id_is_shared(daemon: Daemon, two: tuple[Scope, Scope]) -> None:
    """The same external id in another's chat is another message, and none is lost."""
    anna, ben = two
    first = say(daemon, anna, "hello from anna", external_id="1")
    second = say(daemon, ben, "hello from ben", external_id="1")

    assert (1, 1) == (first["ingested"], second["ingested"])
    assert (0, 0) == (first["duplicates"], second["duplicates"])


def test_an_answer_is_found_by_whom_it_was_given_to(
    daemon: Daemon, two: tuple[Scope, Scope]
) -> None:
    """The assistant's words belong to the chat that they were said in."""
    anna, ben = two
    for who in (anna, ben):
        turn = {"user": "which bird is it?", "assistant": f"A kea, {who['user_id']}."}
        daemon.call("conversation.ingest", scope=who, conversation_id="default", turns=[turn])

    assert f"A kea, {ben['user_id']}." in turns(daemon, ben)
    assert f"A kea, {anna['user_id']}." not in turns(daemon, ben)


def test_forwarded_words_stay_with_whom_they_were_forwarded_to(
    daemon: Daemon, two: tuple[Scope, Scope]
) -> None:
    """The original speaker does not learn in whose private chat it was repeated."""
    anna, ben = two
    say(daemon, anna, "forwarded: the ferry is late", user_id=ben["user_id"])

    assert ["forwarded: the ferry is late"] == turns(daemon, anna)
    with pytest.raises(CallFailed, match="No such conversation"):
        turns(daemon, ben)


def test_private_chats_of_the_same_name_share_nothing(
    daemon: Daemon, two: tuple[Scope, Scope]
) -> None:
    """Memories, people and entities as well."""
    anna, ben = two
    for who, pet in ((anna, "Rex"), (ben, "Tibby")):
        content = f"My sister {pet} is a pilot"
        daemon.call("memory.add", scope=who, content=content, subjects=["my sister"])
        company = {"source": pet, "relation": "works_at", "target": f"{pet} Air"}
        daemon.call("graph.relate", scope=who, **company)

    for who, own, other in ((anna, "Rex", "Tibby"), (ben, "Tibby", "Rex")):
        seen = [
            daemon.call("memory.list", scope=who),
            daemon.call("person.list", scope=who),
            daemon.call("context.get", scope=who, message="who is a pilot?"),
            daemon.call("graph.search", scope=who, name=f"{own} Air"),
        ]
        assert own in str(seen)
        assert other not in str(seen)
