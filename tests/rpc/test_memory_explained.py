"""memory.get with explain, verdicts, lists by state and order, several at once. Budget: 8 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, listed, refusal
from daemons import Daemon
from waiting import until

from ashd.memory.cutoff import FILLED_TO

Scope = Callable[..., dict[str, Any]]


def explained(daemon: Daemon, memory: dict[str, Any], **params: Any) -> dict[str, Any]:
    """The explanation of a memory."""
    reply = daemon.call("memory.get", id=memory["id"], explain=True, **params)
    answer: dict[str, Any] = reply["explained"]
    return answer


# Provenance ---------------------------------------------------------------------------------------


def test_a_memory_leads_to_the_message_it_was_learned_from(daemon: Daemon, scope: Scope) -> None:
    """The host's id of the message identifies it, in the conversation of its session."""
    mine = scope()
    said = {"role": "user", "content": "I moved to Köln in May", "external_id": "m-7"}
    daemon.call("conversation.ingest", scope=mine, conversation_id="talk", messages=[said])
    memory = add(daemon, "Lives in Köln", scope={**mine, "session_id": "talk", "message_id": "m-7"})

    message = explained(daemon, memory, scope=mine)["message"]

    assert message["content"] == "I moved to Köln in May"
    assert message["conversation_id"] == "talk"
    assert daemon.call("memory.get", scope=mine, id=memory["id"]).keys() == {"memory", "people"}


def test_the_message_is_hidden_from_who_may_not_read_it(daemon: Daemon, scope: Scope) -> None:
    """A member who joined later reads the public memory, but not its message."""
    olga, saul = scope(), scope()
    group = {"chat_id": f"g {olga['user_id']}", "chat_type": "group"}
    both = [olga["user_id"], saul["user_id"]]
    alone = {**olga, **group, "participants": both[:1]}
    said = {"role": "user", "content": "Saul won the zebra cup", "external_id": "m-1"}
    daemon.call("conversation.ingest", scope=alone, conversation_id="talk", messages=[said])
    daemon.call("person.resolve", scope=saul, reference="me")
    joined = {**olga, **group, "participants": both}
    daemon.call("person.resolve", scope=joined, reference="Saul")
    place = {**alone, "session_id": "talk", "message_id": "m-1"}
    memory = add(daemon, "Olga's club has a cup", scope=place, sensitivity="public")

    own = explained(daemon, memory, scope=alone)
    operator = explained(daemon, memory, all_scopes=True)
    later = explained(daemon, memory, scope={**saul, **group, "participants": both})

    assert own["message"]["content"] == operator["message"]["content"] == said["content"]
    assert later["message"] is None


@pytest.mark.parametrize(
    ("sensitivity", "portable", "in_group", "ben", "cara"),
    [
        ("public", True, True, True, False),
        ("personal", True, False, True, False),
        ("sensitive", True, False, False, False),
        ("public", False, True, True, False),
    ],
)
def test_readers_are_those_whom_the_policy_lets_read(
    daemon: Daemon,
    scope: Scope,
    *,
    sensitivity: str,
    portable: bool,
    in_group: bool,
    ben: bool,
    cara: bool,
) -> None:
    """The explanation agrees with what each of them finds in each place."""
    anna, ben_, cara_ = scope(), scope(), scope()
    group = {"chat_id": f"g {anna['user_id']}", "chat_type": "group"}
    then = {**anna, **group, "participants": [anna["user_id"], ben_["user_id"]]}
    memory = add(daemon, "The door code is with me", scope=then, sensitivity=sensitivity,
                 portable=portable)  # fmt: skip
    everyone = [one["user_id"] for one in (anna, ben_, cara_)]
    now = {**anna, **group, "participants": everyone}
    daemon.call("memory.list", scope=now)
    daemon.call("person.resolve", scope=now, reference="me")

    told = explained(daemon, memory, all_scopes=True)
    readers = {reader["user_id"]: reader for reader in told["readers"]}

    assert told["in_its_group"] is in_group
    assert bool(listed(daemon, scope=now)) is in_group
    assert readers[anna["user_id"]]["roles"] == ["owner", "stated_by", "present"]
    assert readers[ben_["user_id"]]["in_private"] is ben
    assert bool(listed(daemon, scope=ben_)) is ben
    assert cara_["user_id"] not in readers
    assert bool(listed(daemon, scope=cara_)) is cara
    elsewhere = {**anna, "chat_id": f"other {anna['user_id']}", "chat_type": "group"}
    shown = bool(listed(daemon, scope={**elsewhere, "participants": [anna["user_id"]]}))
    assert readers[anna["user_id"]]["in_other_groups"] is shown


