"""Numbers, orders and times tell nothing of what is hidden. Budget: 15 s."""

from collections.abc import Callable
from typing import Any

from daemons import Daemon

Scope = dict[str, Any]


def group_of(scope: Callable[..., Scope]) -> Callable[..., Scope]:
    """Makes the scopes of a group of one's own: of a user, with those who take part."""
    chat = scope()["user_id"]

    def member(user: str, *roster: str) -> Scope:
        made = scope(f"{chat}-{user}", chat_id=chat, chat_type="group")
        if roster:
            made["participants"] = [f"{chat}-{one}" for one in roster]
        return made

    return member


# Conversations ------------------------------------------------------------------------------------


def said(daemon: Daemon, who: Scope, *contents: str, first: int = 0) -> Any:
    """Store what somebody said in the group's conversation, numbered by external id."""
    messages = [
        {"role": "user", "content": content, "external_id": str(first + number)}
        for number, content in enumerate(contents)
    ]
    return daemon.call("conversation.ingest", scope=who, conversation_id="c", messages=messages)


def test_messages_are_counted_from_the_first_that_is_shown(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """Whoever joined later counts from there, in pages, windows and results."""
    member = group_of(scope)
    said(daemon, member("ann", "ann"), *(f"before {n}" for n in range(30)))
    said(daemon, member("ann", "ann", "ben"), "the kea came", "the kea left", first=30)
    ben = member("ben")

    page = daemon.call("conversation.get", scope=ben, conversation_id="c", limit=1)
    assert ([1], 1) == ([one["index"] for one in page["messages"]], page["before"])
    page = daemon.call("conversation.get", scope=ben, conversation_id="c", before=1)
    assert ([0], None) == ([one["index"] for one in page["messages"]], page["before"])
    found = daemon.call("conversation.search", scope=ben, query="kea", window=2)["results"]
    assert {0, 1} == {one["message"]["index"] for one in found}
    assert {0, 1} == {near["index"] for one in found for near in one["window"]}

    # To whom it was all said it is as it was.
    page = daemon.call("conversation.get", scope=member("ann", "ann"), conversation_id="c", limit=1)
    assert [31] == [one["index"] for one in page["messages"]]


def test_a_hidden_message_is_no_duplicate(daemon: Daemon, scope: Callable[..., Scope]) -> None:
    """To store again what is hidden is answered as if it were new; it is stored once."""
    member = group_of(scope)
    said(daemon, member("ann", "ann"), "the surprise party is on Friday")
    again = said(daemon, member("ben", "ann", "ben"), "the surprise party is on Friday")
    seen = said(daemon, member("ann", "ann"), "the surprise party is on Friday")

    assert (1, 0) == (again["ingested"], again["duplicates"])
    assert (0, 1) == (seen["ingested"], seen["duplicates"])
    (listed,) = daemon.call("conversation.list", scope=member("ann"))["conversations"]
    assert 1 == listed["messages"]


def test_whoever_joined_deletes_what_he_may_see(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """Hidden messages are neither counted nor taken away; then the rest goes as a whole."""
    member = group_of(scope)
    said(daemon, member("ann", "ann"), "before 0", "before 1")
    said(daemon, member("ann", "ann", "ben"), "after", first=2)

    deleted = daemon.call("conversation.delete", scope=member("ben"), conversation_id="c")
    assert {"deleted": 1} == deleted
    left = daemon.call("conversation.get", scope=member("ann", "ann"), conversation_id="c")
    assert ["before 0", "before 1"] == [one["content"] for one in left["messages"]]
    deleted = daemon.call("conversation.delete", scope=member("ann"), conversation_id="c")
    assert {"deleted": 2} == deleted
    assert [] == daemon.call("conversation.list", scope=member("ann"))["conversations"]
