"""A joined account shows others nothing that they did not have. Budget: 10 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from sandboxes import opened

Scope = dict[str, Any]


class Linked:
    """A user with a real name at a messenger and a nickname in a forum, each in a group there."""

    def __init__(self, daemon: Daemon, scope: Callable[..., Scope]) -> None:
        self.daemon = daemon
        tag = scope()["user_id"]
        self.phone = scope(f"+4917{tag}", provider="phone", display_name="Alexander Realname")
        self.forum = scope(f"naughty-{tag}", provider="forum", display_name="NaughtyAlex69")
        self.mate = scope(f"mate-{tag}", provider="phone", display_name="Mate")
        self.lurker = scope(f"lurker-{tag}", provider="forum", display_name="Lurker")
        self.at_phone = {"chat_id": f"p-{tag}", "chat_type": "group"}
        self.at_forum = {"chat_id": f"f-{tag}", "chat_type": "group"}
        for here, members in (
            (self.at_phone, (self.phone, self.mate)),
            (self.at_forum, (self.forum, self.lurker)),
        ):
            roster = [member["user_id"] for member in members]
            for member in members:
                self.ask("memory.list", {**member, **here, "participants": roster})
        self.ids = [self.me(self.phone), self.me(self.forum)]
        self.ask(
            "person.link_account",
            self.phone,
            id=self.ids[0],
            account={key: self.forum[key] for key in ("provider", "user_id")},
        )

    def ask(self, method: str, who: Scope, **params: Any) -> Any:
        """A call on behalf of somebody."""
        return self.daemon.call(method, scope=who, **params)

    def me(self, who: Scope) -> str:
        """The id of somebody's own person."""
        found: str = self.ask("person.resolve", who, reference="me")["person_id"]
        return found

    def seen(self, who: Scope, socket: str | None = None) -> str:
        """Return everything that a group sees of people, through calls or a sandbox."""
        at = {"at": socket} if socket else {"scope": who}
        listed = self.daemon.call("person.list", **at)["people"]
        one = [self.daemon.call("person.get", scope=who, id=person["id"]) for person in listed]
        block = self.daemon.call("context.get", message="who is here?", **at)
        found = self.daemon.call("memory.search", query="who likes chess?", min_score=0, **at)
        return str([listed, one, block["text"], block["people"], found])


@pytest.fixture
def linked(daemon: Daemon, scope: Callable[..., Scope]) -> Linked:
    """Makes the two accounts and joins them."""
    return Linked(daemon, scope)


def test_each_group_knows_its_own_account_alone(linked: Linked) -> None:
    """No name, handle, id or provider of the other account is shown, by calls or sandboxes."""
    for asks, of_the_other in (
        ({**linked.mate, **linked.at_phone}, ("Naughty", "naughty", "forum")),
        ({**linked.phone, **linked.at_phone}, ("Naughty", "naughty", "forum")),
        ({**linked.lurker, **linked.at_forum}, ("Alexander", "Realname", "+4917", "phone")),
        ({**linked.forum, **linked.at_forum}, ("Alexander", "Realname", "+4917", "phone")),
    ):
        socket = opened(linked.daemon, asks, rights=["read"])["socket"]
        linked.ask("memory.add", asks, content="Somebody here likes chess", subjects=["me"])
        for seen in (linked.seen(asks), linked.seen(asks, socket)):
            assert [word for word in of_the_other if word in seen] == []


def test_no_reference_finds_the_other_account(linked: Linked) -> None:
    """Another account is found by neither a name nor the person's id elsewhere."""
    for asks, name, other in (
        ({**linked.mate, **linked.at_phone}, "NaughtyAlex69", linked.ids[1]),
        ({**linked.lurker, **linked.at_forum}, "Alexander Realname", linked.ids[0]),
    ):
        for reference in (name, f"@{name}", other):
            with pytest.raises(CallFailed) as failed:
                linked.ask("person.resolve", asks, reference=reference, create=False)
            assert "not_found" == failed.value.kind
        with pytest.raises(CallFailed) as failed:
            linked.ask("person.get", asks, id=other)
        assert "not_found" == failed.value.kind


