"""References to people over the control socket. Budget: 15 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]
Find = Callable[..., dict[str, Any]]


@pytest.fixture
def find(daemon: Daemon) -> Find:
    """`person.resolve` in a scope."""

    def resolve(scope: dict[str, Any], reference: str, **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = daemon.call(
            "person.resolve", scope=scope, reference=reference, **more
        )
        return found

    return resolve


def same(*found: dict[str, Any]) -> bool:
    """Return whether all of them are one person."""
    return len({entry["person_id"] for entry in found}) == 1


def test_the_first_mention_creates_and_a_later_one_finds(find: Find, scope: Scope) -> None:
    """The relationship word stands in until a name is told (B5)."""
    alice = scope()

    first = find(alice, "my wife")
    named = find(alice, "my wife", content_hint="My wife's name is Sarah")
    later = [
        find(alice, words) for words in ("My Wife", "the wife", "Sarah", "sarah", "my wife Sarah")
    ]

    assert ("wife", True, "created") == (
        first["person_name"],
        first["created"],
        first["matched_by"],
    )
    assert same(first, named, *later)
    assert ["Sarah"] * 6 == [entry["person_name"] for entry in (named, *later)]
    assert not any(entry["created"] for entry in later)


@pytest.mark.parametrize(
    "told",
    [
        ("My wife's name is Anna", "my wife"),
        ("my wife's name is Anna", "Anna"),
        ("Anna is my wife", "Anna"),
        ("My wife Anna is a nurse", "Anna"),
        ("My wife Anna is a nurse", "my wife"),
        ("My wife is called Anna", "wife"),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["spoken of before", "new"])
def test_a_wife_who_gets_a_name_is_one_person(
    daemon: Daemon, find: Find, scope: Scope, told: tuple[str, str], known: bool
) -> None:
    """The fact that tells the name may be about either of the two words (B5)."""
    alice = scope()
    if known:
        daemon.call("memory.add", scope=alice, content="My wife plays chess", subjects=["my wife"])
    content, subject = told

    daemon.call("memory.add", scope=alice, content=content, subjects=[subject])

    assert same(*(find(alice, words) for words in ("Anna", "my wife", "my wife Anna")))
    people = daemon.call("person.list", scope=alice)["people"]
    assert ["Anna"] == [one["name"] for one in people if one["name"] != alice["user_id"]]


@pytest.mark.parametrize("content", ["My coworker Sarah is ill", "Sarah is my boss"])
def test_a_first_name_in_another_role_is_another_person(
    daemon: Daemon, find: Find, scope: Scope, content: str
) -> None:
    """A shared first name is no evidence; the reply offers whom else it could mean (B6)."""
    alice = scope()
    wife = find(alice, "my wife Sarah")

    (added,) = daemon.call("memory.add", scope=alice, content=content, subjects=["Sarah"])[
        "memories"
    ]
    shown = daemon.call("person.get", scope=alice, id=wife["person_id"])["person"]

    (person,) = added["people"]
    assert person["created"]
    assert [{"id": wife["person_id"], "name": "Sarah", "relationship": "wife"}] == person["may_be"]
    assert ["wife"] == [claim["relationship"] for claim in shown["relationships"]]
    assert same(wife, find(alice, "my wife"))


def test_an_update_and_a_tool_offer_whom_else_they_could_mean(
    daemon: Daemon, find: Find, scope: Scope
) -> None:
    """The reply of `memory.update`, and the text for a model that calls `remember`, offer them."""
    alice = scope()
    wife = find(alice, "my wife Sarah")
    offered = [{"id": wife["person_id"], "name": "Sarah", "relationship": "wife"}]
    (stored,) = daemon.call("memory.add", scope=alice, content="A colleague called")["memories"]
    changes = {"content": "My colleague Sarah called", "subjects": ["Sarah"]}
    params = {"id": stored["memory"]["id"], "changes": changes}

    updated = daemon.call("memory.update", scope=alice, **params)
    arguments = {"content": "My dentist Sarah is on holiday", "subjects": ["my dentist Sarah"]}
    told = daemon.call("tools.call", scope=alice, name="remember", arguments=arguments)

    assert [offered] == [person["may_be"] for person in updated["people"]]
    for other in told["result"]["memories"][0]["people"][0]["may_be"]:
        assert other["id"] in told["content"]
    assert f"Sarah (wife) (id {wife['person_id']})" in told["content"]
    relabelled = {"id": updated["memory"]["id"], "changes": {"tags": ["phone"]}}
    assert [] == daemon.call("memory.update", scope=alice, **relabelled)["people"]


@pytest.mark.parametrize("content", ["Sarah is also my boss", "Bob's teacher is Sarah"])
def test_a_first_name_without_a_role_of_its_own_is_who_is_known(
    daemon: Daemon, find: Find, scope: Scope, content: str
) -> None:
    """ "Also" says that it is one person; "Bob's teacher" is no relationship to the speaker."""
    alice = scope()
    wife = find(alice, "my wife Sarah")

    daemon.call("memory.add", scope=alice, content=content, subjects=["Sarah"])

    assert same(wife, find(alice, "Sarah"))


@pytest.mark.parametrize(
    ("known", "content"),
    [
        ("my wife Sarah", "Sarah is Bob's wife"),
        ("my daughter Sarah", "Sarah is my boss's daughter"),
        ("my brother Sarah", "Sarah is Bob's grandmother"),
    ],
)
def test_a_relationship_that_rules_out_another_tells_namesakes_apart(
    daemon: Daemon, scope: Scope, known: str, content: str
) -> None:
    """Either order of the two works; the reply offers who else could be meant (B6)."""
    for facts in ((known, content), (content, known)):
        alice, found = scope(), []
        for fact in facts:
            subject = "Sarah" if fact is content else known
            added = daemon.call("memory.add", scope=alice, content=fact, subjects=[subject])
            found.append(added["memories"][0]["people"][0])

        assert found[0]["id"] != found[1]["id"]
        assert [found[0]["id"]] == [other["id"] for other in found[1]["may_be"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My son Tom is 5.", "Tom Baker is my plumber."),
        ("My sister Sarah sings.", "Sarah Whitcombe from work likes sushi."),
        ("My daughter Mia hates broccoli.", "Dr Mia Lang prescribed glasses."),
        ("My brother Paul is a carpenter.", "I saw Paul McCartney."),
        ("My neighbour Max shovels snow.", "Max Verstappen won."),
    ],
)
@pytest.mark.parametrize("turned", [False, True], ids=["first name first", "whole name first"])
def test_a_shared_first_name_joins_nobody(
    daemon: Daemon, scope: Scope, one: str, other: str, turned: bool
) -> None:
    """ "My son Tom" and "Tom Baker" are two people, whoever is told of first (P1)."""
    alice = scope()
    words = {one: " ".join(one.split()[:3]), other: " ".join(_name_of(other))}

    told = []
    for content in (other, one) if turned else (one, other):
        call = {"content": content, "subjects": [words[content]]}
        told.append(daemon.call("memory.add", scope=alice, **call)["memories"][0]["people"][0])

    assert 2 == len({person["id"] for person in told})
    assert [told[0]["id"]] == [offered["id"] for offered in told[1]["may_be"]]
    assert 1 == daemon.call("memory.list", scope=alice, about=words[one].partition(" ")[2])["total"]


def _name_of(content: str) -> list[str]:
    """The capitalised words of a sentence about somebody with a whole name."""
    return [word.strip(".") for word in content.split() if word[0].isupper() and len(word) > 1]


def test_a_name_comes_from_the_hint(find: Find, scope: Scope) -> None:
    """The sentence's words for the person become the name (B5)."""
    alice = scope()

    wife = find(alice, "my wife", content_hint="My wife Sarah Jane loves jazz")

    assert "Sarah Jane" == wife["person_name"]
    assert same(wife, find(alice, "Sarah"), find(alice, "Sarah Jane"))


