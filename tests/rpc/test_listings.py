"""Lists for a person: pages, counts, dry runs and undoing. Budget: 8 s.

Budget: 8 s.
"""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]


def resolve(daemon: Daemon, mine: dict[str, Any], reference: str) -> str:
    """The id of the person that is meant."""
    found: str = daemon.call("person.resolve", scope=mine, reference=reference)["person_id"]
    return found


def add(daemon: Daemon, mine: dict[str, Any], content: str, *subjects: str) -> str:
    """The id of a new memory."""
    result = daemon.call("memory.add", scope=mine, content=content, subjects=list(subjects))
    found: str = result["memories"][0]["memory"]["id"]
    return found


def contents(daemon: Daemon, mine: dict[str, Any], **filters: Any) -> set[str]:
    """The contents of the active memories."""
    listed = daemon.call("memory.list", scope=mine, **filters)["memories"]
    return {memory["content"] for memory in listed}


# People -------------------------------------------------------------------------------------------


@pytest.fixture
def family(daemon: Daemon, scope: Scope) -> dict[str, Any]:
    """A user with a wife, a son, a friend, and a colleague who is the friend's boss."""
    mine = scope()
    for reference in ("my wife Sarah", "my son Tom", "my friend Ünal", "my colleague Zoë"):
        resolve(daemon, mine, reference)
    daemon.call(
        *("person.relate",),
        scope=mine,
        id=resolve(daemon, mine, "Zoë"),
        relationship="boss",
        to=resolve(daemon, mine, "Ünal"),
    )
    return mine


def names(listed: dict[str, Any]) -> list[str]:
    """The names on a page."""
    return [person["name"] for person in listed["people"]]


def test_people_come_page_by_page(daemon: Daemon, family: dict[str, Any]) -> None:
    """Every person comes once, in the requested order, and each page has the total."""
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = daemon.call("person.list", scope=family, order="name", limit=2, **cursor)
        seen += names(page)
        assert page["total"] == 5  # the user too
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert [*("Sarah", "Tom", "Ünal"), family["user_id"], "Zoë"] == seen
    with pytest.raises(CallFailed, match="cursor"):
        daemon.call("person.list", scope=family, cursor="nobody")


def test_people_are_filtered_by_what_they_are(daemon: Daemon, family: dict[str, Any]) -> None:
    """A word may stand for several relationships; an ended one no longer counts."""

    def are(word: str) -> set[str]:
        return set(names(daemon.call("person.list", scope=family, relationship=word)))

    assert {"Sarah", "Tom"} == are("family")
    assert {"Tom"} == are("son")
    assert set() == are("plumber")
    tom = resolve(daemon, family, "Tom")
    daemon.call("person.unrelate", scope=family, id=tom, relationship="son")
    assert {"Sarah"} == are("family")


def test_the_most_connected_come_first(daemon: Daemon, family: dict[str, Any]) -> None:
    """Relationships in either direction count; they are counted by kind on request."""
    page = daemon.call("person.list", scope=family, order="connections", limit=3, count=True)

    # Four relate to the user; Ünal and Zoë are related to each other besides.
    assert family["user_id"] == names(page)[0]
    assert {"Ünal", "Zoë"} == set(names(page)[1:])
    expected = {"boss": 1, "colleague": 1, "friend": 1, "son": 1, "wife": 1}
    assert expected == page["relationships"]
    assert "relationships" not in daemon.call("person.list", scope=family)


def test_a_person_shows_relationships_of_both_directions(
    daemon: Daemon, family: dict[str, Any]
) -> None:
    """Relationships name the other person; `related` adds the reverse ones, ended ones too."""
    zoe, friend = resolve(daemon, family, "Zoë"), resolve(daemon, family, "Ünal")
    daemon.call("person.unrelate", scope=family, id=zoe, relationship="boss", to=friend)

    shown = daemon.call("person.get", scope=family, id=zoe)["person"]
    asked = daemon.call("person.get", scope=family, id=friend, related=True)
    other = asked["related"]

    assert {"Ünal", family["user_id"]} == {one["to_name"] for one in shown["relationships"]}
    assert [(zoe, "Zoë", "boss", family["user_id"])] == [
        (one["id"], one["name"], one["relationship"], one["stated_by"]) for one in other
    ]
    assert other[0]["ended_at"] is not None
    assert 1 == asked["related_total"]


def test_related_people_are_only_ones_own(daemon: Daemon, scope: Scope) -> None:
    """Another user's claim about a shared person's relation stays with that user."""
    alice, bob = scope(), scope()
    resolve(daemon, alice, "my wife Grete")
    self_of_alice = resolve(daemon, alice, "me")

    with pytest.raises(CallFailed) as failed:
        daemon.call("person.get", scope=bob, id=self_of_alice, related=True)

    assert "not_found" == failed.value.kind
    assert ["Grete"] == [
        one["name"]
        for one in daemon.call("person.get", scope=alice, id=self_of_alice, related=True)["related"]
    ]