def test_readers_whom_the_viewer_never_met_are_only_counted(daemon: Daemon, scope: Scope) -> None:
    """Saul reads what is public about him, but not who said it nor who was present."""
    olga, pia, saul = scope(), scope(), scope()
    room = {"chat_id": f"g {olga['user_id']}", "chat_type": "group"}
    there = {**olga, **room, "participants": [olga["user_id"], pia["user_id"]]}
    memory = add(daemon, "Saul Stone sings tenor", scope=there, subjects=["Saul Stone"])
    account = {"provider": saul["provider"], "user_id": saul["user_id"]}
    person = memory["subject_person_ids"][0]
    daemon.call("person.link_account", all_scopes=True, id=person, account=account)

    shown = explained(daemon, memory, scope=saul)
    everything = explained(daemon, memory, all_scopes=True)

    assert {one["user_id"] for one in shown["readers"]} == {saul["user_id"]}
    assert shown["more_readers"] == 2
    assert shown["learned_in"] is None
    assert len(everything["readers"]) == 3


def test_a_sandbox_is_not_told_who_may_read(daemon: Daemon, scope: Scope) -> None:
    """A sandbox sees neither names nor counts of readers, nor whether a member is excluded."""
    olga, pia = scope(), scope()
    both = {**olga, "chat_id": f"g {olga['user_id']}", "chat_type": "group"}
    both["participants"] = [olga["user_id"], pia["user_id"]]
    memory = add(daemon, "The choir sings on Sunday", scope=both, sensitivity="public")
    grant = daemon.call("grant.create", scope=both)

    told = explained(daemon, memory, at=grant["socket"])

    assert (told["readers"], told["more_readers"], told["in_its_group"]) == ([], 0, None)


# Verdicts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["replaces", "both"])
def test_a_verdict_on_an_offer_can_be_undone(daemon: Daemon, scope: Scope, first: str) -> None:
    """`unsure` restores both memories and the offer, after a confirmation and a rejection."""
    mine = scope()
    older = add(daemon, "My desk is by the window", scope=mine)
    newer = add(daemon, "My desk is in the hall now", scope=mine)

    def verdict(text: str) -> None:
        pair = {"id": newer["id"], "superseded_id": older["id"]}
        daemon.call("memory.supersede", scope=mine, verdict=text, **pair)

    def offered() -> list[str]:
        memory = daemon.call("memory.get", scope=mine, id=newer["id"])["memory"]
        return [one["id"] for one in memory["conflicts"] if one["relation"] == "older"]

    verdict("both")
    verdict("unsure")
    assert offered() == [older["id"]]

    verdict(first)
    assert offered() == []
    assert len(listed(daemon, scope=mine)) == (1 if first == "replaces" else 2)

    verdict("unsure")
    assert offered() == [older["id"]]
    [conflict] = daemon.call("memory.get", scope=mine, id=older["id"])["memory"]["conflicts"]
    assert (conflict["id"], conflict["relation"]) == (newer["id"], "newer")
    assert len(listed(daemon, scope=mine)) == 2


def test_a_verdict_is_for_who_may_change_the_older_memory(daemon: Daemon, scope: Scope) -> None:
    """Another account's memory counts as unknown."""
    older = add(daemon, "The key is under the mat", scope=scope())
    stranger = scope()
    newer = add(daemon, "The key is in the shed", scope=stranger)

    for verdict in ("both", "unsure"):
        pair = {"id": newer["id"], "superseded_id": older["id"], "verdict": verdict}
        assert refusal(daemon, "memory.supersede", scope=stranger, **pair).kind == "not_found"


