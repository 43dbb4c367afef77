"""`ash person` against a daemon."""

from typing import Any

import pytest
from ash_runner import Ash


@pytest.fixture
def ash(daemon: Any, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


def test_a_person_is_created_by_the_first_mention_and_found_by_the_next(ash: Ash) -> None:
    """A person is found by relationship and by name."""
    created = ash("person", "resolve", "my", "wife", "--hint", "My wife Sarah loves tea", "--json")
    assert created.json["created"] is True
    found = ash("person", "resolve", "Sarah")
    assert found.out.startswith("Found Sarah")
    assert "To take it back" not in found.err
    assert created.json["person_id"] in found.out

    listed = ash("person", "list")
    assert "Sarah" in listed.out
    assert "wife of " in listed.out
    shown = ash("person", "show", created.json["person_id"][:8]).out
    assert shown.startswith("Sarah\n")
    assert "wife of " in shown


def test_somebody_unknown_can_be_asked_for_without_creating_them(ash: Ash) -> None:
    """The answer is "not found", and nobody was created."""
    done = ash("person", "resolve", "Zoe", "--no-create", "--json", fails=3)
    assert done.error["data"]["kind"] == "not_found"
    assert ash("person", "list", "Zoe", "--json").json["people"] == []


def test_who_was_created_by_a_question_is_said_and_can_be_taken_back(ash: Ash) -> None:
    """The suggested command works as printed."""
    created = ash("person", "resolve", "Quentin")
    undo = created.err.strip().rpartition("To take it back: ash ")[2]

    ash(*undo.split(), stdin="y\n")

    assert created.out.startswith("Created Quentin")
    assert ash("person", "list", "Quentin", "--json").json["people"] == []


def test_a_person_is_related_to_another(ash: Ash) -> None:
    """--to names the other person; `unrelate` with the same options ends it."""
    one, other = (
        ash("person", "resolve", name, "--json").json["person_id"] for name in ("Wanda", "Otto")
    )

    related = ash("person", "relate", one, "boss", "--to", other[:8], "--json").json["person"]
    ended = ash("person", "unrelate", one, "boss", "--to", other[:8], "--json").json["person"]

    assert [claim["relationship"] for claim in related["relationships"]] == ["boss"]
    assert len([c for c in ended["relationships"] if not c.get("ended_at")]) == 0


def test_who_may_be_the_same_is_suggested(ash: Ash) -> None:
    """Each pair with what speaks for it; nobody is merged."""
    ash("person", "resolve", "Tom", "Miller")
    other = ash("person", "resolve", "Zed", "--json").json["person_id"]
    ash("person", "add-alias", other, "Tom Miller")

    shown = ash("person", "duplicates")
    pairs = ash("person", "duplicates", "--json").json["pairs"]

    assert len(pairs) == 1
    assert pairs[0]["why"] in shown.out
    assert "1 pair." in shown.out + shown.err


def test_a_person_is_named_where_an_id_is_asked_for(ash: Ash) -> None:
    """A name or a relationship works; an unknown name creates nobody."""
    ash("memory", "add", "My sister Maren likes tea", "--subject", "my sister Maren")

    by_name = ash("person", "show", "Maren", "--json").json
    assert by_name == ash("person", "show", "my sister", "--json").json
    ash("person", "add-alias", "Maren", "Mimi")
    assert by_name["person"]["id"] == ash("person", "show", "Mimi", "--json").json["person"]["id"]
    assert "Nobody is known" in ash("person", "show", "Nadja", fails=3).err


def test_people_are_filtered_by_relationship_and_ordered(ash: Ash) -> None:
    """One relationship or a word for several; the order is the one asked for."""
    for words in (("my", "son", "Zeno"), ("my", "daughter", "Ada"), ("my", "boss", "Ines")):
        ash("person", "resolve", *words)

    family = ash("person", "list", "--relationship", "children", "--order", "name", "--json").json

    assert [person["name"] for person in family["people"]] == ["Ada", "Zeno"]
    assert "Ines" not in ash("person", "list", "--relationship", "children").out


def test_a_merge_is_looked_at_first(ash: Ash) -> None:
    """--dry-run shows the merged person and changes nothing."""
    one, other = (
        ash("person", "resolve", name, "--json").json["person_id"] for name in ("Til", "Tilman")
    )

    shown = ash("person", "merge", one, other, "--dry-run").out

    assert shown.startswith("Tilman\n")
    assert ash("person", "show", one, "--json").json["person"]["id"] == one


def test_chats_are_listed_with_counts(ash: Ash) -> None:
    """Without a chat, `participant list` shows the chats that there are; with one, its members."""
    ash("memory", "add", "The cellar is dry.")

    listed = ash("participant", "list", "--json").json

    assert any(chat["memories"] for chat in listed["chats"])
    assert "private" in ash("participant", "list").out
    ash("--chat", "choir", "memory", "add", "We sing on Fridays")
    members = ash("--chat", "choir", "participant", "list")
    assert [ash.account] == [line.split()[0] for line in members.out.splitlines()[1:]]


def test_a_split_says_what_could_not_be_parted(ash: Ash) -> None:
    """Memories that fit both people are named, with the third person whom they are about now."""
    boss, neighbour = (
        ash("person", "resolve", *name.split(), "--json").json["person_id"]
        for name in ("my boss Anna Lee", "my neighbour Anna Berg")
    )
    ash("person", "merge", neighbour, boss)
    unsure = ash("memory", "add", "She sings", "--subject", "Anna", "--json").json["memories"][0]

    done = ash("person", "split", neighbour)

    third = ash("memory", "show", unsure["memory"]["id"], "--json").json["people"][0]["id"]
    assert "which of the two is meant by: 1 memory, Anna." in done.err
    assert f"{ash.command} person show {third}" in done.err
    assert f"{ash.command} memory show {unsure['memory']['id'][:6]}" in done.err


def test_forgetting_with_mentions_lists_them_and_asks_first(ash: Ash) -> None:
    """What would go is listed before the question; after "no" nothing has changed."""
    person = ash("person", "resolve", "Ottilie Brummfeld", "--json").json["person_id"]
    memory = ash("memory", "add", "Chess with Ottilie Brummfeld", "--json").json
    number = memory["memories"][0]["memory"]["id"]
    forget = ("person", "forget", person, "--erase")

    assert "--erase" in ash("person", "forget", person, "--mentions", fails=2).err
    dry = ash(*forget, "--dry-run")
    assert f"stay (--mentions erases them):\n  memories: {number[:8]}" in dry.out
    asked = ash(*forget, "--mentions", stdin="n\n", fails=130)
    assert f"would be erased:\n  memories: {number[:8]}" in asked.err
    assert ash("memory", "show", number, "--json").json["memory"]["id"] == number
    done = ash(*forget, "--mentions", stdin="y\n")

    assert f"erased:\n  memories: {number[:8]}" in done.out
    ash("memory", "show", number, fails=3)