def test_two_users_wives_are_two_people(find: Find, scope: Scope) -> None:
    """Another user's private contacts are never a match (B4)."""
    alice, bob = scope(), scope()

    hers = find(alice, "my wife Sarah")
    his = find(bob, "my wife")
    sarah = find(bob, "Sarah")

    assert his["created"]
    assert sarah["created"]
    assert not same(hers, his)
    assert not same(hers, sarah)


def test_two_sarahs_stay_apart(find: Find, scope: Scope) -> None:
    """Alice's coworker Sarah and Bob's wife Sarah are two people, even in a shared chat (B4)."""
    alice, bob = scope(), scope()
    coworker = find(alice, "my coworker Sarah")
    wife = find(bob, "my wife Sarah")
    chat = {"chat_id": f"c-{alice['user_id']}", "chat_type": "group"}
    chat["participants"] = [alice["user_id"], bob["user_id"]]

    # Each of them speaks of a Sarah in the group; the daemon keeps to the speaker's own.
    hers = find({**alice, **chat}, "Sarah")
    his = find({**bob, **chat}, "Sarah")

    assert same(coworker, hers)
    assert same(wife, his)
    assert not same(hers, his)


def test_several_candidates_are_asked_about(find: Find, scope: Scope, daemon: Daemon) -> None:
    """An ambiguous reference guesses and creates nobody (B6)."""
    alice = scope()
    for words in ("my wife Sarah", "my boss Sarah Miller", "my friend Sarah", "my coworker Sarah"):
        find(alice, words)
    before = daemon.call("person.list", scope=alice)["people"]

    with pytest.raises(CallFailed) as failed:
        find(alice, "Sarah")

    assert "ambiguous" == failed.value.kind
    # The boss is called Sarah Miller; who is called Sarah and no more fits better.
    candidates = failed.value.data["candidates"]
    assert ["Sarah"] * 3 == [entry["name"] for entry in candidates]
    assert {("wife",), ("colleague",), ("friend",)} == {
        tuple(entry["relationships"]) for entry in candidates
    }
    assert len(before) == len(daemon.call("person.list", scope=alice)["people"])


