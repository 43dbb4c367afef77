"""Entities and relations over the daemon. Budget: 10 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import refusal
from daemons import CallFailed, Daemon
from graph_words import found, group, relate

Scope = Callable[..., dict[str, Any]]


def test_a_relation_is_found_from_both_ends_and_two_steps_away(
    daemon: Daemon, scope: Scope
) -> None:
    """Every name of either end finds it, up to the requested number of steps."""
    mine = scope()
    relate(daemon, "Sarah / works at / Acme", scope=mine)
    relate(daemon, "Acme / based in / Rome", scope=mine)
    relate(daemon, "Nova / depends on / Postgres", scope=mine)

    near = {"Sarah works at Acme"}
    both = {*near, "Acme based in Rome"}
    assert found(daemon, scope=mine, name="sarah", depth=1) == near
    assert found(daemon, scope=mine, name="Sarah") == both
    assert found(daemon, scope=mine, name="Rome") == both
    assert found(daemon, scope=mine, name="Rome", direction="out") == set()
    assert found(daemon, scope=mine, name="Sarah", direction="out") == both
    deep = daemon.call("graph.search", scope=mine, name="Rome")["relations"]
    assert [entry["depth"] for entry in deep] == [1, 2]


def test_a_name_is_one_entity_however_often_it_is_stated(daemon: Daemon, scope: Scope) -> None:
    """Relations of the same name and type share it; another type is another thing."""
    mine = scope()
    first = relate(daemon, "Nova / depends on / Postgres", scope=mine)["relation"]
    second = relate(daemon, "Nova / depends on / Redis", scope=mine)["relation"]
    third = relate(daemon, "Nova / depends on / Kafka", scope=mine, source_type="company")[
        "relation"
    ]

    assert first["source"]["id"] == second["source"]["id"]
    assert first["source"]["id"] != third["source"]["id"]


def test_a_relation_is_found_by_itself(daemon: Daemon, scope: Scope) -> None:
    """Any spelling finds the relation; without a filter all are listed, newest first."""
    mine = scope()
    relate(daemon, "Sarah / works at / Acme", scope=mine)
    relate(daemon, "Bob / WORKS_AT / Initech", scope=mine)
    relate(daemon, "Bob / knows / Sarah", scope=mine)

    assert found(daemon, scope=mine, relation="Works at") == {
        "Sarah works at Acme",
        "Bob works at Initech",
    }
    listed = daemon.call("graph.search", scope=mine, limit=2)
    assert [entry["relation"] for entry in listed["relations"]] == ["knows", "works at"]
    assert listed["more"] is True


def test_an_entity_is_found_by_its_aliases_and_by_part_of_its_name(
    daemon: Daemon, scope: Scope
) -> None:
    """A whole word of it; a name that nothing has is told as such."""
    mine = scope()
    relate(daemon, "Sarah / works at / Acme Corporation", scope=mine)
    entity = daemon.call(
        "graph.add_entity",
        scope=mine,
        name="acme corporation",
        type="company",
        aliases=["The Anvil Makers"],
    )

    assert entity["outcome"] == "known"
    [audited] = daemon.call("audit.list", limit=1)["entries"]
    assert audited["method"] == "graph.add_entity"
    assert found(daemon, scope=mine, name="anvil makers") == {"Sarah works at Acme Corporation"}
    assert found(daemon, scope=mine, name="ACME") == {"Sarah works at Acme Corporation"}
    assert found(daemon, scope=mine, name="Corp") == set()
    nothing = daemon.call("graph.search", scope=mine, name="Corp")
    assert [notice["kind"] for notice in nothing["notices"]] == ["entity_not_found"]
    # What is stated by the alias is stated of the same company.
    relate(daemon, "Bob / works at / Anvil Makers", scope=mine)
    assert len(found(daemon, scope=mine, name="Acme Corporation")) == 2


def test_a_person_is_found_by_what_the_speaker_calls_them(daemon: Daemon, scope: Scope) -> None:
    """ "My wife" is Sarah, for the one who said so."""
    mine = scope()
    daemon.call(
        "memory.add", scope=mine, content="My wife Sarah likes tea", subjects=["my wife Sarah"]
    )
    relate(daemon, "Sarah / works at / Acme", scope=mine)

    assert found(daemon, scope=mine, name="my wife") == {"Sarah works at Acme"}


def test_many_values_stay_and_a_single_one_ends_the_former(daemon: Daemon, scope: Scope) -> None:
    """A person knows many people but lives in one place; the former place stays in the history."""
    mine = scope()
    relate(daemon, "Bob / knows / Carol", scope=mine)
    relate(daemon, "Bob / knows / Dave", scope=mine)
    first = relate(daemon, "Bob / lives in / Los Angeles", scope=mine, valid_from="2020-01-01")

    moved = relate(daemon, "Bob / lives in / Irvine", scope=mine, valid_from="2024-06-01")

    assert moved["ended"] == [first["relation"]["id"]]
    now = {"Bob knows Carol", "Bob knows Dave", "Bob lives in Irvine"}
    assert found(daemon, scope=mine, name="Bob") == now
    assert found(daemon, scope=mine, name="Bob", include_ended=True) == {
        *now,
        "Bob lives in Los Angeles",
    }
    ended = daemon.call("graph.search", scope=mine, name="Los Angeles", include_ended=True)
    assert "2024-06-01T00:00:00Z" in {entry["valid_until"] for entry in ended["relations"]}


def test_what_a_relation_has_many_of_can_be_said(daemon: Daemon, scope: Scope) -> None:
    """Two jobs can be stated as two; an unknown relation can have one value at a time."""
    mine = scope()
    relate(daemon, "Bob / works at / Acme", scope=mine)
    relate(daemon, "Bob / works at / Initech", scope=mine, single=False)
    relate(daemon, "Bob / drives / Volvo", scope=mine, single=True)
    relate(daemon, "Bob / drives / Fiat", scope=mine, single=True)

    assert found(daemon, scope=mine, name="Bob", depth=1) == {
        "Bob works at Acme",
        "Bob works at Initech",
        "Bob drives Fiat",
    }


def test_what_ended_and_is_asserted_again_holds_again(daemon: Daemon, scope: Scope) -> None:
    """A repeated relation is revived; if still active, only the stated fields change."""
    mine = scope()
    told = relate(daemon, "Bob / knows / Carol", scope=mine, confidence=0.5)
    again = relate(daemon, "Bob / knows / Carol", scope=mine, confidence=0.9)
    assert (again["outcome"], again["relation"]["id"]) == ("known", told["relation"]["id"])
    assert again["relation"]["confidence"] == pytest.approx(0.9)
    daemon.call("graph.end", scope=mine, id=told["relation"]["id"][:8])
    assert found(daemon, scope=mine, name="Bob") == set()

    revived = relate(daemon, "Bob / knows / Carol", scope=mine)

    assert revived["outcome"] == "revived"
    assert found(daemon, scope=mine, name="Bob") == {"Bob knows Carol"}


def test_the_past_can_be_asked_for(daemon: Daemon, scope: Scope) -> None:
    """A past time shows what held then; a future relation does not hold yet."""
    mine = scope()
    relate(daemon, "Bob / leads / Nova", scope=mine, valid_until="2099-12-31")
    relate(daemon, "Bob / leads / Vega", scope=mine, valid_from="2099-06-01")

    assert found(daemon, scope=mine, name="Bob") == {"Bob leads Nova"}
    assert len(found(daemon, scope=mine, name="Bob", as_of="2099-07-01")) == 2
    assert found(daemon, scope=mine, name="Bob", as_of="2100-07-01") == {"Bob leads Vega"}
    assert found(daemon, scope=mine, name="Bob", as_of="2020-01-01") == set()


def test_what_never_was_is_taken_away(daemon: Daemon, scope: Scope) -> None:
    """A relation alone, or an entity with all its relations."""
    mine = scope()
    wrong = relate(daemon, "Bob / knows / Carol", scope=mine)["relation"]
    relate(daemon, "Bob / works at / Acme", scope=mine)
    relate(daemon, "Carol / works at / Acme", scope=mine)

    assert daemon.call("graph.remove", scope=mine, id=wrong["id"])["kind"] == "relation"
    assert found(daemon, scope=mine, name="Bob", depth=1) == {"Bob works at Acme"}
    taken = daemon.call("graph.remove", scope=mine, id=wrong["source"]["id"][:8])
    assert taken == {"id": wrong["source"]["id"], "kind": "entity"}
    assert found(daemon, scope=mine, include_ended=True) == {"Carol works at Acme"}
    assert refusal(daemon, "graph.remove", scope=mine, id=wrong["id"]).kind == "not_found"


def test_what_was_told_in_private_stays_there(daemon: Daemon, scope: Scope) -> None:
    """Nobody else finds a private relation, by name, by relation or along a path."""
    alice, bob = scope(), scope()
    alice_there, bob_there = group(alice, bob)
    private = relate(daemon, "Sarah / works at / Acme", scope=alice)["relation"]
    relate(daemon, "Acme / based in / Rome", scope=alice_there)

    for asking in (bob, bob_there, alice_there):
        assert found(daemon, scope=asking, name="Sarah") == set()
        assert found(daemon, scope=asking, relation="works at") == set()
        assert found(daemon, scope=asking, name="Rome") == {"Acme based in Rome"}
        assert refusal(daemon, "graph.end", scope=asking, id=private["id"]).kind == "not_found"
    assert found(daemon, scope=alice, name="Sarah") == {
        "Sarah works at Acme",
        "Acme based in Rome",
    }


def test_a_label_holds_a_relation_as_it_holds_a_memory(daemon: Daemon, scope: Scope) -> None:
    """A sensitive one is never shown in the group; a personal one not to those who joined later."""
    alice, bob, carol = scope(), scope(), scope()
    alice_there, _ = group(alice, bob)
    relate(daemon, "Bob / treated for / depression", scope=alice_there)
    relate(daemon, "Bob / plans / surprise party", scope=alice_there, sensitivity="sensitive")
    relate(daemon, "Bob / leads / Nova", scope=alice_there)
    present = {"Bob treated for depression", "Bob leads Nova"}
    assert found(daemon, scope=alice_there, name="Bob") == present

    joined = {**alice_there, "participants": [m["user_id"] for m in (alice, bob, carol)]}

    assert found(daemon, scope={**joined, **carol}, name="Bob") == {"Bob leads Nova"}
    assert found(daemon, scope=joined, name="Bob") == {"Bob leads Nova"}
    assert found(daemon, scope=alice, name="Bob") == {*present, "Bob plans surprise party"}


def test_who_was_told_of_closely_can_be_told_of_openly(daemon: Daemon, scope: Scope) -> None:
    """A sensitive statement about somebody does not hide where they work."""
    alice, bob, carol = scope(), scope(), scope()
    alice_there, _, carol_there = group(alice, bob, carol)
    relate(daemon, "Dora / has / diabetes", scope=alice_there)

    relate(daemon, "Dora / works at / Acme", scope=alice_there)

    late = scope()
    members = [member["user_id"] for member in (alice, bob, carol, late)]
    assert found(daemon, scope={**carol_there, **late, "participants": members}, name="Dora") == {
        "Dora works at Acme"
    }
    assert found(daemon, scope=alice, name="Dora") == {"Dora has diabetes", "Dora works at Acme"}


def test_one_users_word_does_not_end_anothers(daemon: Daemon, scope: Scope) -> None:
    """Each user has their own value, and the group one more."""
    alice, bob = scope(), scope()
    alice_there, bob_there = group(alice, bob)
    relate(daemon, "Carol / lives in / Rome", scope=alice_there)

    other = relate(daemon, "Carol / lives in / Oslo", scope=bob_there)

    assert other["ended"] == []
    assert len(found(daemon, scope=alice_there, name="Carol")) == 2


@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({"target": " "}, "invalid_params"),
        ({"relation": "\n"}, "invalid_params"),
        ({"target": "AKIA7Q2ZLWVN4XK3RM5T"}, "content_refused"),
        ({"relation": "has the password", "target": "correct-horse-battery"}, "content_refused"),
        ({"confidence": 1.5}, "invalid_params"),
        ({"source_type": "planet"}, "invalid_params"),
        ({"valid_from": "soon, but not yet"}, "invalid_params"),
        ({"valid_from": "2025-01-01", "valid_until": "2024-01-01"}, "invalid_params"),
        ({"shared": True}, "invalid_params"),
    ],
)
def test_what_is_no_relation_is_refused(
    daemon: Daemon, scope: Scope, params: dict[str, Any], kind: str
) -> None:
    """A refused relation leaves nothing behind, not even its ends."""
    mine = scope()
    told = {"source": "Bob", "relation": "knows", "target": "Carol", **params}

    assert refusal(daemon, "graph.relate", scope=mine, **told).kind == kind
    assert daemon.call("graph.search", scope=mine, name="Bob")["entities"] == []


def test_a_name_of_several_kinds_of_things_is_asked_about(daemon: Daemon, scope: Scope) -> None:
    """An ambiguous name needs a type, from the relation or the caller."""
    mine = scope()
    daemon.call("graph.add_entity", scope=mine, name="Mercury", type="project")
    daemon.call("graph.add_entity", scope=mine, name="Mercury", type="place")

    asked = refusal(
        daemon, "graph.relate", scope=mine, source="Mercury", relation="likes", target="x"
    )

    assert asked.kind == "ambiguous"
    assert [entry["type"] for entry in asked.data["candidates"]] == ["place", "project"]
    led = relate(daemon, "Bob / leads / Mercury", scope=mine)
    assert led["relation"]["target"]["type"] == "project"
    seen = relate(daemon, "Bob / likes / Mercury", scope=mine, target_type="place")
    assert seen["relation"]["target"]["type"] == "place"


def test_a_sandbox_searches_and_does_not_tell(daemon: Daemon, scope: Scope) -> None:
    """A sandbox with the right to read searches in its scope, and cannot write."""
    mine = scope()
    relate(daemon, "Sarah / works at / Acme", scope=mine)
    reads = daemon.call("grant.create", scope=mine, rights=["read"])["socket"]
    elsewhere = daemon.call("grant.create", scope=scope(), rights=["read"])["socket"]

    assert found(daemon, at=reads, name="Acme") == {"Sarah works at Acme"}
    assert found(daemon, at=elsewhere, name="Acme") == set()
    with pytest.raises(CallFailed, match="method_not_found"):
        relate(daemon, "Sarah / works at / Initech", at=reads)
