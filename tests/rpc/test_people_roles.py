"""An exclusive relationship moves to its new holder. Budget: 15 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]
Add = Callable[..., dict[str, Any]]


@pytest.fixture
def add(daemon: Daemon) -> Add:
    """`memory.add` of one fact; the first of its people."""

    def told(scope: dict[str, Any], content: str, *subjects: str) -> dict[str, Any]:
        added = daemon.call("memory.add", scope=scope, content=content, subjects=list(subjects))
        person: dict[str, Any] = added["memories"][0]["people"][0]
        return person

    return told


def current_relationships(daemon: Daemon, scope: dict[str, Any]) -> dict[str, list[str]]:
    """The relationships of each person to the speaker that have not ended."""
    return {
        one["name"]: [c["relationship"] for c in one["relationships"] if c["ended_at"] is None]
        for one in daemon.call("person.list", scope=scope)["people"]
        if one["name"] != scope["user_id"]
    }


@pytest.mark.parametrize(
    ("first", "then", "word"),
    [
        ("My boss is called Katrin Vogel", "My boss is now Stefan Lorenz", "boss"),
        ("My girlfriend is called Ana", "My girlfriend is now Eva", "girlfriend"),
        ("My husband's name is Tom", "My husband is called Ben", "husband"),
        ("My wife Ana paints", "My wife Eva sings", "wife"),
        ("My boss is Katrin", "My boss is Stefan now", "boss"),
        ("My boss is Katrin", "Katrin is no longer my boss, my boss is Stefan now", "boss"),
        ("My doctor is called Anna Weiss", "My doctor is Karl Braun", "doctor"),
        ("My landlady is called Ruth", "My landlady is called Vera", "landlady"),
    ],
)
def test_a_role_moves_to_its_new_holder(
    daemon: Daemon, add: Add, scope: Scope, first: str, then: str, word: str
) -> None:
    """The word means the newest; the former is another person, known by name (B3, B6)."""
    alice = scope()

    old = add(alice, first, f"my {word}")
    new = add(alice, then, f"my {word}")
    again = add(alice, f"My {word} loves tea", f"my {word}")

    assert new["id"] == again["id"]
    assert old["id"] != new["id"]
    assert old["id"] == add(alice, f"{old['name']} called", old["name"])["id"]
    assert {old["name"]: [], new["name"]: [word]} == current_relationships(daemon, alice)


def test_a_new_landlord_is_the_landlord(daemon: Daemon, add: Add, scope: Scope) -> None:
    """Both words for the role mean the newest holder."""
    alice = scope()
    add(alice, "My landlord is called Otto", "my landlord")

    carl = add(alice, "My new landlord is Carl", "my new landlord")
    words = [add(alice, f"{w} is kind", w) for w in ("My landlord", "My new landlord")]
    dora = add(alice, "My new landlord is Dora", "my new landlord")

    assert [carl["id"]] * 2 == [one["id"] for one in words]
    assert dora["id"] == add(alice, "My landlord phoned", "my landlord")["id"]
    assert {"Otto": [], "Carl": [], "Dora": ["new landlord"]} == current_relationships(
        daemon, alice
    )


def test_of_the_boss_and_the_new_boss_one_follows(daemon: Daemon, add: Add, scope: Scope) -> None:
    """The word "new" also marks the successor within one sentence."""
    alice = scope()

    content = "My boss Katrin was replaced by my new boss Stefan"
    add(alice, content, "my boss Katrin", "my new boss Stefan")

    assert {"Katrin": [], "Stefan": ["new boss"]} == current_relationships(daemon, alice)


def test_the_new_boss_is_the_one_who_followed(add: Add, scope: Scope) -> None:
    """A "new boss" without a name means the known successor."""
    alice = scope()
    add(alice, "My boss is called Katrin", "my boss")
    stefan = add(alice, "My boss is now Stefan", "my boss")

    assert stefan["id"] == add(alice, "My new boss wants reports", "my new boss")["id"]
    assert stefan["id"] == add(alice, "My new boss Stefan is fair", "my new boss")["id"]


def test_a_new_boss_without_a_name_is_another(add: Add, scope: Scope) -> None:
    """The new one gets the next name told of the boss."""
    alice = scope()
    katrin = add(alice, "My boss is called Katrin", "my boss")

    new = add(alice, "My new boss starts on Monday", "my new boss")
    named = add(alice, "My boss is called Stefan", "my boss")

    assert katrin["id"] != new["id"]
    assert (new["id"], "Stefan") == (named["id"], named["name"])


def test_a_role_may_return(daemon: Daemon, add: Add, scope: Scope) -> None:
    """The full name means the earlier person, not a third one."""
    alice = scope()
    old = add(alice, "My boss is called Katrin Vogel", "my boss")
    add(alice, "My boss is now Stefan Lorenz", "my boss")

    back = add(alice, "My boss is now Katrin Vogel", "my boss")

    assert old["id"] == back["id"] == add(alice, "My boss is glad", "my boss")["id"]
    assert {"Katrin Vogel": ["boss"], "Stefan Lorenz": []} == current_relationships(daemon, alice)


@pytest.mark.parametrize(
    ("content", "subjects"),
    [
        ("My boss Katrin and my boss Stefan met", ["my boss Katrin", "my boss Stefan"]),
        ("Katrin and Stefan, who lead us, met", ["my boss Katrin", "my boss Stefan"]),
        ("My boss Katrin and my boss Stefan met", ["Katrin", "Stefan"]),
    ],
)
@pytest.mark.parametrize("known", [False, True], ids=["new", "told again"])
def test_two_holders_of_one_sentence_stay(
    daemon: Daemon, add: Add, scope: Scope, content: str, subjects: list[str], known: bool
) -> None:
    """Two people named together do not replace each other; the daemon asks which is meant (B6)."""
    alice = scope()
    add(alice, content, *subjects)
    if known:
        add(alice, "My boss Katrin is ill", "my boss Katrin")

    with pytest.raises(CallFailed) as caught:
        add(alice, "My boss loves tea", "my boss")

    assert "ambiguous" == caught.value.kind
    assert {"Katrin": ["boss"], "Stefan": ["boss"]} == current_relationships(daemon, alice)


def test_the_facts_of_one_call_follow_one_another(daemon: Daemon, scope: Scope) -> None:
    """Each fact is a sentence of its own."""
    alice = scope()
    facts = [
        {"content": content, "subjects": ["my boss"]}
        for content in ("My boss is called Katrin", "My boss is now Stefan", "My boss is kind")
    ]

    told = daemon.call("memory.add", scope=alice, facts=facts)["memories"]

    people = [one["people"][0]["name"] for one in told]
    assert ["Katrin", "Stefan", "Stefan"] == people


@pytest.mark.parametrize("word", ["friend", "sister", "son", "colleague", "aunt", "other boss"])
def test_many_may_be_a_friend(daemon: Daemon, add: Add, scope: Scope, word: str) -> None:
    """Friends do not replace one another, and the daemon asks (B6)."""
    alice = scope()
    add(alice, f"My {word} Ana paints", f"my {word} Ana")
    add(alice, f"My {word} Eva sings", f"my {word} Eva")

    with pytest.raises(CallFailed) as caught:
        add(alice, f"My {word} loves tea", f"my {word}")

    assert "ambiguous" == caught.value.kind
    assert {"Ana": [word], "Eva": [word]} == current_relationships(daemon, alice)


def test_another_boss_is_asked_about(daemon: Daemon, add: Add, scope: Scope) -> None:
    """A second boss beside the first replaces nobody."""
    alice = scope()
    add(alice, "My boss Ana paints", "my boss Ana")
    add(alice, "My other boss Eva sings", "my other boss Eva")

    with pytest.raises(CallFailed) as caught:
        add(alice, "My boss loves tea", "my boss")

    assert "ambiguous" == caught.value.kind
    assert {"Ana": ["boss"], "Eva": ["other boss"]} == current_relationships(daemon, alice)


def test_the_boss_of_somebody_else_is_left_alone(add: Add, scope: Scope) -> None:
    """Bob's new boss is not the speaker's."""
    alice = scope()
    mine = add(alice, "My boss is called Katrin", "my boss")
    add(alice, "Bob's boss is Olga", "Bob's boss")

    new = add(alice, "Bob's boss is now Stefan", "Bob's boss")

    assert mine["id"] == add(alice, "My boss is kind", "my boss")["id"]
    assert new["id"] == add(alice, "Bob's boss is kind", "Bob's boss")["id"]


def test_what_a_group_was_told_is_not_ended_in_private(add: Add, scope: Scope) -> None:
    """The group keeps what it knows; the speaker alone means the newest."""
    alice = scope()
    group = {**alice, "chat_id": f"c-{alice['user_id']}", "chat_type": "group"}

    old = add(group, "My boss is called Katrin", "my boss")
    new = add(alice, "My boss is now Stefan", "my boss")

    assert old["id"] == add(group, "My boss is kind", "my boss")["id"]
    assert new["id"] == add(alice, "My boss loves tea", "my boss")["id"]


def test_what_a_group_is_told_ends_what_was_told_in_private(
    daemon: Daemon, add: Add, scope: Scope
) -> None:
    """The speaker's own word ends the relationship, and nobody else sees that it ended."""
    alice = scope()
    group = {**alice, "chat_id": f"c-{alice['user_id']}", "chat_type": "group"}
    add(alice, "My boss is called Katrin", "my boss")

    new = add(group, "My boss is now Stefan", "my boss")

    assert new["id"] == add(alice, "My boss loves tea", "my boss")["id"]
    assert {"Katrin": [], "Stefan": ["boss"]} == current_relationships(daemon, alice)


