"""Wrong identifications are undone for good, and people are created by name. Budget: 15 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]


def _told(daemon: Daemon, scope: dict[str, Any], content: str, subject: str) -> dict[str, Any]:
    """The entry of a new fact about one person."""
    added = daemon.call("memory.add", scope=scope, content=content, subjects=[subject])
    entry: dict[str, Any] = added["memories"][0]
    return entry


def _joined(daemon: Daemon, scope: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the id of a son Tom who is wrongly called Tom Baker, and his memories."""
    first = _told(daemon, scope, "My son Tom is 5.", "my son Tom")
    son = first["people"][0]["id"]
    daemon.call("person.add_alias", scope=scope, id=son, alias="Tom Baker")
    said = [
        _told(daemon, scope, text, "Tom Baker") for text in ("Tom Baker came.", "He charges 80.")
    ]
    assert [son, son] == [entry["people"][0]["id"] for entry in said]
    return son, [entry["memory"]["id"] for entry in (first, *said)]


def _about(daemon: Daemon, scope: dict[str, Any], who: str) -> list[str]:
    page = daemon.call("memory.list", scope=scope, about=who, include_superseded=True)
    return [memory["content"] for memory in reversed(page["memories"])]


def test_an_identification_is_undone_for_all_its_memories(daemon: Daemon, scope: Scope) -> None:
    """Memories by that reference move to another person; the rest stays (B7)."""
    alice = scope()
    son, _ = _joined(daemon, alice)

    undone = daemon.call(
        "person.undo_identification", scope=alice, person_id=son, reference="Tom Baker"
    )

    assert (2, "Tom Baker") == (undone["moved"], undone["person"]["name"])
    assert undone["person"]["id"] != son
    assert ["My son Tom is 5."] == _about(daemon, alice, "my son")
    assert ["Tom Baker came.", "He charges 80."] == _about(daemon, alice, "Tom Baker")


def test_an_undone_identification_does_not_come_back(daemon: Daemon, scope: Scope) -> None:
    """Later mentions keep meaning the other person."""
    alice = scope()
    son, _ = _joined(daemon, alice)
    undo = {"person_id": son, "reference": "Tom Baker"}
    other = daemon.call("person.undo_identification", scope=alice, **undo)["person"]["id"]

    later = _told(daemon, alice, "Tom Baker has a van.", "Tom Baker")
    daemon.call("person.delete", scope=alice, id=other)
    after = _told(daemon, alice, "Tom Baker paints too.", "Tom Baker")

    assert [other] == [person["id"] for person in later["people"]]
    assert after["people"][0]["id"] not in {son, other}
    assert [] == after["people"][0]["may_be"]


def test_an_identification_is_undone_for_one_memory(daemon: Daemon, scope: Scope) -> None:
    """Undoing an identification moves only the named memories."""
    alice = scope()
    son, memories = _joined(daemon, alice)

    undone = daemon.call(
        "person.undo_identification",
        scope=alice,
        person_id=son,
        reference="Tom Baker",
        memory_ids=memories[1:2],
    )

    assert 1 == undone["moved"]
    assert ["Tom Baker came."] == _about(daemon, alice, "Tom Baker")
    assert ["My son Tom is 5.", "He charges 80."] == _about(daemon, alice, "my son")


def test_one_memory_of_a_name_that_two_have_leaves_the_name_to_both(
    daemon: Daemon, scope: Scope
) -> None:
    """ "Tom" stays the son's name too; from then on the daemon asks which one is meant."""
    alice = scope()
    son = _told(daemon, alice, "My son Tom is 5.", "my son Tom")["people"][0]["id"]
    entry = _told(daemon, alice, "Tom drove us to Kiel.", "Tom")
    undo = {"person_id": son, "reference": "Tom", "memory_ids": [entry["memory"]["id"]]}

    other = daemon.call("person.undo_identification", scope=alice, **undo)["person"]["id"]
    with pytest.raises(CallFailed) as failed:
        _told(daemon, alice, "Tom sings.", "Tom")

    assert "ambiguous" == failed.value.kind
    assert {son, other} == {one["id"] for one in failed.value.data["candidates"]}


def test_a_wrong_relationship_is_undone_with_its_reference(daemon: Daemon, scope: Scope) -> None:
    """ "My boss" no longer means the excluded person."""
    alice = scope()
    ruth = _told(daemon, alice, "My boss Ruth hates slides.", "my boss Ruth")["people"][0]["id"]

    undone = daemon.call(
        "person.undo_identification", scope=alice, person_id=ruth, reference="my boss"
    )
    shown = daemon.call("person.get", scope=alice, id=ruth)["person"]

    assert undone["person"]["id"] != ruth
    assert [] == shown["relationships"]
    found = daemon.call("person.resolve", scope=alice, reference="my boss")
    assert undone["person"]["id"] == found["person_id"]


def test_only_ones_own_identification_is_undone(daemon: Daemon, scope: Scope) -> None:
    """Another user's person and memories are not found."""
    alice, bob = scope(), scope()
    son, memories = _joined(daemon, alice)

    with pytest.raises(CallFailed) as failed:
        daemon.call(
            "person.undo_identification",
            scope=bob,
            person_id=son,
            reference="Tom Baker",
            memory_ids=memories,
        )

    assert "not_found" == failed.value.kind
    assert 3 == len(_about(daemon, alice, "my son"))


