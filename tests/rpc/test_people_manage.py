"""An operator's changes to people, and on whose behalf. Budget: 10 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]


def resolve(daemon: Daemon, scope: dict[str, Any], reference: str) -> str:
    """The id of the person that is meant."""
    found: str = daemon.call("person.resolve", scope=scope, reference=reference)["person_id"]
    return found


def person(daemon: Daemon, method: str, **params: Any) -> dict[str, Any]:
    """The person that a method of person.* answers with."""
    found: dict[str, Any] = daemon.call(f"person.{method}", **params)["person"]
    return found


def kind_of(daemon: Daemon, method: str, **params: Any) -> str:
    """The kind of error that a call ends with."""
    with pytest.raises(CallFailed) as failed:
        daemon.call(method, **params)
    assert failed.value.data["hint"]
    kind: str = failed.value.kind
    return kind


def aliases(shown: dict[str, Any]) -> set[str]:
    """The other names."""
    return {alias["value"] for alias in shown["aliases"]}


def current_relationships(shown: dict[str, Any]) -> set[str]:
    """The relationships that have not ended."""
    return {c["relationship"] for c in shown["relationships"] if c["ended_at"] is None}


def group(*scopes: dict[str, Any]) -> dict[str, Any]:
    """A group of its own with these users."""
    ids = [one["user_id"] for one in scopes]
    return {"chat_id": "+".join(ids), "chat_type": "group", "participants": ids}


def test_a_person_gets_another_name(daemon: Daemon, scope: Scope) -> None:
    """The new name is found; metadata stays until it is removed."""
    alice = scope()
    sara = resolve(daemon, alice, "Sara")

    named = person(daemon, "update", scope=alice, id=sara, name="Sarah", metadata={"vip": True})
    bare = person(daemon, "update", scope=alice, id=sara[:13], metadata=None)

    assert ("Sarah", {"vip": True}) == (named["name"], named["metadata"])
    assert ("Sarah", None) == (bare["name"], bare["metadata"])
    assert sara == resolve(daemon, alice, "Sarah")


def test_an_alias_is_added_and_taken_away(daemon: Daemon, scope: Scope) -> None:
    """An alias is found while it exists; every spelling of a word counts as one."""
    alice = scope()
    robert = resolve(daemon, alice, "Robert")

    for alias in ("Bobby", "bobby"):
        added = person(daemon, "add_alias", scope=alice, id=robert, alias=alias)
    found = resolve(daemon, alice, "BOBBY")
    removed = person(daemon, "remove_alias", scope=alice, id=robert, alias="bobby")

    assert {"Bobby"} == aliases(added)
    assert robert == found
    assert aliases(removed) == set()
    assert robert != resolve(daemon, alice, "Bobby")
    assert "not_found" == kind_of(
        daemon, "person.remove_alias", scope=alice, id=robert, alias="bobby"
    )


def test_relationships_have_one_word_each(daemon: Daemon, scope: Scope) -> None:
    """Synonyms give one relationship, to the user or to another person."""
    alice = scope()
    dan, zoe = resolve(daemon, alice, "Dan"), resolve(daemon, alice, "Zoe")

    person(daemon, "relate", scope=alice, id=dan, relationship="Coworker")
    related = person(daemon, "relate", scope=alice, id=dan, relationship="husband", to=zoe)
    ended = person(daemon, "unrelate", scope=alice, id=dan, relationship="colleague")

    assert {"colleague", "husband"} == current_relationships(related)
    assert {zoe} == {c["to"] for c in related["relationships"] if c["relationship"] == "husband"}
    assert {"husband"} == current_relationships(ended)
    assert dan == resolve(daemon, alice, "Zoe's husband")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("person.update", {"name": " "}),
        ("person.update", {}),
        ("person.add_alias", {"alias": "..."}),
        ("person.add_alias", {"alias": "she"}),
        ("person.add_alias", {"alias": "me"}),
        ("person.relate", {"relationship": "kids"}),
        ("person.relate", {"relationship": " "}),
    ],
)
def test_nonsense_is_refused(
    daemon: Daemon, scope: Scope, method: str, params: dict[str, Any]
) -> None:
    """Empty words and words for several people are invalid."""
    alice = scope()
    zoe = resolve(daemon, alice, "Zoe")

    assert "invalid_params" == kind_of(daemon, method, scope=alice, id=zoe, **params)


@pytest.mark.parametrize(
    ("method", "field"),
    [
        ("person.update", "name"),
        ("person.add_alias", "alias"),
        ("person.relate", "relationship"),
        ("person.update", "metadata"),
    ],
)
def test_secrets_are_refused(daemon: Daemon, scope: Scope, method: str, field: str) -> None:
    """Every method checks for secrets (A9)."""
    alice = scope()
    zoe = resolve(daemon, alice, "Zoe")
    secret: Any = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    value = {"note": secret} if field == "metadata" else secret

    assert "content_refused" == kind_of(daemon, method, scope=alice, id=zoe, **{field: value})


def test_another_users_contacts_are_not_there(daemon: Daemon, scope: Scope) -> None:
    """Alice's contact is an unknown id for Bob, in every method."""
    alice, bob = scope(), scope()
    hers, his = resolve(daemon, alice, "my wife Sarah"), resolve(daemon, bob, "Zoe")
    more: dict[str, dict[str, Any]] = {
        "get": {},
        "update": {"name": "X"},
        "add_alias": {"alias": "X"},
        "remove_alias": {"alias": "Sarah"},
        "relate": {"relationship": "wife"},
        "unrelate": {"relationship": "wife"},
        "merge": {"into": his},
        "split": {},
        "delete": {},
    }

    kinds = {
        method: kind_of(daemon, f"person.{method}", scope=bob, id=hers, **params)
        for method, params in more.items()
    }
    into = kind_of(daemon, "person.merge", scope=bob, id=his, into=hers)

    assert {"not_found"} == {*kinds.values(), into}


