"""Sentences that say who is the same person and who is another. Budget: 15 s."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]
SAME = "My friend Marco and my dentist are the same person"


def _said(daemon: Daemon, scope: dict[str, Any], content: str, subject: str) -> dict[str, Any]:
    """The person whom a new fact is about."""
    added = daemon.call("memory.add", scope=scope, content=content, subjects=[subject])
    person: dict[str, Any] = added["memories"][0]["people"][0]
    return person


def _two_marcos(daemon: Daemon, scope: dict[str, Any]) -> tuple[str, str]:
    friend = _said(daemon, scope, "My friend Marco restores Vespas", "my friend Marco")
    dentist = _said(daemon, scope, "My dentist Marco has a fish tank", "my dentist Marco")
    return friend["id"], dentist["id"]


def _about(daemon: Daemon, scope: dict[str, Any], who: str) -> int:
    total: int = daemon.call("memory.list", scope=scope, about=who)["total"]
    return total


def test_two_people_whom_their_teller_calls_one_are_joined_until_split(
    daemon: Daemon, scope: Scope
) -> None:
    """A sentence makes a reversible merge, but never joins people who were split."""
    alice = scope()
    friend, dentist = _two_marcos(daemon, alice)
    assert friend != dentist

    assert friend == _said(daemon, alice, SAME, "my friend Marco")["id"]
    assert 3 == _about(daemon, alice, "my dentist")

    daemon.call("person.split", scope=alice, id=dentist)
    _said(daemon, alice, f"{SAME}, I think", "my friend Marco")
    assert 1 == _about(daemon, alice, dentist)
    names = [pair["people"] for pair in daemon.call("person.duplicates", scope=alice)["pairs"]]
    assert [] == names


@pytest.mark.parametrize("by_bob", ["my friend Marco", "my dentist Marco"])
def test_nobody_joins_a_person_of_whom_another_has_told(
    daemon: Daemon, scope: Scope, by_bob: str
) -> None:
    """A relationship from anybody else makes them more than the speaker's own (B7, B8)."""
    alice, bob = scope(), scope()
    both = [alice["user_id"], bob["user_id"]]
    group = {"chat_id": f"same-{both[0]}", "chat_type": "group", "participants": both}
    alice, bob = alice | group, bob | group
    friend, dentist = _two_marcos(daemon, alice)
    relationship = by_bob.split()[1]
    person = friend if relationship == "friend" else dentist
    daemon.call("person.relate", scope=bob, id=person, relationship=relationship)

    _said(daemon, alice, SAME, "my friend Marco")

    assert 1 == _about(daemon, alice, dentist)


def test_a_group_joins_nobody_of_whom_its_speaker_told_in_private(
    daemon: Daemon, scope: Scope
) -> None:
    """Joined ids would show the group's members that both were known."""
    alone = scope()
    group = alone | {"chat_id": f"one-{alone['user_id']}", "chat_type": "group"}
    two = _two_marcos(daemon, alone)
    assert two == _two_marcos(daemon, group)

    _said(daemon, group, SAME, "my friend Marco")

    assert 2 == _about(daemon, alone, two[1])


def test_a_role_without_a_name_gets_the_person_who_is_said_to_hold_it(
    daemon: Daemon, scope: Scope
) -> None:
    """Known by a whole name before, and under the role; a first name is no evidence."""
    alice = scope()
    emil = _said(daemon, alice, "Emil Baker sings", "Emil Baker")["id"]
    _said(daemon, alice, "My sister's husband called", "my sister's husband")

    assert emil == _said(daemon, alice, "Emil Baker is my sister's husband", "Emil Baker")["id"]
    assert 3 == _about(daemon, alice, "my brother-in-law")

    anna = _said(daemon, alice, "My aunt Anna sings", "my aunt Anna")["id"]
    _said(daemon, alice, "My tutor is late", "my tutor")
    tutor = _said(daemon, alice, "My tutor is called Anna", "my tutor")
    assert tutor["id"] != anna


