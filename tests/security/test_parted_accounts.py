"""Accounts that were joined by mistake and parted have what they would have had. Budget: 30 s."""

from collections.abc import Callable
from typing import Any

from daemons import Daemon

Scope = dict[str, Any]


class Two:
    """Bob at work and Rob in a guild, who are two people, joined as if they were one."""

    def __init__(self, daemon: Daemon, scope: Callable[..., Scope]) -> None:
        self.daemon = daemon
        tag = scope()["user_id"]
        self.bob = scope(f"bob-{tag}", display_name="Bobby")
        self.rob = scope(f"rob-{tag}", provider="dc", display_name="Roberto")
        self.boss = scope(f"boss-{tag}", display_name="Boss")
        self.zoe = scope(f"zoe-{tag}", provider="dc", display_name="Zoe")
        self.guild = self.room("guild", self.rob, self.zoe)
        self.work = self.room("work", self.bob, self.boss)
        self.ids = [self.me(self.bob), self.me(self.rob)]
        for one, room in ((self.boss, self.work), (self.zoe, self.guild)):
            self.ask("memory.list", one | room)

    def room(self, name: str, *members: Scope) -> Scope:
        """A group of these."""
        users = [member["user_id"] for member in members]
        return {"chat_id": f"{name}-{users[0]}", "chat_type": "group", "participants": users}

    def ask(self, method: str, who: Scope, **params: Any) -> Any:
        """A call on behalf of somebody."""
        return self.daemon.call(method, scope=who, **params)

    def me(self, who: Scope) -> str:
        """The id of somebody's own person."""
        found: str = self.ask("person.resolve", who, reference="me")["person_id"]
        return found

    def add(self, who: Scope, content: str, **more: Any) -> Any:
        """Store a fact; its memory."""
        return self.ask("memory.add", who, content=content, **more)["memories"][0]["memory"]

    def join(self) -> None:
        """Join Rob's account to Bob's person."""
        self.daemon.call("person.link_account", id=self.ids[0], account=self.account)

    def part(self) -> Any:
        """Part it again; what could not be parted."""
        parted = self.daemon.call("person.unlink_account", id=self.ids[0], account=self.account)
        return parted["not_parted"]

    @property
    def account(self) -> Scope:
        """Rob's account."""
        return {key: self.rob[key] for key in ("provider", "user_id")}

    def told(self, who: Scope, **filters: Any) -> list[str]:
        """The contents of the memories that somebody lists, oldest first."""
        listed = self.ask("memory.list", who, sort="oldest", **filters)["memories"]
        return [memory["content"] for memory in listed]


NOTHING = {"person_id": None, "memories": [], "names": [], "relationships": 0, "unrecorded": 0}