def test_what_one_says_of_oneself_stays(daemon: Daemon, scope: Scope) -> None:
    """Others can neither remove nor overwrite it; the person and an operator can (B8)."""
    alice, bob = scope(display_name="Alice"), scope(display_name="Bob")
    chat = group(alice, bob)
    bobs = resolve(daemon, {**bob, **chat}, "me")
    person(daemon, "add_alias", scope={**bob, **chat}, id=bobs, alias="Bobby")
    alices = resolve(daemon, {**alice, **chat}, "me")
    person(daemon, "relate", scope={**bob, **chat}, id=bobs, relationship="brother", to=alices)
    person(daemon, "add_alias", scope={**alice, **chat}, id=bobs, alias="Bobster")

    by_alice = {"scope": {**alice, **chat}, "id": bobs}
    kinds = [
        kind_of(daemon, "person.remove_alias", **by_alice, alias="Bobby"),
        kind_of(daemon, "person.unrelate", **by_alice, relationship="brother"),
        kind_of(daemon, "person.update", **by_alice, name="Robert"),
        kind_of(daemon, "person.delete", **by_alice),
    ]
    kept = person(daemon, "remove_alias", **by_alice, alias="Bobster")
    renamed = person(daemon, "update", scope={**bob, **chat}, id=bobs, name="Robert")
    removed = person(daemon, "remove_alias", scope=alice, all_scopes=True, id=bobs, alias="Bobby")

    assert ["denied"] * 4 == kinds
    assert {"Bobby"} == aliases(kept)
    assert {"brother"} == current_relationships(kept)
    assert "Robert" == renamed["name"]
    # The name that the provider shows belongs to the account.
    assert {"Bob"} == aliases(removed)