def test_two_people_whom_their_teller_calls_two_are_no_duplicates(
    daemon: Daemon, scope: Scope
) -> None:
    """A later sentence does not join people stated to be different."""
    alice = scope()
    baker = _said(daemon, alice, "My dentist Ruth Baker sings", "my dentist Ruth Baker")["id"]
    ruth = _said(daemon, alice, "My neighbour Ruth is late", "my neighbour Ruth")["id"]
    assert 1 == len(daemon.call("person.duplicates", scope=alice)["pairs"])

    content = "My dentist is not the same person as my neighbour Ruth"
    assert baker == _said(daemon, alice, content, "my dentist")["id"]

    assert [] == daemon.call("person.duplicates", scope=alice)["pairs"]
    same = "My dentist and my neighbour are the same person"
    assert baker == _said(daemon, alice, same, "my dentist")["id"]
    assert 1 == _about(daemon, alice, ruth)


@pytest.mark.parametrize(
    "apart", [["Udo and Ines are the same person."], ["Udo and Ines are different people."]]
)
def test_people_not_joined_keep_their_own_names(
    daemon: Daemon, scope: Scope, apart: list[str]
) -> None:
    """People who were split or set apart stay two, each found by name; the other is offered."""
    alice = scope()
    udo = _said(daemon, alice, "Udo sings", "Udo")["id"]
    ines = _said(daemon, alice, "Ines paints", "Ines")["id"]
    for content in apart:
        _said(daemon, alice, content, "Udo")
    if "same" in apart[0]:
        daemon.call("person.split", scope=alice, id=ines)

    again = _said(daemon, alice, "Udo and Ines are the same person.", "Udo")

    assert (udo, ines) == (again["id"], _said(daemon, alice, "Ines is late", "Ines")["id"])
    assert [ines] == [other["id"] for other in again["may_be"]]


def test_a_role_that_was_split_from_its_holder_makes_no_namesake(
    daemon: Daemon, scope: Scope
) -> None:
    """Neither the name nor the role means two people afterwards."""
    alice = scope()
    emil = _said(daemon, alice, "Emil Baker sings", "Emil Baker")["id"]
    husband = _said(daemon, alice, "My sister's husband called", "my sister's husband")["id"]
    content = "Emil Baker is my sister's husband"
    _said(daemon, alice, content, "Emil Baker")
    daemon.call("person.split", scope=alice, id=husband)

    again = _said(daemon, alice, f"{content}.", "Emil Baker")
    by_role = _said(daemon, alice, f"{content}!", "my sister's husband")

    assert (emil, husband) == (again["id"], by_role["id"])
    assert [husband] == [other["id"] for other in again["may_be"]]
    assert [emil] == [other["id"] for other in by_role["may_be"]]
    assert emil == _said(daemon, alice, "Emil Baker is late", "Emil Baker")["id"]
    assert husband == _said(daemon, alice, "He is late too", "my sister's husband")["id"]


def test_one_sentence_of_several_pairs_gives_nobody_the_name_of_another(
    daemon: Daemon, scope: Scope
) -> None:
    """Whoever of them was not joined is still found by name."""
    alice = scope()
    for name in ("Tom", "Anna", "Bob", "Cid"):
        _said(daemon, alice, f"{name} sings", name)

    content = "Tom and Anna are the same person. Anna and Bob are the same person."
    tom = _said(daemon, alice, f"{content} Bob and Cid are one person.", "Tom")["id"]

    cid = _said(daemon, alice, "Cid paints", "Cid")["id"]
    assert cid != tom


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_join_that_was_undone_by_name_stays_undone(
    daemon: Daemon, scope: Scope, *, is_whole: bool
) -> None:
    """The same sentence joins nobody again, and the person from before is found again (B7)."""
    alice = scope()
    udo = _said(daemon, alice, "Udo sings", "Udo")["id"]
    ines = _said(daemon, alice, "Ines paints", "Ines")["id"]
    same = "Udo and Ines are the same person."
    _said(daemon, alice, same, "Udo")
    listed = daemon.call("memory.list", scope=alice, about=udo)["memories"]
    chosen = [memory["id"] for memory in listed if memory["content"] == "Ines paints"]
    undo = {"person_id": udo, "reference": "Ines"} | ({} if is_whole else {"memory_ids": chosen})

    undone = daemon.call("person.undo_identification", scope=alice, **undo)
    again = _said(daemon, alice, f"{same} Really.", "Udo")

    other = undone["person"]["id"]
    assert (udo, other) == (again["id"], _said(daemon, alice, "Ines is late", "Ines")["id"])
    assert other != udo
    if is_whole:
        assert (ines, 1) == (other, undone["moved"])