@pytest.mark.parametrize(
    "parted",
    [
        "Ana and I broke up",
        "My girlfriend Ana and I have split up.",
        "Me and Ana just separated, sadly",
        "Ana broke up with me.",
        "I've finally split up with my girlfriend Ana",
        "I'm separated from Ana now",
        "I divorced Ana",
    ],
)
def test_a_partner_from_whom_one_parted_is_one_no_longer(
    daemon: Daemon, add: Add, scope: Scope, parted: str
) -> None:
    """She stays known by her name; she is not shown as the girlfriend in a prompt."""
    alice = scope()
    ana = add(alice, "My girlfriend Ana paints", "my girlfriend Ana")

    assert ana["id"] == add(alice, parted, "Ana")["id"]

    assert {"Ana": []} == current_relationships(daemon, alice)
    known = daemon.call("context.get", scope=alice, message="What does Ana do?")["text"]
    assert "- **Ana**\n" in known


@pytest.mark.parametrize(
    "said",
    [
        "Ana and I nearly broke up",
        "If Ana and I broke up, I would move",
        "Ana left me a note",
        "Ana and I separated the eggs",
        "Ana and Tom broke up",
        "Did Ana and I break up?",
    ],
)
def test_a_partner_stays_one_unless_it_is_said(
    daemon: Daemon, add: Add, scope: Scope, said: str
) -> None:
    """A parting that nearly happened, might happen or happened to others ends nothing."""
    alice = scope()
    add(alice, "My girlfriend Ana paints", "my girlfriend Ana")

    add(alice, said, "Ana")

    assert current_relationships(daemon, alice)["Ana"] == ["girlfriend"]


def test_whoever_is_introduced_as_a_former_partner_is_none(
    daemon: Daemon, add: Add, scope: Scope
) -> None:
    """The sentence that first names her ends what it says of her; a boss stays the boss."""
    alice = scope()

    add(alice, "My girlfriend Ana and I broke up", "Ana")
    add(alice, "My boss Olaf left me", "Olaf")

    assert current_relationships(daemon, alice) == {"Ana": [], "Olaf": ["boss"]}