def test_a_merge_moves_everything_and_a_split_moves_it_back(daemon: Daemon, scope: Scope) -> None:
    """Between merge and split both ids mean one person, for memories too (B7)."""
    alice = scope()
    sara, sarah = resolve(daemon, alice, "Sara"), resolve(daemon, alice, "my wife Sarah")
    person(daemon, "add_alias", scope=alice, id=sara, alias="Sasa")
    memory = daemon.call("memory.add", scope=alice, content="Sara likes tea", subjects=["Sara"])
    memory_id = memory["memories"][0]["memory"]["id"]

    merged = person(daemon, "merge", scope=alice, id=sara, into=sarah)
    between = daemon.call("memory.get", scope=alice, id=memory_id)
    ways = {resolve(daemon, alice, word) for word in ("Sara", "Sasa", "my wife", "Sarah")}
    by_old_id = person(daemon, "get", scope=alice, id=sara)
    parted = person(daemon, "split", scope=alice, id=sara)
    after = daemon.call("memory.get", scope=alice, id=memory_id)

    assert sarah == merged["id"] == by_old_id["id"]
    assert {"Sara", "Sasa"} == aliases(merged)
    assert {sarah} == ways
    assert [sarah] == between["memory"]["subject_person_ids"]
    assert (sara, "Sara", {"Sasa"}) == (parted["id"], parted["name"], aliases(parted))
    assert [sara] == after["memory"]["subject_person_ids"]
    left = person(daemon, "get", scope=alice, id=sarah)
    assert aliases(left) == set()
    assert {"wife"} == current_relationships(left)
    assert "conflict" == kind_of(daemon, "person.split", scope=alice, id=sara)


def test_a_split_by_the_id_that_stands_undoes_the_latest(daemon: Daemon, scope: Scope) -> None:
    """A caller who only knows the remaining id can undo it too."""
    alice = scope()
    ids = [resolve(daemon, alice, name) for name in ("Ann", "Anna", "Annie")]
    for one in ids[1:]:
        person(daemon, "merge", scope=alice, id=one, into=ids[0])

    assert ids[2] == person(daemon, "split", scope=alice, id=ids[0])["id"]
    assert ids[1] == person(daemon, "split", scope=alice, id=ids[0])["id"]


def test_who_cannot_be_one_is_not_merged(daemon: Daemon, scope: Scope) -> None:
    """A person with itself, related people, and people with accounts."""
    alice, bob = scope(), scope()
    chat = group(alice, bob)
    ann, ben = resolve(daemon, alice, "Ann"), resolve(daemon, alice, "Ben")
    person(daemon, "relate", scope=alice, id=ben, relationship="brother", to=ann)
    bobs = resolve(daemon, {**bob, **chat}, "me")
    alices = resolve(daemon, {**alice, **chat}, "me")
    carl = resolve(daemon, {**alice, **chat}, "Carl")

    assert "conflict" == kind_of(daemon, "person.merge", scope=alice, id=ann, into=ann)
    assert "conflict" == kind_of(daemon, "person.merge", scope=alice, id=ann, into=ben)
    in_chat = {"scope": {**alice, **chat}}
    assert "denied" == kind_of(daemon, "person.merge", **in_chat, id=bobs, into=alices)
    assert "denied" == kind_of(daemon, "person.merge", **in_chat, id=bobs, into=carl)


def test_others_words_are_not_merged_away(daemon: Daemon, scope: Scope) -> None:
    """Only an operator can merge a person whom several users mentioned."""
    alice, bob = scope(), scope()
    chat = group(alice, bob)
    carl = resolve(daemon, {**alice, **chat}, "Carl")
    person(daemon, "add_alias", scope={**bob, **chat}, id=carl, alias="Charly")
    other = resolve(daemon, {**alice, **chat}, "Zoe")

    refused = kind_of(daemon, "person.merge", scope={**alice, **chat}, id=carl, into=other)
    deleted = kind_of(daemon, "person.delete", scope={**alice, **chat}, id=carl)
    merged = person(daemon, "merge", scope=alice, all_scopes=True, id=carl, into=other)

    assert ("denied", "denied") == (refused, deleted)
    assert {"Carl", "Charly"} == aliases(merged)


