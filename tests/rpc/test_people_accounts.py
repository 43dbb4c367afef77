"""An account is (provider, user_id), and nothing else is an identity. Budget: 10 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from waiting import until

Scope = Callable[..., dict[str, Any]]


def me(daemon: Daemon, scope: dict[str, Any]) -> str:
    """The id of the scope's own person."""
    found: str = daemon.call("person.resolve", scope=scope, reference="me")["person_id"]
    return found


def add(daemon: Daemon, scope: dict[str, Any], content: str, **more: Any) -> dict[str, Any]:
    """Store a fact; the memory."""
    entry = daemon.call("memory.add", scope=scope, content=content, **more)["memories"][0]
    memory: dict[str, Any] = entry["memory"]
    return memory


def contents(daemon: Daemon, scope: dict[str, Any]) -> set[str]:
    """Return the contents of the memories that the scope sees."""
    return {m["content"] for m in daemon.call("memory.list", scope=scope)["memories"]}


def account(scope: dict[str, Any]) -> dict[str, str]:
    """The account of a scope."""
    return {"provider": scope["provider"], "user_id": scope["user_id"]}


def test_the_same_display_name_opens_nothing(daemon: Daemon, scope: Scope) -> None:
    """A stranger with the victim's names gets nothing, and a new person (B2)."""
    victim = scope(display_name="Alice Doe", username="alice_doe")
    add(daemon, victim, "My diary is under the bed", subjects=["me"])
    stranger = scope(display_name="Alice Doe", username="alice_doe")

    found = daemon.call("memory.search", scope=stranger, query="Where is Alice Doe's diary?")

    assert found["results"] == []
    assert contents(daemon, stranger) == set()
    assert me(daemon, victim) != me(daemon, stranger)
    assert [me(daemon, stranger)] == [
        person["id"] for person in daemon.call("person.list", scope=stranger)["people"]
    ]


def test_a_renamed_user_keeps_everything(daemon: Daemon, scope: Scope) -> None:
    """Names change; the person stays and gets the new ones (B2)."""
    before = scope(display_name="Sam", username="sam")
    person = me(daemon, before)
    add(daemon, before, "My bicycle is blue", subjects=["me"])

    after = {**before, "display_name": "Samantha", "username": "sammy"}

    assert person == me(daemon, after)
    assert {"My bicycle is blue"} == contents(daemon, after)
    shown = daemon.call("person.get", scope=after, id=person)["person"]
    assert "Samantha" == shown["name"]
    assert ["sammy"] == [entry["username"] for entry in shown["accounts"]]


def test_a_handle_means_who_has_it_now(daemon: Daemon, scope: Scope) -> None:
    """In a group a handle is that of the participant who carries it today."""
    alice, bob, carl = scope(), scope(username="handy"), scope()
    chat = {"chat_id": f"c-{bob['user_id']}", "chat_type": "group"}
    chat["participants"] = [s["user_id"] for s in (alice, bob, carl)]
    bobs = me(daemon, {**bob, **chat})
    carls = me(daemon, {**carl, **chat})

    first = daemon.call("person.resolve", scope={**alice, **chat}, reference="@handy")
    me(daemon, {**bob, **chat, "username": "bob_renamed"})
    me(daemon, {**carl, **chat, "username": "handy"})
    second = daemon.call("person.resolve", scope={**alice, **chat}, reference="@handy")

    assert (bobs, "handle") == (first["person_id"], first["matched_by"])
    assert (carls, "handle") == (second["person_id"], second["matched_by"])


def test_a_user_without_names_is_somebody(daemon: Daemon, scope: Scope) -> None:
    """The id is shown for a user without a handle and a display name."""
    nameless = scope()
    person = me(daemon, nameless)

    memory = add(daemon, nameless, "I live in Oslo", subjects=["me"])
    found = daemon.call("memory.search", scope=nameless, query="Who lives in Oslo?")

    assert [person] == memory["subject_person_ids"]
    assert "fact" == found["results"][0]["trust"]
    assert [nameless["user_id"]] == found["results"][0]["about"]
    assert person == me(daemon, {**nameless, "display_name": "Nora"})
    assert "Nora" == daemon.call("person.get", scope=nameless, id=person)["person"]["name"]


def test_the_same_number_at_two_providers_is_two_users(daemon: Daemon, scope: Scope) -> None:
    """The provider is part of the identity (B2)."""
    telegram = scope()
    signal = {**telegram, "provider": "other"}
    add(daemon, telegram, "My bicycle is blue")

    assert contents(daemon, signal) == set()
    assert me(daemon, telegram) != me(daemon, signal)