# Lists --------------------------------------------------------------------------------------------


def test_a_list_shows_one_state_alone(daemon: Daemon, scope: Scope) -> None:
    """Each memory is in one of the states."""
    mine = scope()
    for name in ("one", "two", "three"):
        add(daemon, f"Box {name} is in the attic", scope=mine)
    ids = {m["content"]: m["id"] for m in daemon.call("memory.list", scope=mine)["memories"]}
    daemon.call("memory.delete", scope=mine, id=ids["Box one is in the attic"])
    changes = {"content": "Box two is in the cellar"}
    daemon.call("memory.update", scope=mine, id=ids["Box two is in the attic"], changes=changes)

    by_state = {
        state: listed(daemon, scope=mine, state=state)
        for state in ("active", "superseded", "expired", "archived")
    }

    assert by_state == {
        "active": ["Box two is in the cellar", "Box three is in the attic"],
        "superseded": ["Box two is in the attic"],
        "expired": [],
        "archived": ["Box one is in the attic"],
    }


@pytest.mark.parametrize(
    ("sort", "used", "expected"),
    [
        ("newest", "", "edcba"),
        ("oldest", "", "abcde"),
        ("most_used", "dbb", "bdeca"),
        ("last_used", "b", "bedca"),
        ("ends_first", "", "cedba"),
    ],
)
def test_a_list_goes_page_by_page_in_any_order(
    daemon: Daemon, scope: Scope, sort: str, used: str, expected: str
) -> None:
    """Equal ones come newest first, and a page begins where the one before ended."""
    mine = scope()
    facts = [{"content": letter} for letter in "abcde"]
    facts[2]["expires_in_days"] = 5  # type: ignore[assignment]
    stored = daemon.call("memory.add", scope=mine, facts=facts)["memories"]
    for letter in used:
        daemon.call("memory.get", scope=mine, id=stored["abcde".index(letter)]["memory"]["id"])
    until(lambda: _times_used(daemon, mine) == len(used))

    seen = ""
    cursor: str | None = None
    while len(seen) < len(expected):
        params = {"cursor": cursor} if cursor else {}
        page = daemon.call("memory.list", scope=mine, limit=2, sort=sort, **params)
        assert page["total"] == len(expected)
        seen += "".join(memory["content"] for memory in page["memories"])
        cursor = page["next_cursor"]

    assert cursor is None
    assert seen == expected


def _times_used(daemon: Daemon, mine: dict[str, Any]) -> int:
    memories = daemon.call("memory.list", scope=mine)["memories"]
    return sum(memory["access_count"] for memory in memories)


def test_one_state_and_several_are_not_asked_for_at_once(daemon: Daemon, scope: Scope) -> None:
    """The error says which to leave out."""
    params = {"state": "active", "include_archived": True}

    assert refusal(daemon, "memory.list", scope=scope(), **params).kind == "invalid_params"


# Several at once ----------------------------------------------------------------------------------


def test_several_memories_change_together_or_not_at_all(daemon: Daemon, scope: Scope) -> None:
    """A dry run shows each before and after; a conflict names its memory, and nothing changes."""
    mine = scope()
    ids = [add(daemon, f"Plant {n} is a fern", scope=mine)["id"] for n in range(3)]
    changes = {"sensitivity": "personal", "expires_at": "2099-01-01"}

    def labels() -> set[str | None]:
        return {m["sensitivity"] for m in daemon.call("memory.list", scope=mine)["memories"]}

    shown = daemon.call("memory.update", scope=mine, ids=ids, changes=changes, dry_run=True)
    assert [one["before"]["id"] for one in shown["changed"]] == ids
    assert {one["after"]["sensitivity"] for one in shown["changed"]} == {"personal"}
    assert labels() == {None}

    stale = {"ids": ids, "changes": changes, "expected_revisions": [1, 1, 7]}
    error = refusal(daemon, "memory.update", scope=mine, **stale)
    assert (error.kind, error.data["id"]) == ("conflict", ids[2])
    assert f"Memory {ids[2][:8]}: " in str(error)
    assert labels() == {None}

    daemon.call("memory.update", scope=mine, ids=ids, changes=changes, expected_revisions=[1, 1, 1])
    assert labels() == {"personal"}