def test_a_deleted_person_leaves_no_name(daemon: Daemon, scope: Scope) -> None:
    """Memories stay hearsay about somebody, and are shown to nobody new."""
    alice = scope()
    dan = resolve(daemon, alice, "my friend Dan")
    daemon.call("memory.add", scope=alice, content="He keeps bees in Oslo", subjects=["Dan"])

    shown = person(daemon, "delete", scope=alice, id=dan)
    found = daemon.call("memory.search", scope=alice, query="Who keeps bees in Oslo?")["results"]

    assert "Dan" == shown["name"]
    assert ("hearsay", ["someone"]) == (found[0]["trust"], found[0]["about"])
    assert "not_found" == kind_of(daemon, "person.get", scope=alice, id=dan)
    again = daemon.call("person.resolve", scope=alice, reference="Dan")
    assert again["created"]
    assert dan != again["person_id"]


def test_who_has_an_account_is_not_deleted(daemon: Daemon, scope: Scope) -> None:
    """An account needs its user's person."""
    alice = scope()
    own = resolve(daemon, alice, "me")

    assert "denied" == kind_of(daemon, "person.delete", scope=alice, id=own)
    assert "denied" == kind_of(daemon, "person.delete", scope=alice, all_scopes=True, id=own)


def test_duplicates_are_suggested_never_made(daemon: Daemon, scope: Scope) -> None:
    """Equal names, or one within the other, among one user's people; nobody is merged."""
    alice = scope()
    sara = resolve(daemon, alice, "Sara")
    wife = resolve(daemon, alice, "my wife Sarah")
    person(daemon, "add_alias", scope=alice, id=sara, alias="Sarah")
    lee, coworker = (
        resolve(daemon, alice, "my boss Ben Lee"),
        resolve(daemon, alice, "my coworker Ben"),
    )
    resolve(daemon, alice, "Zoe")

    found = daemon.call("person.duplicates", scope=alice)["pairs"]

    pairs = [({p["id"] for p in pair["people"]}, pair["why"]) for pair in found]
    assert [
        ({sara, wife}, "the same name"),
        ({lee, coworker}, "one name is part of the other"),
    ] == pairs
    assert {sara, wife} <= {p["id"] for p in daemon.call("person.list", scope=alice)["people"]}


def test_the_doctor_counts_people_who_may_be_one(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """The doctor counts over all scopes, by the evidence of the suggestions; the remedy shows
    them."""
    daemon, alice, bob = new_daemon().start(), scope(), scope()

    def counted() -> list[str]:
        found = daemon.call("db.check")["findings"]
        return [one["detail"] for one in found if one["name"] == "same_people"]

    resolve(daemon, alice, "my boss Ben Lee")
    resolve(daemon, bob, "Ben Lee")
    assert [] == counted()
    resolve(daemon, alice, "my coworker Ben")
    resolve(daemon, bob, "Catherine")
    resolve(daemon, bob, "my aunt Katherine")

    (detail,) = counted()
    assert detail.startswith("2 pairs")


def test_two_users_sarahs_are_no_duplicates(daemon: Daemon, scope: Scope) -> None:
    """A name that two users use is no evidence, even over all scopes."""
    alice, bob = scope(), scope()
    hers, his = resolve(daemon, alice, "my wife Xanthippe"), resolve(daemon, bob, "Xanthippe")

    found = daemon.call("person.duplicates", all_scopes=True, limit=100)["pairs"]

    assert {hers, his} not in [{p["id"] for p in pair["people"]} for pair in found]


def test_a_sandbox_manages_nobody(daemon: Daemon, scope: Scope) -> None:
    """Every method that changes people or chats is the operator's alone."""
    alice = scope()
    sara = resolve(daemon, alice, "Sara")
    grant = daemon.call("grant.create", scope=alice, rights=["read", "write", "forget"])
    socket = grant["socket"]
    methods = ["update", "add_alias", "remove_alias", "relate", "unrelate", "merge", "split"]
    methods += ["link_account", "unlink_account", "delete", "duplicates"]

    kinds = set()
    for name in [*(f"person.{m}" for m in methods), "chat.join", "chat.leave", "chat.list"]:
        with pytest.raises(CallFailed) as failed:
            daemon.call(name, at=socket, id=sara)
        kinds.add(failed.value.kind)

    assert {"method_not_found"} == kinds
