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
    """A later member's index starts from there, in pages, windows and results."""
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

    # A member who heard everything still gets the original indexes.
    page = daemon.call("conversation.get", scope=member("ann", "ann"), conversation_id="c", limit=1)
    assert [31] == [one["index"] for one in page["messages"]]


def test_a_hidden_message_is_no_duplicate(daemon: Daemon, scope: Callable[..., Scope]) -> None:
    """A hidden message stored again is answered as if it were new; it is stored once."""
    member = group_of(scope)
    said(daemon, member("ann", "ann"), "the surprise party is on Friday")
    again = said(daemon, member("ben", "ann", "ben"), "the surprise party is on Friday")
    seen = said(daemon, member("ann", "ann"), "the surprise party is on Friday")

    assert (1, 0) == (again["ingested"], again["duplicates"])
    assert (0, 1) == (seen["ingested"], seen["duplicates"])
    (listed,) = daemon.call("conversation.list", scope=member("ann"))["conversations"]
    assert 1 == listed["messages"]


def test_a_later_member_deletes_only_the_messages_they_may_see(
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


# People -------------------------------------------------------------------------------------------


def names(daemon: Daemon, who: Scope) -> list[str]:
    """The people that somebody knows, in the order in which they are shown."""
    return [person["name"] for person in daemon.call("person.list", scope=who)["people"]]


def test_nobody_hears_of_whom_others_speak_in_private(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """The order of the known people follows one's own words, in lists and in the prompt."""
    member = group_of(scope)
    known = ("Uma", "Vera", "Wim")
    for user in ("ann", "ben"):
        for name in known:
            who = member(user, "ann", "ben")
            daemon.call("memory.add", scope=who, content=f"{name} came", subjects=[name])
    anns, bens = (scope(member(user)["user_id"]) for user in ("ann", "ben"))

    def prompt() -> str:
        block: str = daemon.call("context.get", scope=anns, message="who came?")["text"]
        return block

    order, before = names(daemon, anns), prompt()
    daemon.call("memory.add", scope=bens, content="Uma is ill", subjects=["Uma"])
    assert (order, before) == (names(daemon, anns), prompt())
    assert "Uma" == names(daemon, bens)[0]
    daemon.call("memory.add", scope=anns, content="Vera is well", subjects=["Vera"])
    assert "Vera" == names(daemon, anns)[0]


def test_a_merge_dates_no_name_anew(daemon: Daemon, scope: Callable[..., Scope]) -> None:
    """A merge does not show a later member the names told before."""
    member = group_of(scope)
    early, late = member("ann", "ann"), member("joe", "ann", "joe")
    told = {"content": "Frank Zorrilla has diabetes", "sensitivity": "personal"}
    daemon.call("memory.add", scope=early, **told, subjects=["Frank Zorrilla"])
    daemon.call("memory.add", scope=early, content="Franky paints", subjects=["Franky"])
    people = daemon.call("person.list", scope=early)["people"]
    by_name = {person["name"]: person["id"] for person in people}
    daemon.call("memory.list", scope=late)

    merged = {"id": by_name["Frank Zorrilla"], "into": by_name["Franky"]}
    daemon.call("person.merge", scope=scope(early["user_id"]), **merged)

    assert "Zorrilla" not in str(daemon.call("person.list", scope=late))
    assert "Zorrilla" in str(
        daemon.call("person.list", scope={**early, "participants": [early["user_id"]]})
    )


# Memories shown away from where they were learned -------------------------------------------------


def test_a_memory_tells_no_other_group_where_it_was_learned(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """Another group sees neither the chat, nor an unknown speaker, nor the session."""
    member, elsewhere = group_of(scope), group_of(scope)
    carol = member("carol", "carol", "dan")
    dan = {**member("dan", "carol", "dan"), "display_name": "Dan"}
    daemon.call("memory.list", scope=dan)
    told = {**carol, "display_name": "Carol Teller", "session_id": "s-77", "message_id": "m-77"}
    daemon.call("memory.add", scope=told, content="Dan plays golf", subjects=["Dan"], shared=True)
    other = elsewhere("eve", "eve")
    other["participants"] = [other["user_id"], dan["user_id"]]

    (shown,) = daemon.call("memory.list", scope=other)["memories"]
    block = daemon.call("context.get", scope=other, message="who plays golf?")["text"]
    assert "Dan plays golf" == shown["content"]
    for word in (carol["chat_id"], "Carol Teller", carol["user_id"], "s-77", "m-77"):
        assert word not in str(shown)
        assert word not in block
    (here,) = daemon.call("memory.list", scope=carol)["memories"]
    assert carol["chat_id"] == here["chat_id"]
    assert "Carol Teller" == here["source_display_name"]