def test_a_merge_is_shown_before_it_is_made(daemon: Daemon, scope: Scope) -> None:
    """The dry run says who results and how many memories come along, and changes nothing."""
    mine = scope()
    add(daemon, mine, "Rob plays chess.", "Rob")
    rob, robert = resolve(daemon, mine, "Rob"), resolve(daemon, mine, "Robert Oduya")

    shown = daemon.call("person.merge", scope=mine, id=rob, into=robert, dry_run=True)

    assert (1, "Robert Oduya", ["Rob"]) == (
        shown["memories"],
        shown["person"]["name"],
        [alias["value"] for alias in shown["person"]["aliases"]],
    )
    assert {"Rob plays chess."} == contents(daemon, mine, about=rob)
    assert set() == contents(daemon, mine, about=robert)
    made = daemon.call("person.merge", scope=mine, id=rob, into=robert)
    assert shown["memories"] == made["memories"]
    assert {"Rob plays chess."} == contents(daemon, mine, about=robert)


def test_an_identification_is_undone_after_a_look(daemon: Daemon, scope: Scope) -> None:
    """The dry run changes nothing; the other person is new, and a merge undoes it."""
    mine = scope()
    for content in ("Jun paints.", "Jun moved to Kyoto."):
        add(daemon, mine, content, "Jun")
    jun = resolve(daemon, mine, "Jun")
    wanted = {"person_id": jun, "reference": "Jun"}

    shown = daemon.call("person.undo_identification", scope=mine, dry_run=True, **wanted)
    before = contents(daemon, mine, about=jun)
    done = daemon.call("person.undo_identification", scope=mine, **wanted)
    moved = contents(daemon, mine, about=done["person"]["id"])
    daemon.call("person.merge", scope=mine, id=done["person"]["id"], into=jun)

    assert (2, True) == (shown["moved"], shown["created"])
    assert (2, True) == (done["moved"], done["created"])
    assert {"Jun paints.", "Jun moved to Kyoto."} == before == moved
    assert before == contents(daemon, mine, about=jun)


def test_a_forgotten_person_comes_back_as_one(daemon: Daemon, scope: Scope) -> None:
    """One call restores everything that one act archived, and nothing archived by another."""
    mine = scope()
    add(daemon, mine, "Ida sings.", "Ida")
    gone = add(daemon, mine, "Ida skis.", "Ida")
    ida = resolve(daemon, mine, "Ida")

    looked = daemon.call("memory.forget_person", scope=mine, person_id=ida, dry_run=True)
    first = daemon.call("memory.forget_person", scope=mine, person_id=ida)
    daemon.call("memory.restore", scope=mine, id=gone)
    second = daemon.call("memory.forget_person", scope=mine, person_id=ida)
    restored = daemon.call("memory.restore", scope=mine, withdrawal_id=first["withdrawal_id"])

    assert (2, None) == (looked["archived"], looked["withdrawal_id"])
    assert (2, 1) == (first["archived"], second["archived"])
    assert 1 == restored["count"]
    assert {"Ida sings."} == contents(daemon, mine, about=ida)
    daemon.call("memory.restore", scope=mine, withdrawal_id=second["withdrawal_id"])
    assert {"Ida sings.", "Ida skis."} == contents(daemon, mine, about=ida)


# Conversations ------------------------------------------------------------------------------------


def ingest(daemon: Daemon, mine: dict[str, Any], name: str, day: str) -> None:
    """A conversation of two messages."""
    daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id=name,
        session_date=day,
        turns=[{"user": f"Hello on {day}.", "assistant": "Hello."}],
    )


def test_conversations_come_page_by_page_with_their_place(daemon: Daemon, scope: Scope) -> None:
    """Conversations come latest first, with their owner or group, each on one page."""
    mine = scope()
    group = {"chat_id": f"g-{mine['user_id']}", "chat_type": "group"}
    for name, day in (("one", "2026-01-01"), ("two", "2026-01-02")):
        ingest(daemon, mine, name, day)
    ingest(daemon, {**mine, **group}, "three", "2026-01-03")

    first = daemon.call("conversation.list", scope=mine, limit=2)
    rest = daemon.call("conversation.list", scope=mine, limit=2, cursor=first["next_cursor"])

    shown = [*first["conversations"], *rest["conversations"]]
    assert ["three", "two", "one"] == [one["conversation_id"] for one in shown]
    assert [group["chat_id"], None, None] == [one["chat_id"] for one in shown]
    assert [None, mine["user_id"], mine["user_id"]] == [one["owner_user_id"] for one in shown]
    assert (3, None) == (first["total"], rest["next_cursor"])


