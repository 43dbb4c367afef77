"""Forgetting a person takes what names them without being linked, if asked to. Budget: 40 s."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asking import add, listed, refusal
from daemons import Daemon
from scanning import left_in
from scripted_model import daemon_with_model, running_endpoint

from tests.endpoint import Endpoint

Scope = Callable[..., dict[str, Any]]
FIRST, LAST, NICK = "Zanzibarella", "Quokkason", "Zazafluff"
NAME = f"{FIRST} {LAST}"
SUMMARY = {
    "overall": f"{NAME} moves to Lisbon.",
    "topics": ["a move"],
    "decisions": [],
    "key_dates": [],
    "action_items": [],
}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with running_endpoint() as made:
        yield made


@pytest.fixture(scope="module")
def learning(endpoint: Endpoint) -> Iterator[Daemon]:
    """A daemon with a language model, whose jobs run when they are flushed."""
    settings = "[memory]\nsummary_debounce_s = 3600\nextraction_enabled = false\n"
    with daemon_with_model(endpoint, settings, embedder="none") as daemon:
        yield daemon


def _known(daemon: Daemon, mine: dict[str, Any], name: str = NAME) -> str:
    number: str = daemon.call("person.resolve", scope=mine, reference=name)["person_id"]
    return number


def _forget(daemon: Daemon, mine: dict[str, Any], person: str, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = daemon.call(
        "memory.forget_person", scope=mine, person_id=person, erase=True, **more
    )
    return answer


def test_what_names_a_person_without_a_link_is_listed_and_taken(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """An erasure without mentions says what stays; with them it is gone, but for what is left."""
    daemon = new_daemon().start()
    mine = scope()
    person = _known(daemon, mine)
    texts = [f"Tea is for {NAME}", f"Lunch with {FIRST.upper()}'s cat", f"I met {NAME} in Rome"]
    ids = {add(daemon, text, scope=mine)["id"] for text in texts}
    assert all(not one["subject_person_ids"] for one in _memories(daemon, mine))
    add(daemon, "The kettle is blue", scope=mine)

    dry = _forget(daemon, mine, person, dry_run=True)
    assert set(dry["mentions"]["ids"]["memories"]) == ids
    assert dry["mentions"]["counts"] == {"memories": 3}
    assert dry["erased"] == 0
    dry = _forget(daemon, mine, person, dry_run=True, mentions=True)
    assert dry["erased"] == 3

    done = _forget(daemon, mine, person, mentions=True)

    assert (done["erased"], done["mentions"]) == (3, dry["mentions"])
    assert done["receipt"]["rows"] == dry["receipt"]["rows"]
    assert listed(daemon, scope=mine) == ["The kettle is blue"]
    assert left_in(daemon.home / "data", [FIRST, LAST]) == set()


def _memories(daemon: Daemon, mine: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.call("memory.list", scope=mine)["memories"]
    return found


def test_without_mentions_they_stay_and_are_listed(daemon: Daemon, scope: Scope) -> None:
    """The answer of the erasure itself counts them too."""
    mine = scope()
    person = _known(daemon, mine)
    memory = add(daemon, f"Tea is for {NAME}", scope=mine)

    done = _forget(daemon, mine, person)

    assert done["mentions"]["ids"] == {"memories": [memory["id"]]}
    assert listed(daemon, scope=mine) == [f"Tea is for {NAME}"]
    assert refusal(
        daemon, "memory.forget_person", scope=mine, person_id=person, mentions=True
    ).kind in {"invalid_params", "not_found"}


def test_every_kind_of_text_is_taken(learning: Daemon, endpoint: Endpoint, scope: Scope) -> None:
    """Turns, summaries, relations, entities, overrides and profiles; by an alias too."""
    mine = scope()
    person = _known(learning, mine)
    learning.call("person.add_alias", scope=mine, id=person, alias=NICK)
    endpoint.script("summarise", SUMMARY)
    said = [f"{NICK} told me about Lisbon", "I see", f"The move of {FIRST} is in May"]
    messages = [{"content": text, "at": f"2026-05-01T10:0{n}:00Z"} for n, text in enumerate(said)]
    learning.call("conversation.ingest", scope=mine, conversation_id="c", messages=messages)
    learning.call("jobs.flush")
    assert len(learning.call("summary.list", scope=mine)["summaries"]) == 1
    learning.call("graph.relate", scope=mine, source=NAME, relation="likes", target="Tea")
    learning.call("graph.relate", scope=mine, source="Tea", relation="kept by", target=NICK)
    learning.call(
        "graph.relate", scope=mine, source=f"{FIRST}'s bakery", relation="is in", target="Bern"
    )
    learning.call("override.add", scope=mine, content=f"Never call {NICK} late")
    learning.call("override.add", scope=mine, content="Be brief")
    learning.call("profile.set", scope=mine, text=f"A friend of {NAME}.")
    learning.call("profile.set", scope=mine, text="Lives in Bern.")
    add(learning, f"Coffee is for {NICK}", scope=mine)

    done = _forget(learning, mine, person, mentions=True)

    taken = done["mentions"]["counts"]
    assert taken["messages"] == 2
    assert taken["summaries"] == taken["memories"] == taken["overrides"] == 1
    assert taken["relations"] == 3
    assert taken["entities"] == 1
    assert taken["profile_versions"] == 1
    assert done["left"] == {"counts": {}, "ids": {}}
    kept = learning.call("conversation.get", scope=mine, conversation_id="c")["messages"]
    assert [one["content"] for one in kept] == ["I see"]
    assert learning.call("profile.get", scope=mine)["profile"]["text"] == "Lives in Bern."
    pinned = learning.call("override.list", scope=mine)["overrides"]
    assert [one["content"] for one in pinned] == ["Be brief"]
    assert left_in(learning.home / "data", [FIRST, LAST, NICK]) == set()


def test_namesakes_are_listed_and_never_taken(daemon: Daemon, scope: Scope) -> None:
    """What may be about somebody else of the name stays, and is listed; so is that person."""
    mine = scope()
    petra = _known(daemon, mine, "Petra Koch")
    other = _known(daemon, mine, "Petra Lang")
    texts = {
        "mention": "The move of Petra Koch to Bern",
        "perhaps": "Waited for Petra again",
        "unknown": "A call from Petra Schmidt",
        "family": "The Koch family has a dog",
    }
    ids = {what: add(daemon, text, scope=mine)["id"] for what, text in texts.items()}
    about = add(daemon, "She paints boats", scope=mine, subjects=["Petra Lang"])

    done = _forget(daemon, mine, petra, mentions=True)

    assert done["mentions"]["ids"] == {"memories": [ids["mention"]]}
    assert set(done["left"]["ids"]["memories"]) == {
        *(ids["perhaps"], ids["unknown"], ids["family"], about["id"])
    }
    assert done["left"]["ids"]["people"] == [other]
    assert {one["id"] for one in _memories(daemon, mine)} == {
        *(ids["perhaps"], ids["unknown"], ids["family"], about["id"])
    }
    assert daemon.call("person.get", scope=mine, id=other)["person"]["name"] == "Petra Lang"


def test_nothing_of_others_is_listed_or_taken(daemon: Daemon, scope: Scope) -> None:
    """The scope bounds what is looked through; the operator with all scopes sees everything."""
    mine, other = scope(), scope()
    person = _known(daemon, mine, "Ottokara Vimm")
    own = add(daemon, "Chess with Ottokara Vimm", scope=mine)
    theirs = add(daemon, "I heard Ottokara Vimm sing", scope=other)
    daemon.call(
        "conversation.ingest",
        scope=other,
        conversation_id="c",
        messages=[{"content": "Ottokara Vimm was here"}],
    )

    done = _forget(daemon, mine, person, dry_run=True)
    assert done["mentions"]["ids"] == {"memories": [own["id"]]}
    everything = _forget(daemon, mine, person, dry_run=True, all_scopes=True)
    assert set(everything["mentions"]["ids"]["memories"]) == {own["id"], theirs["id"]}
    assert everything["mentions"]["counts"]["messages"] == 1
    _forget(daemon, mine, person, mentions=True)

    assert listed(daemon, scope=other) == ["I heard Ottokara Vimm sing"]


def test_another_members_own_word_is_neither_listed_nor_taken(daemon: Daemon, scope: Scope) -> None:
    """In a group everybody reads it, but only its speaker may change it."""
    mine, other = scope(), scope()
    roster = [mine["user_id"], other["user_id"]]
    place = {"chat_id": f"g-{roster[0]}", "chat_type": "group", "participants": roster}
    person = _known(daemon, {**mine, **place}, "Ottokara Vimm")
    own = add(daemon, "I play chess with Ottokara Vimm", scope={**mine, **place})
    theirs = "I sing with Ottokara Vimm"
    add(daemon, theirs, scope={**other, **place})
    assert theirs in listed(daemon, scope={**mine, **place})

    done = _forget(daemon, {**mine, **place}, person, mentions=True)

    assert done["mentions"]["ids"] == {"memories": [own["id"]]}
    assert listed(daemon, scope={**mine, **place}) == [theirs]


def test_linked_memories_and_their_turns_are_gone_from_the_context(
    daemon: Daemon, scope: Scope
) -> None:
    """The prompt does not name whom the person wanted forgotten."""
    mine = scope()
    answer = daemon.call(
        "memory.add",
        scope=mine,
        content="My friend Petra Koch is moving to Bern",
        subjects=["my friend Petra Koch"],
    )
    person = answer["memories"][0]["people"][0]["id"]
    messages = [{"content": "Petra Koch told me about Bern."}]
    daemon.call("conversation.ingest", scope=mine, conversation_id="c", messages=messages)

    done = _forget(daemon, mine, person, mentions=True)

    assert done["mentions"]["counts"] == {"messages": 1}
    prompt = daemon.call("context.get", scope=mine, message="who moves to Bern?")["text"]
    assert "Petra" not in prompt


def test_what_goes_by_name_goes_with_a_person_known_by_memories_alone(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """The record goes with the last memory; until then its names are known to what needs them."""
    daemon = new_daemon().start()
    mine = scope()
    daemon.call("graph.add_entity", scope=mine, name=NAME, type="person")
    daemon.call("profile.set", scope=mine, text=f"A friend of {NAME}. Likes to sail.")
    add(daemon, "She paints boats", scope=mine, subjects=[NAME])
    add(daemon, f"Coffee is for {NAME}", scope=mine)

    dry = _forget(daemon, mine, _known(daemon, mine), mentions=True, dry_run=True)
    done = _forget(daemon, mine, _known(daemon, mine), mentions=True)

    assert done == dry
    assert listed(daemon, scope=mine) == []
    assert left_in(daemon.home / "data", [FIRST, LAST]) == set()


def test_entities_of_the_name_go_with_a_person_known_by_memories_alone(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """Without mentions too: of an entity that was there before the person was known."""
    daemon = new_daemon().start()
    mine = scope()
    daemon.call("graph.add_entity", scope=mine, name=NAME, type="person")
    add(daemon, "She paints boats", scope=mine, subjects=[NAME])

    done = _forget(daemon, mine, _known(daemon, mine))

    assert done["receipt"]["rows"]["entities"] == 1
    assert left_in(daemon.home / "data", [FIRST, LAST]) == set()
