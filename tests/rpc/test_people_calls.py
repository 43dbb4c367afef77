"""person.*, and the people that memories are about. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def _resolve(daemon: Daemon, mine: dict[str, Any], reference: str, **params: Any) -> Any:
    return daemon.call("person.resolve", scope=mine, reference=reference, **params)


def test_the_first_mention_creates_and_a_later_one_finds(daemon: Daemon, scope: Scope) -> None:
    """The name comes from the reference (B5)."""
    mine = scope()

    first = _resolve(daemon, mine, "Sarah Jane")
    second = _resolve(daemon, mine, "sarah jane")

    assert first == {
        "person_id": first["person_id"],
        "person_name": "Sarah Jane",
        "created": True,
        "matched_by": "created",
        "may_be": [],
    }
    assert (second["person_id"], second["created"]) == (first["person_id"], False)


@pytest.mark.parametrize(
    "other", ["my wife", "the wife", "My Wife", "Sarah", "sarah", "my wife Sarah", "Sarah, my wife"]
)
def test_one_person_has_many_references(daemon: Daemon, scope: Scope, other: str) -> None:
    """Name, relationship and both together mean the same person (B3)."""
    mine = scope()
    wife = _resolve(daemon, mine, "my wife Sarah")

    assert _resolve(daemon, mine, other, create=False)["person_id"] == wife["person_id"]


def test_a_handle_means_its_person(daemon: Daemon, scope: Scope) -> None:
    """A handle matches with or without its sign, in any case (B3)."""
    mine = scope()
    first = _resolve(daemon, mine, "@Sally_K")

    assert first["created"] is True
    assert _resolve(daemon, mine, "@sally_k", create=False)["person_id"] == first["person_id"]


def test_the_hint_names_the_person(daemon: Daemon, scope: Scope) -> None:
    """ "My wife Sarah Jane loves…" says who "my wife" is (B5)."""
    mine = scope()

    wife = _resolve(daemon, mine, "my wife", content_hint="My wife Sarah Jane loves opera")

    assert wife["person_name"] == "Sarah Jane"
    assert _resolve(daemon, mine, "Sarah Jane", create=False)["person_id"] == wife["person_id"]


def test_a_relationship_stands_in_until_a_name_is_told(daemon: Daemon, scope: Scope) -> None:
    """The speaker's "my wife" and later Sarah are one person throughout (B5)."""
    mine = scope()

    wife = _resolve(daemon, mine, "my wife")
    named = daemon.call(
        "memory.add", scope=mine, content="my wife's name is Sarah", subjects=["my wife"]
    )["memories"][0]["people"]

    assert wife["person_name"] == "wife"
    assert named == [{"id": wife["person_id"], "name": "Sarah", "created": False, "may_be": []}]
    assert _resolve(daemon, mine, "Sarah", create=False)["person_id"] == wife["person_id"]


def test_nobody_is_created_when_that_is_not_wanted(daemon: Daemon, scope: Scope) -> None:
    """An unknown name is not_found, and stays so."""
    mine = scope()

    assert refusal(daemon, "person.resolve", scope=mine, reference="Xaver", create=False).kind == (
        "not_found"
    )
    assert daemon.call("person.list", scope=mine, query="Xaver")["people"] == []


def test_several_that_fit_are_ambiguous(daemon: Daemon, scope: Scope) -> None:
    """The error says who they are; nothing is created, nothing guessed (B6)."""
    mine = scope()
    ids = {
        _resolve(daemon, mine, reference)["person_id"]
        for reference in ("my sister Sarah Young", "my boss Sarah Old")
    }
    before = daemon.call("person.list", scope=mine)["people"]

    error = refusal(daemon, "person.resolve", scope=mine, reference="Sarah")
    adding = refusal(
        daemon, "memory.add", scope=mine, content="Sarah likes tea", subjects=["Sarah"]
    )
    searching = refusal(daemon, "memory.search", scope=mine, query="tea", about="Sarah")

    for caught in (error, adding, searching):
        assert caught.kind == "ambiguous"
        candidates = caught.data["candidates"]
        assert {candidate["id"] for candidate in candidates} == ids
        assert {candidate["name"] for candidate in candidates} == {"Sarah Young", "Sarah Old"}
    assert daemon.call("person.list", scope=mine)["people"] == before
    assert listed(daemon, scope=mine) == []