def test_an_id_names_one_of_two_conversations_of_a_name(daemon: Daemon, scope: Scope) -> None:
    """The operator of all scopes reads and deletes by id where two users gave the same name."""
    ids = []
    for day in ("2026-02-01", "2026-02-02"):
        mine = scope()
        ingest(daemon, mine, "standup", day)
        ids.append(daemon.call("conversation.list", scope=mine)["conversations"][0]["id"])

    read = [
        daemon.call("conversation.get", all_scopes=True, conversation_id=one)["messages"][0]
        for one in ids
    ]
    looked = daemon.call(
        "conversation.delete", all_scopes=True, conversation_id=ids[0], dry_run=True
    )
    daemon.call("conversation.delete", all_scopes=True, conversation_id=ids[0])

    assert ["Hello on 2026-02-01.", "Hello on 2026-02-02."] == [one["content"] for one in read]
    assert {"deleted": 2} == looked
    assert 2 == len(
        daemon.call("conversation.get", all_scopes=True, conversation_id=ids[1])["messages"]
    )
    with pytest.raises(CallFailed):
        daemon.call("conversation.get", all_scopes=True, conversation_id=ids[0])


def test_an_id_finds_no_other_users_conversation(daemon: Daemon, scope: Scope) -> None:
    """The policy for turns applies to ids as to names."""
    alice, bob = scope(), scope()
    ingest(daemon, alice, "diary", "2026-03-01")
    secret = daemon.call("conversation.list", scope=alice)["conversations"][0]["id"]

    for method in ("conversation.get", "conversation.delete"):
        with pytest.raises(CallFailed) as failed:
            daemon.call(method, scope=bob, conversation_id=secret)
        assert "not_found" == failed.value.kind


# Profile ------------------------------------------------------------------------------------------


def test_versions_before_one_are_shown(daemon: Daemon, scope: Scope) -> None:
    """A long history can be paged through; each version is compared with the one before."""
    mine = scope()
    for number in range(1, 5):
        daemon.call("profile.set", scope=mine, notes=f"Note {number}.")

    shown = daemon.call("profile.history", scope=mine, before=4, limit=2)["versions"]

    assert [2, 3] == [one["version"] for one in shown]
    assert "-Note 1." in shown[0]["difference"]
    assert [[], []] == [one["statements"] for one in shown]


# Grants and chats ---------------------------------------------------------------------------------


def test_a_grant_shows_its_use(daemon: Daemon, scope: Scope) -> None:
    """Memories that came through it, its use of the quota, and acts of withdrawal."""
    mine = scope()
    made = daemon.call("grant.create", scope=mine, quota={"writes_per_day": 7})
    grant_id = made["grant_id"]
    with daemon.client(made["socket"]) as sandbox:
        for content in ("The build is green.", "The release is on Friday."):
            sandbox.call("memory.add", content=content)

    def use() -> dict[str, Any]:
        listed = daemon.call("grant.list", grant_id=grant_id, count=True)["grants"]
        found: dict[str, Any] = listed[0]["use"]
        return found

    before = use()
    withdrawal = daemon.call("memory.withdraw", scope=mine, grant_id=grant_id)["withdrawal_id"]
    after = use()
    daemon.call("memory.restore", scope=mine, withdrawal_id=withdrawal)

    assert (2, 0, []) == (before["memories"], before["archived"], before["withdrawals"])
    assert (2, 7) == (before["used"]["writes_per_day"], before["quota"]["writes_per_day"])
    assert before["used"]["stored_bytes"] > 0
    assert before["used"]["reply_bytes_per_day"] > 0
    assert before["last_used_on"]
    assert (0, 2) == (after["memories"], after["archived"])
    assert [(withdrawal, 2)] == [
        (one["withdrawal_id"], one["memories"]) for one in after["withdrawals"]
    ]
    assert before["memories"] == use()["memories"]
    assert [] == use()["withdrawals"]
    assert "use" not in daemon.call("grant.list", grant_id=grant_id)["grants"][0]


def test_grants_come_page_by_page(daemon: Daemon, scope: Scope) -> None:
    """The newest first; without a limit all are there."""
    mine = scope()
    made = [daemon.call("grant.create", scope=mine)["grant_id"] for _ in range(3)]

    first = daemon.call("grant.list", limit=2)
    second = daemon.call("grant.list", limit=1, cursor=first["next_cursor"])
    shown = [one["grant_id"] for one in first["grants"] + second["grants"]]

    assert set(made) == set(shown)
    assert first["total"] == len(daemon.call("grant.list")["grants"])


def test_chats_are_listed_with_counts(daemon: Daemon, scope: Scope) -> None:
    """A private chat has its user, a group its members; both have what was learned there."""
    mine = scope()
    group = {"chat_id": f"team-{mine['user_id']}", "chat_type": "group"}
    add(daemon, mine, "I like tea.")
    add(daemon, {**mine, **group}, "The stand-up is at nine.")
    ingest(daemon, {**mine, **group}, "monday", "2026-04-01")

    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = daemon.call("chat.list", limit=50, **cursor)
        found += page["chats"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    own = [one for one in found if one["user_id"] == mine["user_id"]]
    team = [one for one in found if one["chat_id"] == group["chat_id"]]
    assert [("private", 1, 0)] == [
        (one["chat_type"], one["memories"], one["conversations"]) for one in own
    ]
    assert [("group", 1, 1, 1)] == [
        (one["chat_type"], one["participants"], one["memories"], one["conversations"])
        for one in team
    ]