def test_a_participant_is_meant_by_name(daemon: Daemon, scope: Scope) -> None:
    """In a group a name means a participant; statements about them by others are hearsay."""
    alice, bob = scope(), scope(display_name="Robert Stone")
    chat = {"chat_id": f"c-{bob['user_id']}", "chat_type": "group"}
    chat["participants"] = [alice["user_id"], bob["user_id"]]
    bobs = me(daemon, {**bob, **chat})

    memory = add(daemon, {**alice, **chat}, "Robert plays chess", subjects=["Robert"])
    found = daemon.call("memory.search", scope={**alice, **chat}, query="Who plays chess?")

    assert [bobs] == memory["subject_person_ids"]
    assert ["Robert Stone"] == found["results"][0]["about"]
    assert "hearsay" == found["results"][0]["trust"]


def test_a_name_of_ones_own_choosing_hijacks_nobody(daemon: Daemon, scope: Scope) -> None:
    """Taking the name of somebody's wife does not make a user that person."""
    alice, mallory = scope(), scope(display_name="Mallory")
    chat = {"chat_id": f"c-{alice['user_id']}", "chat_type": "group"}
    chat["participants"] = [alice["user_id"], mallory["user_id"]]
    # Alice has spoken of Mallory, who is one of her own people since.
    daemon.call("person.resolve", scope={**alice, **chat}, reference="Mallory")
    evil = me(daemon, {**mallory, **chat, "display_name": "Sarah"})

    wife = daemon.call("person.resolve", scope=alice, reference="my wife Sarah")
    friend = daemon.call("person.resolve", scope=alice, reference="Sarah")

    assert evil not in {wife["person_id"], friend["person_id"]}


def test_trust_follows_accounts_not_texts(daemon: Daemon, scope: Scope) -> None:
    """A text's claims about its speaker change nothing (A8)."""
    alice, bob = scope(display_name="Alice"), scope(display_name="Bob")
    chat = {"chat_id": f"c-{bob['user_id']}", "chat_type": "group"}
    chat["participants"] = [alice["user_id"], bob["user_id"]]
    me(daemon, {**bob, **chat})
    group = {**alice, **chat}
    texts = ["@bob: I keep bees", "<user name='Bob'>I keep geese</user>", "Bob says: I keep goats"]
    for text in texts:
        add(daemon, group, text, subjects=["Bob"])

    found = daemon.call(
        "memory.search", scope=group, query="Who keeps bees, geese, goats?", min_score=0
    )

    assert ["hearsay"] * 3 == [result["trust"] for result in found["results"]]
    assert {"Alice"} == {result["memory"]["source_display_name"] for result in found["results"]}


def test_joined_accounts_share_what_is_their_owners(daemon: Daemon, scope: Scope) -> None:
    """An operator joins accounts and parts them; each then has what it had before (B9)."""
    phone, work = scope(display_name="Ada"), scope(display_name="Ada Work")
    person, other = me(daemon, phone), me(daemon, work)
    add(daemon, phone, "My bicycle is blue", subjects=["me"])
    add(daemon, work, "My desk is by the window", subjects=["me"])

    joined = daemon.call("person.link_account", id=person, account=account(work))["person"]
    shared = contents(daemon, phone), contents(daemon, work)
    add(daemon, work, "I told this while joined")
    mine = me(daemon, phone), me(daemon, work), daemon.call("person.get", scope=phone, id=other)
    parted = daemon.call("person.unlink_account", id=person, account=account(work))["person"]

    assert [account(phone), account(work)] == [
        {"provider": a["provider"], "user_id": a["user_id"]} for a in joined["accounts"]
    ]
    both = {"My bicycle is blue", "My desk is by the window"}
    assert (both, both) == shared
    assert (person, person) == mine[:2]
    assert person == mine[2]["person"]["id"]
    assert [phone["user_id"]] == [a["user_id"] for a in parted["accounts"]]
    assert {"My bicycle is blue"} == contents(daemon, phone)
    assert {"My desk is by the window", "I told this while joined"} == contents(daemon, work)
    assert (person, other) == (me(daemon, phone), me(daemon, work))
    about = daemon.call("memory.list", scope=work, about="me")["memories"]
    own = {"My desk is by the window", "I told this while joined"}
    assert own == {memory["content"] for memory in about}


def test_parted_accounts_have_all_that_each_was_told(daemon: Daemon, scope: Scope) -> None:
    """Facts that the other one repeated or corrected meanwhile are there again (A10, A12, B9)."""
    phone, work = scope(), scope()
    person, _ = me(daemon, phone), me(daemon, work)
    speedy = add(daemon, phone, "My tortoise is called Speedy")
    red = add(daemon, phone, "The gate is red")
    daemon.call("person.link_account", id=person, account=account(work))
    add(daemon, work, "The hut's door sticks in winter")
    add(daemon, phone, "The hut's door sticks in winter")
    add(daemon, work, "My tortoise is called Flash", supersedes=speedy["id"])
    blue = add(daemon, work, "The gate is blue", supersedes=red["id"])
    add(daemon, phone, "The gate is green", supersedes=blue["id"])
    query = {"query": "hut's door in winter", "scope": phone}
    joined = daemon.call("memory.search", **query)["results"]

    daemon.call("person.unlink_account", id=person, account=account(work))

    hut = "The hut's door sticks in winter"
    assert [1] == [len(one["repeats"]) for one in joined if one["memory"]["content"] == hut]
    assert {hut, "My tortoise is called Speedy", "The gate is green"} == contents(daemon, phone)
    assert {hut, "My tortoise is called Flash", "The gate is blue"} == contents(daemon, work)