def _audited(daemon: Daemon, method: str) -> list[tuple[list[str], str | None]]:
    """The people and the memory of each audit row of a method, newest first."""
    page = daemon.call("audit.list", limit=100)
    rows = page["entries"]
    while cursor := page["next_cursor"]:
        page = daemon.call("audit.list", limit=100, cursor=cursor)
        rows += page["entries"]
    return [(row["people"], row["memory"]) for row in rows if row["method"] == method]


def test_a_join_by_a_sentence_is_on_record_like_a_merge_and_so_is_its_undoing(
    daemon: Daemon, scope: Scope
) -> None:
    """The row names both people and the memory whose sentence joined them, and no words."""
    alice = scope()
    udo, ines = (_said(daemon, alice, f"{name} sings", name)["id"] for name in ("Udo", "Ines"))
    merges, splits = _audited(daemon, "person.merge"), _audited(daemon, "person.split")

    same = "Udo and Ines are the same person."
    added = daemon.call("memory.add", scope=alice, content=same, subjects=["Udo"])["memories"][0]

    [row] = daemon.call("audit.list", limit=2)["entries"][1:]
    assert ("person.merge", "ok", "operator") == (row["method"], row["outcome"], row["actor"])
    assert alice["user_id"] == row["account"]["user_id"]
    assert [([ines, udo], added["memory"]["id"]), *merges] == _audited(daemon, "person.merge")
    said = json.dumps(row)
    assert not [word for word in ("Udo", "Ines", "same") if word in said]

    daemon.call("person.undo_identification", scope=alice, person_id=udo, reference="Ines")
    assert [([ines, udo], None), *splits] == _audited(daemon, "person.split")


def test_a_merge_and_a_split_by_call_name_their_people(daemon: Daemon, scope: Scope) -> None:
    """Whoever reads the audit sees which people were one for how long."""
    alice = scope()
    udo, ines = (_said(daemon, alice, f"{name} sings", name)["id"] for name in ("Udo", "Ines"))

    daemon.call("person.merge", scope=alice, id=ines, into=udo)
    daemon.call("person.split", scope=alice, id=ines)

    assert ([ines, udo], None) == _audited(daemon, "person.merge")[0]
    assert ([ines, udo], None) == _audited(daemon, "person.split")[0]


def test_a_change_whose_sentence_joins_people_is_on_record(daemon: Daemon, scope: Scope) -> None:
    """A corrected memory teaches as a new one does."""
    alice = scope()
    udo, ines = (_said(daemon, alice, f"{name} sings", name)["id"] for name in ("Udo", "Ines"))
    first = daemon.call("memory.add", scope=alice, content="Udo paints", subjects=["Udo"])
    changes = {"content": "Udo and Ines are the same person.", "subjects": ["Udo"]}

    memory = first["memories"][0]["memory"]["id"]
    changed = daemon.call("memory.update", scope=alice, id=memory, changes=changes)

    assert ([ines, udo], changed["memory"]["id"]) == _audited(daemon, "person.merge")[0]


SEVERAL = [
    [("Tom and Anna are the same person. Tom and Bob are the same person.", ["Tom"])],
    [
        (
            "Tom and Anna are the same person. Bob and Cid are the same person.",
            ["Tom", "Bob"],
        )
    ],
    [
        ("Tom and Anna are the same person.", ["Tom"]),
        ("Bob and Cid are the same person.", ["Bob"]),
    ],
]


@pytest.mark.parametrize("facts", SEVERAL, ids=["sentence", "subjects", "batch"])
def test_a_call_joins_two_people_at_most(
    daemon: Daemon, scope: Scope, facts: list[tuple[str, list[str]]]
) -> None:
    """A text may be anybody's: what else it says of who is one is stored, and offered."""
    alice = scope()
    people = {
        name: _said(daemon, alice, f"{name} sings", name)["id"]
        for name in ("Tom", "Anna", "Bob", "Cid")
    }
    before = len(_audited(daemon, "person.merge"))

    given = [{"content": content, "subjects": subjects} for content, subjects in facts]
    added = daemon.call("memory.add", scope=alice, facts=given)["memories"]

    assert {"added"} == {entry["outcome"] for entry in added}
    assert 1 == len(_audited(daemon, "person.merge")) - before
    about = daemon.call("memory.list", scope=alice, about="Tom")["memories"]
    assert {"Tom sings", "Anna sings"} <= {memory["content"] for memory in about}
    assert people["Bob"] == _said(daemon, alice, "Bob is late", "Bob")["id"]
    offered = {other["id"] for entry in added for one in entry["people"] for other in one["may_be"]}
    assert offered & {people["Bob"], people["Cid"]}