def test_an_alias_that_is_added_again_counts_again(daemon: Daemon, scope: Scope) -> None:
    """The user may decide that the reference means the person after all."""
    alice = scope()
    son, _ = _joined(daemon, alice)
    undo = {"person_id": son, "reference": "Tommy Baker"}
    daemon.call("person.undo_identification", scope=alice, **undo)

    daemon.call("person.add_alias", scope=alice, id=son, alias="Tommy Baker")
    names = daemon.call("person.list", scope=alice, query="Tommy Baker")["people"]
    other = next(person["id"] for person in names if person["id"] != son)
    daemon.call("person.delete", scope=alice, id=other)

    found = daemon.call("person.resolve", scope=alice, reference="Tommy Baker")
    assert son == found["person_id"]


def test_a_person_is_created_beside_a_namesake(daemon: Daemon, scope: Scope) -> None:
    """A second person may have an existing name; from then on the daemon asks."""
    alice = scope()
    son = _told(daemon, alice, "My son Tom is 5.", "my son Tom")["people"][0]["id"]

    person = daemon.call("person.create", scope=alice, name="Tom", relationship="plumber")["person"]
    plumber = daemon.call("person.resolve", scope=alice, reference="my plumber")
    with pytest.raises(CallFailed) as failed:
        daemon.call("person.resolve", scope=alice, reference="Tom")

    assert ("Tom", ["plumber"]) == (
        person["name"],
        [claim["relationship"] for claim in person["relationships"]],
    )
    assert person["id"] == plumber["person_id"]
    assert person["id"] != son
    for words in ("Tom (son", "Tom (plumber", son, person["id"]):
        assert words in str(failed.value)


@pytest.mark.parametrize(
    "pair",
    [
        ("Sara Lind", "Sarah Lind"),
        ("Jon Smith", "John Smith"),
        ("Eva Müller", "Eva Mueller"),
        ("my uncle Bob Ross", "Robert Ross"),
        ("Lizzie Gray", "Elizabeth Gray"),
    ],
)
def test_spellings_and_short_forms_are_suggested_and_not_merged(
    daemon: Daemon, scope: Scope, pair: tuple[str, str]
) -> None:
    """Likeness suggests and decides nothing (B7)."""
    alice = scope()
    found = [daemon.call("person.resolve", scope=alice, reference=name) for name in pair]

    (suggested,) = daemon.call("person.duplicates", scope=alice)["pairs"]

    ids = {one["person_id"] for one in found}
    assert 2 == len(ids)
    assert ids == {person["id"] for person in suggested["people"]}


def test_likeness_of_one_part_suggests_nothing(daemon: Daemon, scope: Scope) -> None:
    """A similar first name with another surname is another person."""
    alice = scope()
    for name in ("Sara Lind", "Sarah Berg", "Tim Berg", "Tom Berg", "Martin", "Martina"):
        daemon.call("person.resolve", scope=alice, reference=name)

    assert [] == daemon.call("person.duplicates", scope=alice)["pairs"]


def test_a_handle_finds_who_is_called_so(daemon: Daemon, scope: Scope) -> None:
    """ "@tomas" is Tomas, as "zorro" finds "@zorro" (P4)."""
    alice = scope()
    tomas = daemon.call("person.resolve", scope=alice, reference="my friend Tomas")

    found = daemon.call("person.resolve", scope=alice, reference="@tomas")

    assert (tomas["person_id"], False) == (found["person_id"], found["created"])


def test_a_namesake_does_not_make_a_member_ambiguous_to_herself(
    daemon: Daemon, scope: Scope
) -> None:
    """A participant's own name means the participant, whatever others told there (P3)."""
    alice, bob = scope(), scope()
    chat: dict[str, Any] = {"chat_id": f"c-{alice['user_id']}", "chat_type": "group"}
    chat["participants"] = [alice["user_id"], bob["user_id"]]
    hers, his = {**alice, **chat, "display_name": "Alice"}, {**bob, **chat, "display_name": "Bob"}
    for member in (hers, his):
        daemon.call("context.get", scope=member, message="hi")
    daemon.call(
        "person.resolve",
        scope=his,
        reference="my wife",
        content_hint="My wife's name is Alice",
    )
    daemon.call("person.resolve", scope=his, reference="the boss Alice")

    entry = _told(daemon, hers, "Alice paints", "Alice")

    me = daemon.call("person.resolve", scope=hers, reference="me")["person_id"]
    assert [me] == [person["id"] for person in entry["people"]]


def test_identity_stated_in_a_text_is_learned(daemon: Daemon, scope: Scope) -> None:
    """Names and roles in any of its clauses; what it does not assert teaches nothing."""
    alice = scope()
    facts = {
        "Wilma, who is our gardener, has a van": "Wilma",
        "Everybody calls our gardener Willy": "our gardener",
        "Willy got married and is now called Wilma Busch": "Willy",
        "Wilma Busch is @busch on the forum": "Wilma Busch",
        "@busch planted a hedge": "@busch",
        "Hugo took over from Wilma as gardener": "Hugo",
        "If Otto is our new gardener, we pay more": "Otto",
        "Tom says Ines is our gardener": "Ines",
        "Our gardener wants tea": "our gardener",
    }
    told = list(facts)

    for content, subject in facts.items():
        _told(daemon, alice, content, subject)

    assert told[:5] == _about(daemon, alice, "Wilma Busch")
    assert [told[5], told[8]] == _about(daemon, alice, "our gardener")
    assert [told[6]] == _about(daemon, alice, "Otto")
    assert [told[7]] == _about(daemon, alice, "Ines")