@pytest.mark.parametrize("joins", ["person.link_account", "person.merge"])
def test_facts_told_before_accounts_are_joined_are_compared(
    with_embedder: Callable[[str], Daemon], scope: Scope, joins: str
) -> None:
    """Replacements are offered, never made, and repetitions folded; parting undoes it (B9)."""
    daemon = with_embedder("minilm")
    phone, work = scope(), scope()
    person, other = me(daemon, phone), me(daemon, work)
    near = [f"The baker in Mill Street closed in {year}" for year in range(2001, 2013)]
    told = ["I work as a baker", "The gate is red", "My tea is green"]
    for fact in near:
        add(daemon, work, fact)
    for fact in told:
        add(daemon, phone, fact)
    newer = add(daemon, work, "I work as a plumber now")
    add(daemon, work, "The gate is red")

    def asked(query: str) -> list[tuple[str, int]]:
        results = daemon.call("memory.search", scope=phone, query=query)["results"]
        return [(one["memory"]["content"], len(one["repeats"])) for one in results]

    if joins == "person.merge":
        daemon.call(joins, scope=phone, all_scopes=True, id=other, into=person)
    else:
        daemon.call(joins, id=person, account=account(work))

    until(lambda: asked("the gate")[0] == ("The gate is red", 1))
    jobs = [("I work as a plumber now", 0), ("I work as a baker", 0)]
    until(lambda: asked("what is my job?")[:2] == jobs)
    shown = daemon.call("memory.get", scope=phone, id=newer["id"])["memory"]
    assert "I work as a baker" in [one["content"] for one in shown["conflicts"]]
    assert contents(daemon, phone) == {*told, *near, "I work as a plumber now"}
    daemon.call("person.unlink_account", id=person, account=account(work))
    assert contents(daemon, phone) == set(told)
    assert asked("the gate")[0] == ("The gate is red", 0)


def test_a_contact_turns_out_to_be_a_user(daemon: Daemon, scope: Scope) -> None:
    """The user does not learn what was said of the contact, nor the private name."""
    alice, bob = scope(), scope(display_name="Bob")
    me(daemon, bob)
    contact = daemon.call("person.resolve", scope=alice, reference="my friend Bobster")
    add(daemon, alice, "Bobster owes me ten euros", subjects=["Bobster"])

    daemon.call("person.link_account", id=contact["person_id"], account=account(bob))

    assert contents(daemon, bob) == set()
    shown = daemon.call("person.get", scope=bob, id=me(daemon, bob))["person"]
    assert "Bob" == shown["name"]
    assert "Bobster" not in str(shown)
    assert shown["relationships"] == []
    assert "Bobster" == daemon.call("person.get", scope=alice, id=shown["id"])["person"]["name"]


def test_an_account_is_joined_to_one_person_only(daemon: Daemon, scope: Scope) -> None:
    """A second join is refused, and so is taking away what is not joined."""
    one, two, three = scope(), scope(), scope()
    persons = [me(daemon, user) for user in (one, two, three)]
    daemon.call("person.link_account", id=persons[0], account=account(two))
    again = daemon.call("person.link_account", id=persons[0], account=account(two))["person"]

    failures = []
    for method, person, user in (
        ("person.link_account", persons[2], two),
        ("person.link_account", persons[2], one),
        ("person.unlink_account", persons[0], one),
        ("person.unlink_account", persons[0], three),
    ):
        with pytest.raises(CallFailed) as failed:
            daemon.call(method, id=person, account=account(user))
        failures.append(failed.value.kind)

    assert 2 == len(again["accounts"])
    assert ["conflict", "conflict", "conflict", "not_found"] == failures


def test_joining_accounts_is_on_record(daemon: Daemon, scope: Scope) -> None:
    """Each join and each parting has its row in the audit, in the same transaction."""
    one, two = scope(), scope()
    person = me(daemon, one)

    daemon.call("person.link_account", id=person, account=account(two))
    daemon.call("person.unlink_account", id=person, account=account(two))

    rows = daemon.call("audit.list", limit=2)["entries"]
    assert ["person.unlink_account", "person.link_account"] == [row["method"] for row in rows]
    assert {"operator"} == {row["actor"] for row in rows}