def test_what_was_said_while_joined_is_its_speakers(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """A fact about "me" told in a group is its account's, and shows in no group of the other."""
    two = Two(daemon, scope)
    two.join()
    two.add(two.rob | two.guild, "I will move to Lisbon in May", subjects=["me"])
    two.add(two.zoe | two.guild, "Roberto paints", subjects=["Roberto"])
    two.add(two.bob, "I keep bees", subjects=["me"])
    two.add(two.boss | two.work, "Bobby is never late", subjects=["Bobby"])

    assert two.part() == NOTHING

    assert two.told(two.bob | two.work) == two.told(two.boss | two.work) == ["Bobby is never late"]
    assert two.told(two.bob) == ["I keep bees", "Bobby is never late"]
    assert two.told(two.rob, about="me") == ["I will move to Lisbon in May", "Roberto paints"]
    assert two.told(two.zoe | two.guild, about="Roberto") == two.told(two.rob, about="me")
    assert two.told(two.boss | two.work, about="Bobby") == ["Bobby is never late"]


def test_each_has_its_own_people_again(daemon: Daemon, scope: Callable[..., Scope]) -> None:
    """A wife whom both named while joined is two people; neither sees the other's words for her."""
    two = Two(daemon, scope)
    two.add(two.bob, "My wife Sarah plays chess", subjects=["my wife Sarah"])
    two.join()
    two.add(two.rob, "Sarah has a cold", subjects=["my wife"])
    joined = two.told(two.rob, about="my wife")

    assert two.part() == NOTHING

    assert joined == ["My wife Sarah plays chess", "Sarah has a cold"]
    assert two.told(two.bob, about="my wife") == ["My wife Sarah plays chess"]
    assert two.told(two.rob, about="my wife") == ["Sarah has a cold"]
    wives = set()
    for who in (two.bob, two.rob):
        (wife,) = [
            person
            for person in two.ask("person.list", who)["people"]
            if person["id"] not in two.ids
        ]
        assert [one["relationship"] for one in wife["relationships"]] == ["wife"]
        assert [one["to"] for one in wife["relationships"]] == [two.me(who)]
        assert [one["stated_by"] for one in wife["relationships"]] == [who["user_id"]]
        wives.add(wife["id"])
    assert len(wives) == 2


def test_whom_an_account_knows_by_itself_is_meant_while_joined(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """A name means the person whom its account knows by it, not another of the other account."""
    two = Two(daemon, scope)
    friend = {"subjects": ["my friend Max"]}
    by_zoe = two.add(two.zoe | two.guild, "Max plays chess", **friend)
    two.add(two.bob, "Max likes tea", **friend)
    by_rob = two.add(two.rob, "Ann Lee dives", subjects=["my friend Ann Lee"])
    two.add(two.bob | two.work, "Ann sings", subjects=["my friend Ann"])
    two.join()
    told = [
        two.add(two.rob | two.guild, "Max keeps bees", subjects=["Max"]),
        two.add(two.rob | two.guild, "Ann has a cold", subjects=["my friend Ann"]),
    ]

    assert two.part() == NOTHING

    earlier = [by_zoe, by_rob]
    assert [m["subject_person_ids"] for m in told] == [m["subject_person_ids"] for m in earlier]
    assert [two.ask("memory.get", two.rob, id=m["id"])["people"][0]["name"] for m in told] == [
        "Max",
        "Ann Lee",
    ]
    assert two.told(two.zoe | two.guild, about="Max") == ["Max plays chess", "Max keeps bees"]
    assert two.told(two.rob, about="Ann Lee") == ["Ann Lee dives", "Ann has a cold"]
    assert two.told(two.bob, about="Max") == ["Max likes tea"]
    assert two.told(two.bob, about="my friend Ann") == ["Ann sings"]


def test_what_means_either_of_two_people_is_with_neither(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """Of two merged people each gets back what named that one; the rest is about a third person."""
    two = Two(daemon, scope)
    boss, neighbour = (
        two.ask("person.resolve", two.bob, reference=name)["person_id"]
        for name in ("my boss Anna Lee", "my neighbour Anna Berg")
    )
    two.ask("person.merge", two.bob, id=neighbour, into=boss)
    two.add(two.bob, "She has two cats", subjects=["my neighbour"])
    two.add(two.bob, "She is strict", subjects=["Anna Lee"])
    unsure = two.add(two.bob, "She sings", subjects=["Anna"])

    left = two.ask("person.split", two.bob, id=neighbour)["not_parted"]

    assert two.told(two.bob, about="Anna Berg") == ["She has two cats"]
    assert two.told(two.bob, about="Anna Lee") == ["She is strict"]
    third = two.ask("memory.get", two.bob, id=unsure["id"])["memory"]["subject_person_ids"]
    assert third == [left["person_id"]]
    told = {"person_id": third[0], "memories": [unsure["id"]], "names": ["Anna"]}
    assert left == NOTHING | told


def test_a_change_by_the_other_account_is_undone(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """Tags, labels and a deletion by the other one are gone; what the owner changed since stays."""
    two = Two(daemon, scope)
    tea, gate, hut = (
        two.add(two.bob, text)["id"] for text in ("I like tea", "The gate is red", "The hut leaks")
    )
    sea = two.add(two.rob, "The sea is cold")["id"]
    two.join()
    two.ask("memory.update", two.bob, id=sea, changes={"tags": ["x"]})
    two.ask("memory.update", two.rob, id=tea, changes={"tags": ["x"], "sensitivity": "sensitive"})
    two.ask("memory.update", two.bob, id=tea, changes={"tags": ["mine"]})
    two.ask("memory.update", two.rob, id=gate, changes={"content": "The gate is blue"})
    two.ask("memory.delete", two.rob, id=hut)
    two.part()

    listed = two.ask("memory.list", two.bob, sort="oldest")["memories"]
    assert [one["content"] for one in listed] == ["I like tea", "The gate is red", "The hut leaks"]
    assert (listed[0]["tags"], listed[0]["sensitivity"]) == (["mine"], None)
    assert two.told(two.rob) == ["The sea is cold", "The gate is blue"]
    assert two.ask("memory.get", two.rob, id=sea)["memory"]["tags"] == []


def test_a_parting_undoes_settlements_by_the_other_account(
    daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """One account says of two memories of the other that one replaces the other, or no longer."""
    two = Two(daemon, scope)
    bike, sold, gate, hut = (
        two.add(two.bob, text)["id"]
        for text in ("The bike is green", "The bike was sold", "The gate is red", "The hut leaks")
    )
    two.ask("memory.supersede", two.bob, id=hut, superseded_id=gate)
    before = [two.told(two.bob), history_of(two, bike), history_of(two, gate)]
    two.join()
    two.ask("memory.supersede", two.rob, id=sold, superseded_id=bike)
    two.ask("memory.supersede", two.rob, id=hut, superseded_id=gate, verdict="both")
    assert sorted(two.told(two.bob)) == ["The bike was sold", "The gate is red", "The hut leaks"]

    assert two.part() == NOTHING

    assert before == [two.told(two.bob), history_of(two, bike), history_of(two, gate)]


def history_of(two: Two, memory: str) -> list[tuple[str, str]]:
    """The events of a memory."""
    events = two.ask("memory.history", two.bob, id=memory)["events"]
    return [(one["event"], one["reason"]) for one in events]


def test_each_has_its_own_profile_again(daemon: Daemon, scope: Callable[..., Scope]) -> None:
    """Words of the other one in the profile that both had are gone."""
    two = Two(daemon, scope)
    two.join()
    two.ask("profile.set", two.bob, text="Bob bakes")
    two.ask("profile.set", two.rob, notes="Rob rows")
    two.part()

    bob, rob = (two.ask("profile.get", who)["profile"] for who in (two.bob, two.rob))
    assert (bob["text"], bob["notes"]) == ("Bob bakes", "")
    assert (rob["text"], rob["notes"], rob["version"]) == ("", "Rob rows", 1)