def test_a_first_name_alone_is_not_the_same_person(find: Find, scope: Scope) -> None:
    """The coworker Sarah is not the wife; a full name, or no relationship, may be."""
    alice = scope()

    wife = find(alice, "my wife Sarah")
    boss = find(alice, "my boss Dan Smith")

    assert not same(wife, find(alice, "my coworker Sarah"))
    assert not same(wife, find(alice, "my friend Sarah Lee"))
    assert same(boss, find(alice, "my friend Dan Smith"))
    assert same(find(alice, "Zoe"), find(alice, "my sister Zoe"))


def test_what_others_told_in_the_chat_is_not_ones_own(find: Find, scope: Scope) -> None:
    """Alice's coworker Sarah, known in the group, is not the wife Bob then mentions."""
    alice, bob = scope(), scope()
    chat = {"chat_id": f"c-{alice['user_id']}", "chat_type": "group"}
    coworker = find({**alice, **chat}, "my coworker Sarah")

    wife = find({**bob, **chat}, "my wife Sarah")

    assert not same(coworker, wife)


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("my wife", "MY WIFE"),
        ("the boss", "my boss"),
        ("Alice's boss", "the boss of Alice"),
        ("Alice\u2019s boss", "Alice's boss"),
        ("Dr. Müller", "dr müller"),
        ("O'Brien", "O\u2019Brien"),
        ("@bob_s", "@Bob_S"),
        ("José", "jose"),
        ("Ἀλέξανδρος", "Ἀλέξανδρος"),
        ("Мария", "мария"),
        ("田中さん", "田中さん"),
        ("محمد", "محمد"),
        ("प्रिया", "प्रिया"),
        ("meine Frau", "my wife"),
        ("my mom", "my mother"),
        ("Anne-Marie", "Anne\u2011Marie"),
    ],
)
def test_spellings_mean_one_person(find: Find, scope: Scope, told: str, asked: str) -> None:
    """Case, articles, possessives, typography and script make no other person (B3)."""
    alice = scope()

    first, second = find(alice, told), find(alice, asked)

    assert first["created"]
    assert not second["created"]
    assert same(first, second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alex", "Alexandra"),
        ("Addison", "my son"),
        ("Anne", "Anne-Marie"),
        ("Mr. Miller", "Mrs. Miller"),
        ("Alice's boss", "my boss"),
        ("Alice's boss", "Bob's boss"),
        ("my sister", "my brother"),
        ("Kimberly", "Kim"),
    ],
)
def test_likeness_is_not_sameness(find: Find, scope: Scope, one: str, other: str) -> None:
    """Words are whole: Alex is not Alexandra, Addison is nobody's son (B3)."""
    alice = scope()

    assert not same(find(alice, one), find(alice, other))


def test_whose_boss_it_is_counts(find: Find, scope: Scope) -> None:
    """ "Alice's boss" hangs on Alice, who is made known too."""
    bob = scope()

    boss = find(bob, "Alice's boss")
    named = find(bob, "Alice's boss Dan")
    alice = find(bob, "Alice", create=False)

    assert same(boss, named, find(bob, "Dan"))
    assert not same(boss, alice)


@pytest.mark.parametrize("nobody", ["his wife", "her", "their neighbour", "someone", "...", "she"])
def test_what_names_nobody_is_said_to(
    find: Find, scope: Scope, daemon: Daemon, nobody: str
) -> None:
    """A reference that names nobody gets a clear error and creates nobody."""
    alice = scope()

    with pytest.raises(CallFailed) as failed:
        find(alice, nobody)

    assert "invalid_params" == failed.value.kind
    assert failed.value.data["hint"]
    assert daemon.call("person.list", scope=alice)["people"] == []


def test_words_for_several_are_no_person(find: Find, scope: Scope) -> None:
    """ "My kids" creates nobody; the error asks for each child, and names the known ones."""
    alice = scope()
    with pytest.raises(CallFailed) as unknown:
        find(alice, "my kids")
    find(alice, "my daughter Emma")
    find(alice, "my older son Noah")
    find(alice, "my wife Sarah")

    with pytest.raises(CallFailed) as known:
        find(alice, "my kids")

    assert "invalid_params" == unknown.value.kind
    assert "ambiguous" == known.value.kind
    assert {"Emma", "Noah"} == {entry["name"] for entry in known.value.data["candidates"]}