def test_a_hint_joins_nobody_and_ends_nothing(daemon: Daemon, scope: Scope) -> None:
    """A sentence that is stored nowhere could not be found and undone."""
    alice = scope()
    two = [_said(daemon, alice, f"{name} sings", name)["id"] for name in ("Udo", "Ines")]
    coach = _said(daemon, alice, "Vera is my coach", "Vera")["id"]

    for reference, hint in (
        ("Udo", "Udo and Ines are the same person."),
        ("Vera", "Vera is no longer my coach."),
        ("Udo", "Udo took over from Vera as my coach."),
    ):
        daemon.call("person.resolve", scope=alice, reference=reference, content_hint=hint)

    found = [
        daemon.call("person.resolve", scope=alice, reference=name, create=False)["person_id"]
        for name in ("Udo", "Ines")
    ]
    assert two == found
    shown = daemon.call("person.get", scope=alice, id=coach)["person"]["relationships"]
    assert [False] == ["ended_at" in claim and bool(claim["ended_at"]) for claim in shown]


def test_a_join_that_its_text_quotes_is_none(daemon: Daemon, scope: Scope) -> None:
    """The text is stored; its sentence teaches nothing."""
    alice = scope()
    two = [_said(daemon, alice, f"{name} sings", name)["id"] for name in ("Udo", "Ines")]

    _said(daemon, alice, "> So: Udo and Ines are the same person.", "Udo")

    ids = [_said(daemon, alice, f"{name} is late", name)["id"] for name in ("Udo", "Ines")]
    assert two == ids


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("Stefan", "Stefan is my boss."),
        ("Stefan", "My new boss is Stefan."),
        ("Stefan", "I like Stefan, my boss."),
        ("my friend Stefan", "My friend Stefan is my boss."),
        ("Ann", "Ann is my ex-boss."),
    ],
)
def test_a_hint_takes_no_role_from_its_holder(
    daemon: Daemon, scope: Scope, reference: str, hint: str
) -> None:
    """The role moves if the sentence is stored; a hint alone changes nothing that is stored."""
    alice = scope()
    ann = _said(daemon, alice, "Ann is my boss", "Ann")["id"]

    def bosses() -> list[str]:
        listed = daemon.call("person.list", scope=alice)["people"]
        return [
            person["name"]
            for person in listed
            for claim in person["relationships"]
            if claim["relationship"] in {"boss", "new boss"} and claim["ended_at"] is None
        ]

    daemon.call("person.resolve", scope=alice, reference=reference, content_hint=hint)

    assert ["Ann"] == bosses()
    found = daemon.call("person.resolve", scope=alice, reference="my boss", create=False)
    assert ann == found["person_id"]

    _said(daemon, alice, hint, reference)
    assert ["Ann"] != bosses()


def test_a_reference_itself_may_move_a_role(daemon: Daemon, scope: Scope) -> None:
    """Whoever resolves "my boss Stefan" says that Stefan is the boss; no hint is needed."""
    alice = scope()
    _said(daemon, alice, "Ann is my boss", "Ann")

    named = daemon.call("person.resolve", scope=alice, reference="my boss Stefan")

    found = daemon.call("person.resolve", scope=alice, reference="my boss", create=False)
    assert named["person_id"] == found["person_id"]


def test_an_id_of_nobody_creates_no_person(daemon: Daemon, scope: Scope) -> None:
    """It is a mistake, not a name."""
    alice = scope()

    with pytest.raises(CallFailed) as failed:
        daemon.call("person.resolve", scope=alice, reference="0b5e3c1a-5d1c-4d51-9f4e-0a4f6c1f2d3e")

    assert "not_found" == failed.value.kind
    assert 0 == daemon.call("person.list", scope=alice)["total"]