@pytest.mark.parametrize(
    "params",
    [
        {"ids": ["00000000"], "id": "00000000"},
        {},
        {"ids": ["00000000"], "changes": {"content": "One text for all"}},
        {"ids": ["00000000"], "expected_revision": 1},
        {"ids": ["00000000"], "expected_revisions": [1, 2]},
        {"id": "00000000", "expected_revisions": [1]},
        {"ids": []},
    ],
)
def test_a_change_of_several_is_asked_for_in_one_way(
    daemon: Daemon, scope: Scope, params: dict[str, Any]
) -> None:
    """A contradictory request is refused with its remedy."""
    params = {"changes": {"portable": False}, **params}

    assert refusal(daemon, "memory.update", scope=scope(), **params).kind == "invalid_params"


def test_named_memories_are_withdrawn_and_restored_as_one(daemon: Daemon, scope: Scope) -> None:
    """If one memory is not the caller's, all stay as they are."""
    mine = scope()
    ids = [add(daemon, f"Jar {n} has honey", scope=mine)["id"] for n in range(3)]
    foreign = add(daemon, "The jar is empty", scope=scope())["id"]

    refused = refusal(daemon, "memory.withdraw", scope=mine, ids=[*ids[:2], foreign])
    assert refused.kind == "not_found"
    preview = daemon.call("memory.withdraw", scope=mine, ids=ids[:2], dry_run=True)
    assert (preview["total"], preview["withdrawal_id"]) == (2, None)
    assert len(listed(daemon, scope=mine)) == 3

    done = daemon.call("memory.withdraw", scope=mine, ids=ids[:2])
    assert listed(daemon, scope=mine) == ["Jar 2 has honey"]

    daemon.call("memory.restore", scope=mine, withdrawal_id=done["withdrawal_id"])
    assert len(listed(daemon, scope=mine)) == 3


# Search and context -------------------------------------------------------------------------------


def test_an_explained_search_shows_what_it_cut_and_why(daemon: Daemon, scope: Scope) -> None:
    """Results over the limit or below the threshold are shown; without explain they are counted."""
    mine = scope()
    for name in ("red", "blue", "green"):
        add(daemon, f"The {name} kayak is in the boathouse", scope=mine)
    for month in ("May", "June", "July", "August", "October"):
        add(daemon, f"Tax returns of the {month} company are due", scope=mine)

    asked = {"query": "Where is the kayak?", "limit": 1, "scope": mine}
    withheld = daemon.call("memory.search", explain=True, **asked)["withheld"]

    reasons = [one["why"] for one in withheld["best"]]
    assert reasons.count("over_limit") == withheld["over_limit"] == FILLED_TO - 1
    assert reasons.count("below_threshold") == withheld["below_threshold"]
    assert all(one["result"]["signals"] for one in withheld["best"])
    assert "best" not in daemon.call("memory.search", **asked)["withheld"]


def test_an_explained_context_gives_each_line_its_tokens_and_reason(
    daemon: Daemon, scope: Scope
) -> None:
    """Every line of the block is an item that is in, and the tokens add up to its sections'."""
    mine = scope()
    daemon.call("override.add", scope=mine, content="Answer in short sentences")
    for name in ("red", "blue"):
        add(daemon, f"The {name} kayak is in the boathouse", scope=mine)

    result = daemon.call("context.get", scope=mine, message="Where is the red kayak?", explain=True)

    inside = [one for one in result["explained"] if one["why"] == "in"]
    reasons = {one["section"]: one["reason"] for one in inside}
    assert reasons["overrides"] == "pinned"
    assert reasons["memories"] in {"ranked", "newest"}
    assert all(one["text"] in result["text"] for one in inside)
    for section in result["sections"]:
        tokens = sum(one["tokens"] for one in inside if one["section"] == section["name"])
        assert 0 < section["tokens"] - tokens < 20
