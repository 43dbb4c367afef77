"""The effect of a new fact on old ones, over the daemon, with each embedder. Budget: 15 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import Daemon
from waiting import until

Scope = Callable[..., dict[str, Any]]


def tell(daemon: Daemon, content: str, **fields: Any) -> tuple[str, list[str]]:
    """(outcome, contents of what was superseded) of one fact."""
    entry = daemon.call("memory.add", content=content, **fields)["memories"][0]
    scope = fields["scope"]
    gone = [
        daemon.call("memory.get", scope=scope, id=number)["memory"]["content"]
        for number in entry["superseded"]
    ]
    return entry["outcome"], gone


# Pairs (A11) --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I am allergic to peanuts", "I am allergic to shellfish"),
        ("I know Docker", "I know Kubernetes"),
        ("My daughter is called Emma", "My son is called Noah"),
        ("I have a daughter Emma", "I have a son Noah"),
        ("I like cats", "I like dogs"),
        ("allergic to peanuts", "allergic to shellfish"),
        ("knows Docker", "knows Kubernetes"),
        ("daughter Emma", "son Noah"),
        ("likes cats", "likes dogs"),
    ],
)
def test_what_may_both_be_true_stays(any_daemon: Daemon, scope: Scope, old: str, new: str) -> None:
    """The pairs of row A11 that are no conflicts: both stay active, with every embedder."""
    mine = scope()

    assert tell(any_daemon, old, scope=mine) == ("added", [])
    assert tell(any_daemon, new, scope=mine) == ("added", [])
    assert listed(any_daemon, scope=mine) == [new, old]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My favourite colour is red", "My favourite colour is blue"),
        ("favourite colour is red", "favourite colour is blue"),
    ],
)
def test_a_plain_correction_takes_the_place_of_the_old(
    any_daemon: Daemon, scope: Scope, old: str, new: str
) -> None:
    """The same sentence with another value, of which there is one: the old one is hidden."""
    mine = scope()
    tell(any_daemon, old, scope=mine)

    assert tell(any_daemon, new, scope=mine) == ("added", [old])
    assert listed(any_daemon, scope=mine) == [new]
    assert found(any_daemon, old, scope=mine, min_score=0) in ([new], [])
    assert listed(any_daemon, scope=mine, include_superseded=True) == [new, old]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Los Angeles", "I live in Irvine now"),
        ("I live in Los Angeles", "I moved to Irvine"),
        ("lives in Los Angeles", "moved to Irvine"),
    ],
)
def test_a_move_hides_nothing_and_is_never_silently_both(
    with_embedder: Callable[[str], Daemon], scope: Scope, old: str, new: str
) -> None:
    """Both stay; the caller is asked, the newer one comes first, and the older one is marked."""
    daemon, mine = with_embedder("minilm"), scope()
    first = add(daemon, old, scope=mine)

    entry = daemon.call("memory.add", scope=mine, content=new)["memories"][0]

    assert entry["superseded"] == []
    assert [one["content"] for one in entry["may_replace"]] == [old]
    assert 0.5 < entry["may_replace"][0]["likelihood"] <= 1
    assert listed(daemon, scope=mine) == [new, old]
    where = "where do I live?"
    results = daemon.call("memory.search", scope=mine, query=where)["results"]
    assert [one["memory"]["content"] for one in results] == [new, old]
    assert [[ref["relation"] for ref in one["conflicts"]] for one in results] == [
        ["older"],
        ["newer"],
    ]
    block = daemon.call("context.get", scope=mine, message=where)["text"]
    assert block.count("earlier; perhaps replaced by what was told on") == 1
    pair = {"id": entry["memory"]["id"], "superseded_id": first["id"]}
    daemon.call("memory.supersede", scope=mine, **pair, verdict="both")
    assert not daemon.call("memory.get", scope=mine, id=first["id"])["memory"]["conflicts"]
    assert daemon.call("memory.conflicts", scope=mine)["conflicts"] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Berlin.", "My brother lives in Hamburg."),
        ("My favourite colour is blue.", "Anna's favourite colour is green."),
        ("I weigh 82 kg.", "My wife weighs 61 kg."),
        ("I am allergic to peanuts.", "Lena is allergic to peanuts."),
        ("I drink my coffee with milk.", "Tom drinks his coffee black."),
        ("The user prefers dark mode.", "The user's wife prefers light mode."),
        ("Maria was born in 1958.", "Maria's brother was born in 1961."),
        ("Anna works at Siemens.", "Peter works at Bosch."),
        ("The staging database is on port 5432.", "The production database is on port 6543."),
    ],
)
def test_facts_about_others_stay_apart(
    any_daemon: Daemon, scope: Scope, old: str, new: str
) -> None:
    """Without `subjects`, the words say whom a fact is about: no true fact is lost."""
    mine = scope()
    tell(any_daemon, old, scope=mine)

    assert tell(any_daemon, new, scope=mine) == ("added", [])
    assert listed(any_daemon, scope=mine) == [new, old]


def test_named_subjects_keep_facts_apart(any_daemon: Daemon, scope: Scope) -> None:
    """The same attribute of two people; then another value for one of them."""
    mine = scope()
    tell(any_daemon, "Her favourite colour is red", scope=mine, subjects=["Anna"])
    assert tell(any_daemon, "Favourite colour is green", scope=mine, subjects=["Bert"]) == (
        "added",
        [],
    )

    new = tell(any_daemon, "Her favourite colour is blue", scope=mine, subjects=["Anna"])

    assert new == ("added", ["Her favourite colour is red"])
    assert sorted(listed(any_daemon, scope=mine)) == [
        "Favourite colour is green",
        "Her favourite colour is blue",
    ]


def test_another_user_is_another_scope(any_daemon: Daemon, scope: Scope) -> None:
    """Nobody's fact is touched by what somebody else says."""
    mine, other = scope(), scope()
    tell(any_daemon, "My favourite colour is red", scope=mine)

    assert tell(any_daemon, "My favourite colour is blue", scope=other) == ("added", [])
    assert listed(any_daemon, scope=mine) == ["My favourite colour is red"]