def test_each_group_knows_the_person_by_the_id_it_had(linked: Linked) -> None:
    """A member of both groups finds no common id."""
    for asks, name, own in (
        ({**linked.mate, **linked.at_phone}, "Alexander Realname", linked.ids[0]),
        ({**linked.lurker, **linked.at_forum}, "NaughtyAlex69", linked.ids[1]),
    ):
        found = linked.ask("person.resolve", asks, reference=name, create=False)
        shown = linked.ask("person.get", asks, id=own)["person"]
        about = {"content": "He plays the tuba", "subjects": [name]}
        (added,) = linked.ask("memory.add", asks, **about)["memories"]
        listed = linked.ask("memory.list", asks, about=name)["memories"]
        assert (own, name) == (found["person_id"], found["person_name"])
        assert (own, name) == (shown["id"], shown["name"])
        assert {own} == {person["id"] for person in added["people"]}
        assert {own} == {one for memory in listed for one in memory["subject_person_ids"]}
        assert [own] == added["memory"]["subject_person_ids"]


def test_a_contact_of_one_account_learns_of_no_other_in_private(linked: Linked) -> None:
    """One's own contact keeps the name that its user shows in the shared chat."""
    linked.ask(
        "memory.add",
        {**linked.lurker, **linked.at_forum},
        content="NaughtyAlex69 is my chess partner",
        subjects=["my chess partner NaughtyAlex69"],
    )
    seen = linked.seen(linked.lurker)
    assert "Naughty" in seen
    assert [word for word in ("Alexander", "Realname", "+4917") if word in seen] == []


def test_the_user_has_both(linked: Linked) -> None:
    """The owner of the accounts sees all names and all ids in private."""
    own = linked.ask("person.get", linked.forum, id=linked.me(linked.forum))["person"]
    assert {"phone", "forum"} == {account["provider"] for account in own["accounts"]}
    assert {"Alexander Realname", "NaughtyAlex69"} == {
        own["name"],
        *(alias["value"] for alias in own["aliases"]),
    }


def test_no_surface_names_the_account_that_was_not_met(linked: Linked) -> None:
    """What a joined account stated elsewhere is shown without its id, in the forum and in private.

    Relations, relationships, aliases, pinned facts and memories are stated at the phone.
    """
    told = {**linked.phone, **linked.at_phone}
    linked.ask("graph.relate", told, source="Boat", relation="depends on", target="Harbour")
    linked.ask("graph.add_entity", told, name="Boat", type="tool", aliases=["Dinghy"])
    ann = linked.ask("person.create", told, name="Ann Quay", relationship="friend")["person"]["id"]
    linked.ask("person.add_alias", told, id=ann, alias="Annie")
    linked.ask("memory.add", told, content="The boat leaks", subjects=["Ann Quay"])
    linked.ask("override.add", linked.phone, content="Write briefly", for_groups=True)

    forum = {**linked.forum, **linked.at_forum}
    socket = opened(linked.daemon, forum, rights=["read"])["socket"]
    for at in ({"scope": forum}, {"at": socket}, {"scope": {**linked.lurker, **linked.at_forum}}):
        found = linked.daemon.call("graph.search", name="Boat", **at)
        tool = linked.ask(
            "tools.call", forum, name="search_graph", arguments={"relation": "depends on"}
        )
        seen = str([found, tool, linked.seen(forum), linked.ask("override.list", forum)])
        assert [word for word in ("+4917", "phone", "Realname") if word in seen] == []
    assert linked.ask("graph.search", forum, name="Boat")["relations"][0]["stated_by"] is None
    own = linked.ask("graph.search", told, name="Boat")["relations"][0]
    assert linked.phone["user_id"] == own["stated_by"]