def test_a_second_friend_is_another(find: Find, scope: Scope) -> None:
    """One has several friends: a new name is a new person, and "my friend" is ambiguous."""
    alice = scope()

    nameless = find(alice, "my friend")
    bob = find(alice, "my friend Bob")
    carl = find(alice, "my friend Carl")

    assert not same(nameless, bob)
    assert not same(bob, carl)
    assert same(bob, find(alice, "Bob"), find(alice, "my friend Bob"))
    with pytest.raises(CallFailed) as failed:
        find(alice, "my friend")
    assert 3 == len(failed.value.data["candidates"])


def test_a_sentence_made_to_name_names_the_friend(find: Find, scope: Scope) -> None:
    """ "My friend is called Bob" names the unnamed friend; "my friend Bob" need not."""
    alice = scope()

    nameless = find(alice, "my friend")
    named = find(alice, "my friend", content_hint="My friend is called Bob")

    assert same(nameless, named)
    assert "Bob" == named["person_name"]


def test_an_older_sister_is_a_sister(find: Find, scope: Scope) -> None:
    """The wider word finds the specific one, but not the other way round."""
    alice = scope()

    older = find(alice, "my older sister Ann")
    sister = find(alice, "my sister")
    younger = find(alice, "my younger sister")

    assert same(older, sister)
    assert not same(older, younger)
    with pytest.raises(CallFailed) as failed:
        find(alice, "my sister")
    assert "ambiguous" == failed.value.kind


def test_a_relationship_that_ended_makes_room(find: Find, scope: Scope, daemon: Daemon) -> None:
    """A new "my wife" is a new person, and the former one keeps her name."""
    alice = scope()
    first = find(alice, "my wife Sarah")

    ended = daemon.call("person.unrelate", scope=alice, id=first["person_id"], relationship="wife")
    second = find(alice, "my wife Anna")

    assert ended["person"]["relationships"][0]["ended_at"] is not None
    assert second["created"]
    assert same(second, find(alice, "my wife"))
    assert same(first, find(alice, "Sarah"))


def test_to_look_creates_nobody(find: Find, scope: Scope, daemon: Daemon) -> None:
    """`create` false and nobody: not_found, and nothing was stored."""
    alice = scope()
    with pytest.raises(CallFailed) as failed:
        find(alice, "my wife Sarah", create=False)

    assert "not_found" == failed.value.kind
    assert daemon.call("person.list", scope=alice, query="Sarah")["people"] == []


def test_a_secret_is_no_name(find: Find, scope: Scope) -> None:
    """References are stored, so secrets in them are refused (A9)."""
    with pytest.raises(CallFailed) as failed:
        find(scope(), "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")

    assert "content_refused" == failed.value.kind


def test_about_narrows_to_a_person(daemon: Daemon, scope: Scope) -> None:
    """`about` takes the same words; about somebody unknown there is nothing."""
    alice = scope()
    for content, subject in (("Sarah likes tea", "my wife Sarah"), ("Dan likes coffee", "Dan")):
        daemon.call("memory.add", scope=alice, content=content, subjects=[subject])

    hers = daemon.call("memory.list", scope=alice, about="my wife")
    nobodys = daemon.call("memory.list", scope=alice, about="Zoe")

    assert ["Sarah likes tea"] == [memory["content"] for memory in hers["memories"]]
    assert 0 == nobodys["total"]
    assert ["about_not_found"] == [notice["kind"] for notice in nobodys["notices"]]


def test_a_word_for_several_people_may_be_left_out(daemon: Daemon, scope: Scope) -> None:
    """A model that knows none of their names is told how to store the fact all the same."""
    with pytest.raises(CallFailed) as refused:
        daemon.call(
            "memory.add",
            scope=scope(),
            content="Tim's parents sleep in the study",
            subjects=["Tim's parents"],
        )

    assert "leave this subject out" in refused.value.data["hint"]


def test_somebody_elses_relative_without_a_name_is_shown_as_theirs(
    plain: Daemon, scope: Scope
) -> None:
    """Two mothers have no name; only the speaker's own is called "mother"."""
    mine = scope()
    for told, about in (
        ("My mother grows dahlias.", "mother"),
        ("Yusuf's mother broke her hip.", "Yusuf's mother"),
    ):
        (entry,) = plain.call("memory.add", scope=mine, content=told)["memories"]
        assert [about] == [one["name"] for one in entry["people"]]
        found = plain.call("memory.search", scope=mine, query=told)["results"]
        assert [about] == next(one["about"] for one in found if one["memory"]["content"] == told)