# Duplicates (A10, E7) -----------------------------------------------------------------------------


def test_red_blue_red(any_daemon: Daemon, scope: Scope) -> None:
    """A superseded fact stated again is new; an active one is a duplicate."""
    mine = scope()
    red, blue = "My favourite colour is red", "My favourite colour is blue"
    first = add(any_daemon, red, scope=mine)
    add(any_daemon, blue, scope=mine)

    again = any_daemon.call("memory.add", scope=mine, content=red)["memories"][0]

    assert again["outcome"] == "added"
    assert again["memory"]["id"] != first["id"]
    assert listed(any_daemon, scope=mine) == [red]
    assert tell(any_daemon, red, scope=mine) == ("duplicate", [])
    chain = any_daemon.call("memory.history", scope=mine, id=first["id"])["chain"]
    assert [memory["content"] for memory in chain] == [red, blue, red]


@pytest.mark.parametrize("again", ["i live in berlin", "I live in Berlin!", "I live  in Berlin."])
def test_the_same_words_are_a_duplicate(any_daemon: Daemon, scope: Scope, again: str) -> None:
    """Case, spaces and the last full stop make no other fact."""
    mine = scope()
    first = add(any_daemon, "I live in Berlin.", scope=mine)

    entry = any_daemon.call("memory.add", scope=mine, content=again)["memories"][0]

    assert entry["outcome"] == "duplicate"
    assert entry["memory"]["id"] == first["id"]
    assert any_daemon.call("memory.list", scope=mine)["total"] == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Berlin.", "My home is in Berlin."),
        ("Anna works at Siemens.", "Anna is employed by Siemens."),
        ("I have a dog named Rex.", "My dog is called Rex."),
    ],
)
def test_a_paraphrase_is_stored_and_shown_as_one(
    with_embedder: Callable[[str], Daemon], scope: Scope, old: str, new: str
) -> None:
    """Other words for the same are kept, linked to the first, and one result of a search."""
    daemon, mine = with_embedder("minilm"), scope()
    first = add(daemon, old, scope=mine)

    entry = daemon.call("memory.add", scope=mine, content=new)["memories"][0]

    assert (entry["outcome"], entry["repeats"], entry["superseded"]) == ("added", [first["id"]], [])
    assert listed(daemon, scope=mine) == [new, old]
    results = daemon.call("memory.search", scope=mine, query=new)["results"]
    pair = {first["id"], entry["memory"]["id"]}
    assert [{hit["memory"]["id"], *hit["repeats"]} for hit in results] == [pair]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I turned down the job in Essen", "I took the job in Essen"),
        ("I passed the driving test", "I failed the driving test"),
        ("I started smoking in March", "I stopped smoking in March"),
        ("I am the oldest of four", "I am the youngest of four"),
        ("I bought the house on Elm Street", "I sold the house on Elm Street"),
    ],
)
def test_the_opposite_is_no_repetition(
    with_embedder: Callable[[str], Daemon], scope: Scope, old: str, new: str
) -> None:
    """Nearly the same words may say the contrary: neither is hidden behind the other."""
    daemon, mine = with_embedder("minilm"), scope()
    tell(daemon, old, scope=mine)

    entry = daemon.call("memory.add", scope=mine, content=new)["memories"][0]

    assert (entry["repeats"], listed(daemon, scope=mine)) == ([], [new, old])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I'm allergic to nuts, penicillin and latex", "I'm no longer allergic to latex"),
        ("I have a cat called Miso and a dog called Rex", "Rex died yesterday"),
        ("I work at Siemens and teach yoga on Sundays", "I stopped teaching yoga"),
        ("My sister is called Ana", "My sister is called Lea"),
    ],
)
def test_a_fact_that_still_holds_in_part_stays(
    with_embedder: Callable[[str], Daemon], scope: Scope, old: str, new: str
) -> None:
    """One thing of several ended, or there may be two of a kind: at most the old is offered."""
    daemon, mine = with_embedder("minilm"), scope()
    tell(daemon, old, scope=mine)

    tell(daemon, new, scope=mine)

    assert listed(daemon, scope=mine) == [new, old]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User drives a Skoda", "I drive a Kia"),
        ("My birthday is 3 May", "User's birthday is 5 May"),
        ("The user lives in Ghent", "I live in Bruges"),
    ],
)
def test_a_note_and_the_users_own_words_are_of_one_person(
    with_embedder: Callable[[str], Daemon], scope: Scope, old: str, new: str
) -> None:
    """An agent notes in the third person, or in the user's words: another value is no addition."""
    daemon, mine = with_embedder("minilm"), scope()
    first = add(daemon, old, scope=mine)["id"]

    entry = daemon.call("memory.add", scope=mine, content=new)["memories"][0]

    assert first in [one["id"] for one in entry["memory"]["conflicts"]]