def test_two_users_my_wife_are_two_people(daemon: Daemon, scope: Scope) -> None:
    """Each user's "my wife" is a separate person (B4)."""
    one, other = scope(), scope()
    first = _resolve(daemon, one, "my wife Anna")

    second = _resolve(daemon, other, "my wife")

    assert second["created"] is True
    assert second["person_id"] != first["person_id"]
    assert refusal(daemon, "person.resolve", scope=other, reference="Anna", create=False).kind == (
        "not_found"
    )
    assert refusal(daemon, "person.get", scope=other, id=first["person_id"]).kind == "not_found"


@pytest.mark.parametrize("reference", ["Addison", "Mombasa", "Personne"])
def test_relationship_words_are_whole_words(daemon: Daemon, scope: Scope, reference: str) -> None:
    """Addison is nobody's son (B3)."""
    mine = scope()
    made = _resolve(daemon, mine, reference)

    person = daemon.call("person.get", scope=mine, id=made["person_id"])["person"]

    assert person["name"] == reference
    assert person["relationships"] == []


def test_a_person_shows_what_is_known(daemon: Daemon, scope: Scope) -> None:
    """Claims say who stated them and when; aliases who added them (B1)."""
    mine = scope()
    made = _resolve(daemon, mine, "my wife Sarah")
    _resolve(daemon, mine, "my wife Sarah Jane")

    person = daemon.call("person.get", scope=mine, id=made["person_id"][:12])["person"]

    assert person["id"] == made["person_id"]
    assert person["created_by"] == mine["user_id"]
    assert person["accounts"] == []
    assert person["merged_into"] is None
    assert person["metadata"] is None
    (claim,) = person["relationships"]
    assert claim["relationship"] == "wife"
    assert claim["stated_by"] == mine["user_id"]
    assert claim["created_at"].endswith("Z")
    names = {person["name"], *(alias["value"] for alias in person["aliases"])}
    assert names == {"Sarah", "Sarah Jane"}


def test_people_are_listed_the_last_spoken_of_first(daemon: Daemon, scope: Scope) -> None:
    """A query fits names, aliases and relationships; a limit cuts."""
    mine = scope()
    for reference in ("my wife Sarah", "Tom", "Ulla"):
        _resolve(daemon, mine, reference)
    _resolve(daemon, mine, "Tom")

    def names(**params: Any) -> list[str]:
        people = daemon.call("person.list", scope=mine, **params)["people"]
        return [person["name"] for person in people if person["created_by"]]

    assert names() == ["Tom", "Ulla", "Sarah"]
    assert names(query="sar") == ["Sarah"]
    assert names(query="wife") == ["Sarah"]
    assert names(query="nobody at all") == []
    assert len(daemon.call("person.list", scope=mine, limit=2)["people"]) == 2


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("person.resolve", {}),
        ("person.resolve", {"reference": ""}),
        ("person.resolve", {"reference": "   "}),
        ("person.resolve", {"reference": "@"}),
        ("person.resolve", {"reference": "x" * 201}),
        ("person.resolve", {"reference": 5}),
        ("person.resolve", {"reference": "Tom", "create": "no"}),
        ("person.resolve", {"reference": "Tom", "hint": "x"}),
        ("person.list", {"limit": 0}),
        ("person.list", {"limit": 101}),
        ("person.get", {}),
        ("person.get", {"id": "abc"}),
        ("person.get", {"id": "my wife"}),
    ],
    ids=str,
)
def test_bad_references_are_refused(
    daemon: Daemon, scope: Scope, method: str, params: dict[str, Any]
) -> None:
    """Each with invalid_params."""
    assert refusal(daemon, method, scope=scope(), **params).kind == "invalid_params"


# Whom a memory is about ---------------------------------------------------------------------------


def test_subjects_are_found_or_made_and_told(daemon: Daemon, scope: Scope) -> None:
    """Each once, in order, with whether they are new; results name the people (A8)."""
    mine = scope()

    first = daemon.call(
        "memory.add",
        scope=mine,
        content="Nora and Peter dance tango",
        subjects=["Nora", "Peter", "nora"],
    )["memories"][0]
    second = daemon.call(
        "memory.add", scope=mine, content="Peter hates mushrooms", subjects=["Peter"]
    )["memories"][0]
    (result,) = daemon.call("memory.search", scope=mine, query="who dances tango?", limit=1)[
        "results"
    ]

    assert [(person["name"], person["created"]) for person in first["people"]] == [
        ("Nora", True),
        ("Peter", True),
    ]
    assert first["memory"]["subject_person_ids"] == [person["id"] for person in first["people"]]
    assert second["people"] == [{**first["people"][1], "created": False}]
    assert result["about"] == ["Nora", "Peter"]
    assert result["trust"] == "hearsay"
    people = daemon.call("memory.get", scope=mine, id=first["memory"]["id"])["people"]
    assert [person["name"] for person in people] == ["Nora", "Peter"]