def test_a_note_and_the_users_own_words_in_one_call_are_of_one_person(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """The form is the same for all that is compared, told at once or not."""
    daemon, mine = with_embedder("minilm"), scope()
    facts = [{"content": "User drives a Skoda"}, {"content": "I drive a Kia"}]

    first, second = daemon.call("memory.add", scope=mine, facts=facts)["memories"]

    assert second["may_replace"] == []
    newer = second["memory"]["id"]
    conflicts = until(
        lambda: daemon.call("memory.get", scope=mine, id=newer)["memory"]["conflicts"]
    )
    assert [one["id"] for one in conflicts] == [first["memory"]["id"]]


# Within a batch, and by hand ----------------------------------------------------------------------


def test_a_batch_is_told_in_order(any_daemon: Daemon, scope: Scope) -> None:
    """A later fact of a batch supersedes or repeats an earlier one."""
    mine = scope()
    facts = [
        "My favourite colour is red",
        "I like cats",
        "My favourite colour is blue",
        "I like cats",
    ]

    entries = any_daemon.call(
        "memory.add", scope=mine, facts=[{"content": content} for content in facts]
    )["memories"]

    assert [entry["outcome"] for entry in entries] == ["added", "added", "added", "duplicate"]
    assert entries[2]["superseded"] == [entries[0]["memory"]["id"]]
    assert entries[3]["memory"]["id"] == entries[1]["memory"]["id"]
    assert listed(any_daemon, scope=mine) == [facts[2], facts[1]]


def test_an_explicit_supersedes_wins(any_daemon: Daemon, scope: Scope) -> None:
    """The caller's explicit choice counts, whether the texts are similar or not."""
    mine = scope()
    red = add(any_daemon, "My favourite colour is red", scope=mine)
    tea = add(any_daemon, "Tea is served at four", scope=mine)

    entry = any_daemon.call(
        "memory.add", scope=mine, content="My favourite colour is blue", supersedes=tea["id"]
    )["memories"][0]

    assert entry["superseded"] == [tea["id"]]
    assert listed(any_daemon, scope=mine) == ["My favourite colour is blue", red["content"]]
    events = any_daemon.call("memory.history", scope=mine, id=tea["id"])["events"]
    assert [event["reason"] for event in events] == ["supersedes"]


def test_a_memory_cannot_supersede_what_another_already_replaced(
    any_daemon: Daemon, scope: Scope
) -> None:
    """Refusing a second replacement rules out cycles."""
    mine = scope()
    red = add(any_daemon, "My favourite colour is red", scope=mine)
    add(any_daemon, "My favourite colour is blue", scope=mine)

    error = refusal(
        *(any_daemon, "memory.add"), scope=mine, content="Green it is", supersedes=red["id"]
    )

    assert error.kind == "conflict"


# What fades, what was said when -------------------------------------------------------------------


@pytest.mark.parametrize("fields", [{"type": "context"}, {"expires_in_days": 1}])
def test_what_fades_never_supersedes_what_lasts(
    any_daemon: Daemon, scope: Scope, fields: dict[str, Any]
) -> None:
    """A type that fades, or an expiry: the lasting fact stays beside it."""
    mine = scope()
    tell(any_daemon, "My favourite colour is red", scope=mine)

    told = tell(any_daemon, "My favourite colour is blue", scope=mine, **fields)

    assert told == ("added", [])
    assert len(listed(any_daemon, scope=mine)) == 2


def test_what_lasts_supersedes_what_fades(any_daemon: Daemon, scope: Scope) -> None:
    """A lasting fact supersedes a fading one, with the same or another value."""
    mine = scope()
    tell(any_daemon, "My favourite colour is red", scope=mine, type="context")
    tell(any_daemon, "My desk is green", scope=mine, expires_in_days=3)

    blue = tell(any_daemon, "My favourite colour is blue", scope=mine)
    desk = tell(any_daemon, "My desk is green", scope=mine)

    assert blue == ("added", ["My favourite colour is red"])
    assert desk == ("added", ["My desk is green"])


def test_what_was_observed_earlier_supersedes_nothing(any_daemon: Daemon, scope: Scope) -> None:
    """An import of old notes does not undo what is known by now."""
    mine = scope()
    tell(any_daemon, "I live in Oslo", scope=mine, observed_at="2025-06-01")

    told = tell(any_daemon, "I live in Bergen", scope=mine, observed_at="2020-06-01")

    assert told == ("added", [])


def test_when_the_winner_goes_the_loser_is_active_again(any_daemon: Daemon, scope: Scope) -> None:
    """A deleted correction brings back what it replaced, for words and for vectors (A12)."""
    mine = scope()
    red = add(any_daemon, "My favourite colour is red", scope=mine)
    blue = add(any_daemon, "My favourite colour is blue", scope=mine)

    any_daemon.call("memory.delete", scope=mine, id=blue["id"])

    assert listed(any_daemon, scope=mine) == [red["content"]]
    assert found(any_daemon, "favourite colour", scope=mine) == [red["content"]]


# Who said it (A13), and who may see it ------------------------------------------------------------


def _group(scope: Scope, *users: str) -> Callable[[str], dict[str, Any]]:
    chat = scope()["user_id"] + "-group"

    def speaks(user: str) -> dict[str, Any]:
        return scope(
            user, chat_id=chat, chat_type="group", participants=list(users), display_name=user
        )

    return speaks


def test_a_persons_own_word_conflicts_with_hearsay(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """Bob's statement about Alice in a group stays, below her own and marked."""
    any_daemon = with_embedder("minilm")
    alice, bob = scope()["user_id"] + "-Alice", scope()["user_id"] + "-Bob"
    says = _group(scope, alice, bob)
    add(any_daemon, f"{alice} lives in Rome", scope=says(alice), shared=True)
    tell(any_daemon, "Favourite colour is red", scope=says(bob), shared=True, subjects=[alice])

    entry = any_daemon.call(
        "memory.add", content="My favourite colour is blue", scope=says(alice), shared=True
    )["memories"][0]

    assert entry["superseded"] == []
    conflicts = [one["content"] for one in entry["memory"]["conflicts"]]
    assert conflicts == ["Favourite colour is red"]


def test_hearsay_never_supersedes_a_persons_own_word(any_daemon: Daemon, scope: Scope) -> None:
    """Bob's later statement about Alice stays beside her own, and ranks below it."""
    alice, bob = scope()["user_id"] + "-Alice", scope()["user_id"] + "-Bob"
    says = _group(scope, alice, bob)
    add(any_daemon, "Favourite colour is blue", scope=says(alice), shared=True, subjects=[alice])

    told = tell(
        any_daemon, "Favourite colour is red", scope=says(bob), shared=True, subjects=[alice]
    )

    assert told == ("added", [])
    results = any_daemon.call(
        "memory.search", scope=says(bob), query="What is the favourite colour?"
    )
    trusts = [(entry["memory"]["content"], entry["trust"]) for entry in results["results"]]
    assert trusts == [("Favourite colour is blue", "fact"), ("Favourite colour is red", "hearsay")]


def test_hearsay_is_offered_in_place_of_hearsay(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """The later of two members' statements about a third person is only offered."""
    any_daemon = with_embedder("minilm")
    alice, bob, carl = (scope()["user_id"] + name for name in ("-Alice", "-Bob", "-Carl"))
    says = _group(scope, alice, bob, carl)
    add(any_daemon, "Favourite colour is blue", scope=says(bob), shared=True, subjects=[alice])

    told = any_daemon.call(
        *("memory.add",),
        content="Favourite colour is red",
        scope=says(carl),
        shared=True,
        subjects=[alice],
    )["memories"][0]

    assert told["superseded"] == []
    assert [one["content"] for one in told["may_replace"]] == ["Favourite colour is blue"]


def test_two_who_speak_of_themselves_in_a_group_both_stand(
    any_daemon: Daemon, scope: Scope
) -> None:
    """ "I live in …" is about its speaker, even in what the group shares."""
    alice, bob = scope()["user_id"] + "-Alice", scope()["user_id"] + "-Bob"
    says = _group(scope, alice, bob)
    add(any_daemon, "My favourite colour is blue", scope=says(alice), shared=True)

    assert tell(any_daemon, "My favourite colour is red", scope=says(bob), shared=True) == (
        "added",
        [],
    )
    assert tell(any_daemon, "My favourite colour is red", scope=says(alice), shared=True)[1] == [
        "My favourite colour is blue"
    ]


def test_a_private_fact_and_a_groups_do_not_touch_each_other(
    any_daemon: Daemon, scope: Scope
) -> None:
    """Private and group memories do not supersede each other."""
    alice, bob = scope()["user_id"] + "-Alice", scope()["user_id"] + "-Bob"
    says, private = _group(scope, alice, bob), scope(alice)
    add(any_daemon, "My favourite colour is red", scope=private)

    for fields in ({"shared": True}, {}):
        told = tell(any_daemon, "My favourite colour is blue", scope=says(alice), **fields)
        assert told == ("added", [])
    assert "My favourite colour is red" in listed(any_daemon, scope=private)

    told = tell(any_daemon, "My favourite colour is green", scope=private)

    assert told == ("added", ["My favourite colour is red"])
    group = listed(any_daemon, scope=says(bob))
    assert "My favourite colour is blue" in group
    assert not {"My favourite colour is red", "My favourite colour is green"} & set(group)


def test_all_private_chats_of_a_user_are_one_for_corrections(
    any_daemon: Daemon, scope: Scope
) -> None:
    """The same person sees both: the user."""
    one = scope()
    other = scope(one["user_id"], chat_id=one["user_id"] + "-dm", chat_type="private")
    tell(any_daemon, "My favourite colour is red", scope=one)

    told = tell(any_daemon, "My favourite colour is blue", scope=other)

    assert told == ("added", ["My favourite colour is red"])


# Reasons (E7) -------------------------------------------------------------------------------------


def test_the_history_says_what_happened_and_why(any_daemon: Daemon, scope: Scope) -> None:
    """Each repetition and each replacement is an event with its rule and its time."""
    mine = scope()
    red = add(any_daemon, "My favourite colour is red", scope=mine)
    tell(any_daemon, "my favourite colour is red", scope=mine)
    add(any_daemon, "My favourite colour is blue", scope=mine)

    history = any_daemon.call("memory.history", scope=mine, id=red["id"])

    assert [memory["content"] for memory in history["chain"]] == [
        "My favourite colour is red",
        "My favourite colour is blue",
    ]
    assert [(event["memory_id"], event["event"]) for event in history["events"]] == [
        (red["id"], "duplicate"),
        (red["id"], "superseded"),
    ]
    assert all(event["reason"] and event["at"].endswith("Z") for event in history["events"])
    assert history["chain"][0]["superseded_by_id"] == history["chain"][1]["id"]


def test_whoever_is_called_by_name_is_the_teller_all_the_same(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """An agent may write "Ottilie lives in …" of her own words; her sister is another person."""
    daemon = with_embedder("minilm")
    mine = {**scope(), "display_name": "Ottilie Brandt"}
    tell(daemon, "Ottilie's favourite colour is red.", scope=mine)
    tell(daemon, "My sister's favourite colour is pink.", scope=mine)

    newer = add(daemon, "Ottilie's favourite colour is green now.", scope=mine)["id"]

    conflicts = until(
        lambda: daemon.call("memory.get", scope=mine, id=newer)["memory"]["conflicts"]
    )
    assert [one["content"] for one in conflicts] == ["Ottilie's favourite colour is red."]