def test_me_is_the_speaker(daemon: Daemon, scope: Scope) -> None:
    """A fact about oneself is a fact, about others hearsay (A8)."""
    mine = scope(display_name="Ada Lovelace")

    entry = daemon.call("memory.add", scope=mine, content="I am left-handed", subjects=["me"])
    (result,) = daemon.call("memory.search", scope=mine, query="left-handed")["results"]

    assert [person["created"] for person in entry["memories"][0]["people"]] == [False]
    assert result["about"] == ["Ada Lovelace"]
    assert result["trust"] == "fact"


def test_about_filters_searches_and_lists(daemon: Daemon, scope: Scope) -> None:
    """A name or relationship selects only memories about that person."""
    mine = scope()
    add(daemon, "She likes Italian food", scope=mine, subjects=["my wife Sarah"])
    add(daemon, "He likes Thai food", scope=mine, subjects=["Tom"])
    add(daemon, "Food is on the table", scope=mine)

    for reference in ("my wife", "Sarah", "sarah"):
        assert found(daemon, "likes food", scope=mine, about=reference) == [
            "She likes Italian food"
        ]
        assert listed(daemon, scope=mine, about=reference) == ["She likes Italian food"]
    page = daemon.call("memory.list", scope=mine, about="Tom")
    assert (page["total"], page["notices"]) == (1, [])


def test_about_nobody_lists_nothing_and_says_so(daemon: Daemon, scope: Scope) -> None:
    """A search is unfiltered (D7), a list empty; the notice names similar people."""
    mine = scope()
    add(daemon, "She likes Italian food", scope=mine, subjects=["Sarah"])

    search = daemon.call("memory.search", scope=mine, query="Italian food", about="Wolfgang")
    page = daemon.call("memory.list", scope=mine, about="Wolfgang")

    for answer in (search, page):
        assert [notice["kind"] for notice in answer["notices"]] == ["about_not_found"]
    assert len(search["results"]) == 1
    assert (page["memories"], page["total"]) == ([], 0)
    similar = daemon.call("memory.list", scope=mine, about="Sara")["notices"][0]["message"]
    assert "Sarah (" in similar
    assert daemon.call("person.list", scope=mine, query="Wolfgang")["people"] == []


def test_subjects_can_be_changed(daemon: Daemon, scope: Scope) -> None:
    """Subjects change without a new memory; an empty list clears them."""
    mine = scope()
    memory = add(daemon, "Plays chess", scope=mine, subjects=["Nora"])

    def about(subjects: list[str]) -> list[str]:
        daemon.call("memory.update", scope=mine, id=memory["id"], changes={"subjects": subjects})
        people = daemon.call("memory.get", scope=mine, id=memory["id"])["people"]
        return [person["name"] for person in people]

    assert about(["Peter", "Nora"]) == ["Peter", "Nora"]
    assert about([]) == []


def test_a_known_person_is_found_without_the_right_to_write(daemon: Daemon, scope: Scope) -> None:
    """A search without the right to write creates nobody and learns nothing."""
    mine = scope()
    wife = _resolve(daemon, mine, "my wife Sarah")
    socket = daemon.call("grant.create", scope=mine, rights=["read"])["socket"]

    found = daemon.call("person.resolve", at=socket, reference="Sarah")
    again = daemon.call("person.resolve", at=socket, reference="my wife Sarah", create=True)[
        "created"
    ]
    refused = refusal(daemon, "person.resolve", at=socket, reference="Quentin")

    assert (found["person_id"], found["created"]) == (wife["person_id"], False)
    assert not again
    assert (refused.kind, refused.data["right"]) == ("denied", "write")


def test_finding_somebody_leaves_no_row(daemon: Daemon, scope: Scope) -> None:
    """The audit has a row for something learned, and none for somebody only found."""
    mine = scope()
    grant = daemon.call("grant.create", scope=mine)

    def rows() -> int:
        return len(daemon.call("audit.list", grant_id=grant["grant_id"])["entries"])

    daemon.call("person.resolve", at=grant["socket"], reference="my wife Sarah")
    created = rows()
    daemon.call("person.resolve", at=grant["socket"], reference="Sarah")
    found = rows()
    daemon.call("person.resolve", at=grant["socket"], reference="my wife Sarah Jane")

    assert (created, found, rows()) == (1, 1, 2)
