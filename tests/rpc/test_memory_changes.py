"""memory.update, delete, restore, history and supersedes over the control socket. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def _states(daemon: Daemon, mine: dict[str, Any], memory_id: str) -> list[tuple[str, bool]]:
    """(content, whether it is superseded) of the chain."""
    chain = daemon.call("memory.history", scope=mine, id=memory_id)["chain"]
    return [(memory["content"], memory["superseded_at"] is not None) for memory in chain]


@pytest.fixture
def colours(daemon: Daemon, scope: Scope) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A scope, and red, blue, red again in it, each superseding the one before."""
    mine = scope()
    red = add(daemon, "My favourite colour is red", scope=mine)
    blue = add(daemon, "My favourite colour is blue", scope=mine, supersedes=red["id"])
    again = add(daemon, "My favourite colour is red", scope=mine, supersedes=blue["id"][:8])
    return mine, [red, blue, again]


def test_a_fact_supersedes_the_one_it_names(daemon: Daemon, scope: Scope) -> None:
    """The reply names it; the older one leaves default reads and has the link (A12)."""
    mine = scope()
    red = add(daemon, "My favourite colour is red", scope=mine)

    entry = daemon.call(
        "memory.add", scope=mine, content="My favourite colour is blue", supersedes=red["id"]
    )["memories"][0]

    assert entry["outcome"] == "added"
    assert entry["superseded"] == [red["id"]]
    older = daemon.call("memory.get", scope=mine, id=red["id"])["memory"]
    assert older["superseded_by_id"] == entry["memory"]["id"]
    assert older["superseded_at"] == entry["memory"]["created_at"]
    assert older["archived_at"] is None
    assert listed(daemon, scope=mine) == ["My favourite colour is blue"]
    assert found(daemon, "favourite colour", scope=mine) == ["My favourite colour is blue"]
    assert sorted(found(daemon, "favourite colour", scope=mine, include_superseded=True)) == [
        "My favourite colour is blue",
        "My favourite colour is red",
    ]
    assert listed(daemon, scope=mine, include_superseded=True) == [
        "My favourite colour is blue",
        "My favourite colour is red",
    ]


def test_red_blue_red_is_a_chain_of_three(
    daemon: Daemon, colours: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    """A superseded fact can be stated again; every member shows the whole chain (A10)."""
    mine, memories = colours

    assert len({memory["id"] for memory in memories}) == 3
    for memory in memories:
        assert _states(daemon, mine, memory["id"]) == [
            ("My favourite colour is red", True),
            ("My favourite colour is blue", True),
            ("My favourite colour is red", False),
        ]
    assert listed(daemon, scope=mine) == ["My favourite colour is red"]


def test_deleting_the_winner_brings_the_loser_back(
    daemon: Daemon, colours: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    """Step by step down the chain, by words and by meaning; never the ones below (A12)."""
    mine, (red, blue, again) = colours

    gone = daemon.call("memory.delete", scope=mine, id=again["id"])
    assert gone["reactivated"] == [blue["id"]]
    for mode in ("lexical", "vector"):
        assert found(daemon, "favourite colour", scope=mine, mode=mode, min_score=0) == [
            "My favourite colour is blue"
        ]
    back = daemon.call("memory.get", scope=mine, id=blue["id"])["memory"]
    assert (back["superseded_at"], back["superseded_by_id"]) == (None, None)

    gone = daemon.call("memory.delete", scope=mine, id=blue["id"])
    assert gone["reactivated"] == [red["id"]]
    assert daemon.call("memory.delete", scope=mine, id=blue["id"])["reactivated"] == []
    (only,) = daemon.call("memory.list", scope=mine)["memories"]
    assert only["id"] == red["id"]


def test_deleting_from_the_middle_leaves_the_winner(
    daemon: Daemon, colours: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    """Lower ones stay hidden while the top one is active, and return when it is deleted."""
    mine, (red, blue, again) = colours

    gone = daemon.call("memory.delete", scope=mine, id=blue["id"])
    assert gone["reactivated"] == []
    assert [memory["id"] for memory in daemon.call("memory.list", scope=mine)["memories"]] == [
        again["id"]
    ]
    daemon.call("memory.delete", scope=mine, id=again["id"])

    assert [memory["id"] for memory in daemon.call("memory.list", scope=mine)["memories"]] == [
        red["id"]
    ]


def test_a_deleted_loser_does_not_come_back(daemon: Daemon, scope: Scope) -> None:
    """Deleting the winner undoes the superseding, not the loser's own deletion."""
    mine = scope()
    red = add(daemon, "The gate is red", scope=mine)
    blue = add(daemon, "The gate is blue", scope=mine, supersedes=red["id"])

    daemon.call("memory.delete", scope=mine, id=red["id"])
    gone = daemon.call("memory.delete", scope=mine, id=blue["id"])

    assert gone["reactivated"] == []
    assert listed(daemon, scope=mine) == []


def test_a_restored_winner_takes_its_place_again(
    daemon: Daemon, colours: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    """Restoring undoes deleting, down the chain and in the vectors."""
    mine, (_, _, again) = colours

    daemon.call("memory.delete", scope=mine, id=again["id"])
    restored = daemon.call("memory.restore", scope=mine, id=again["id"])["memory"]

    assert (restored["archived_at"], restored["archive_reason"]) == (None, None)
    assert [memory["id"] for memory in daemon.call("memory.list", scope=mine)["memories"]] == [
        again["id"]
    ]
    for mode in ("lexical", "vector"):
        assert _eventually(
            lambda mode=mode: found(daemon, "favourite colour", scope=mine, mode=mode, min_score=0),
            ["My favourite colour is red"],
        )


def _eventually(ask: Callable[[], Any], expected: Any) -> bool:
    """Wait until the answer is the expected one: dropped vectors are made again."""
    return any(ask() == expected for _ in range(20_000))


def test_deleting_and_restoring_again_changes_nothing(daemon: Daemon, scope: Scope) -> None:
    """A repetition reports the state and changes nothing."""
    mine = scope()
    memory = add(daemon, "Delete me twice", scope=mine)

    first = daemon.call("memory.delete", scope=mine, id=memory["id"])["memory"]
    second = daemon.call("memory.delete", scope=mine, id=memory["id"])["memory"]
    back = daemon.call("memory.restore", scope=mine, id=memory["id"])
    again = daemon.call("memory.restore", scope=mine, id=memory["id"])
    restored = again["memory"]

    assert (back["restored"], again["restored"]) == (True, False)

    assert first["archive_reason"] == "user_deleted"
    assert first["archived_at"] is not None
    assert second == first
    assert restored["archived_at"] is None
    assert listed(daemon, scope=mine) == ["Delete me twice"]


def test_a_memory_does_not_come_back_beside_its_like(daemon: Daemon, scope: Scope) -> None:
    """The active one is named, and nothing changes; another person's memory does not count."""
    mine = scope()
    first = add(daemon, "Likes tea", scope=mine, subjects=["Tom"])
    daemon.call("memory.delete", scope=mine, id=first["id"])
    add(daemon, "Likes tea", scope=mine, subjects=["Ann"])
    daemon.call("memory.restore", scope=mine, id=first["id"])
    daemon.call("memory.delete", scope=mine, id=first["id"])
    second = add(daemon, "Likes tea", scope=mine, subjects=["Tom"])

    error = refusal(daemon, "memory.restore", scope=mine, id=first["id"])

    assert (error.kind, error.data["memory_id"]) == ("conflict", second["id"])
    kept = daemon.call("memory.get", scope=mine, id=first["id"])["memory"]
    assert kept["archive_reason"] == "user_deleted"
    assert listed(daemon, scope=mine) == ["Likes tea", "Likes tea"]


def test_only_what_stands_can_be_superseded(
    daemon: Daemon, colours: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    """Superseding only active memories rules out two winners and cycles (A11)."""
    mine, (red, blue, again) = colours
    daemon.call("memory.delete", scope=mine, id=again["id"])

    for memory in (red, again):
        error = refusal(daemon, "memory.add", scope=mine, content="Green", supersedes=memory["id"])
        assert error.kind == "conflict"
    assert listed(daemon, scope=mine) == [blue["content"]]


def test_nobody_supersedes_what_belongs_to_another(daemon: Daemon, scope: Scope) -> None:
    """Another user's memory counts as unknown; the group's may be corrected in the group alone."""
    theirs = add(daemon, "The gate is red", scope=scope())
    mine = scope()
    group = {**mine, "chat_id": "-7", "chat_type": "group"}
    shared = add(daemon, "We meet at six", scope=group, shared=True)

    hidden = refusal(daemon, "memory.add", scope=mine, content="Blue", supersedes=theirs["id"])
    other = refusal(daemon, "memory.add", scope=mine, content="Seven", supersedes=shared["id"])

    assert hidden.kind == "not_found"
    assert other.kind == "invalid_params"


def test_a_batch_whose_supersedes_is_wrong_stores_the_rest(daemon: Daemon, scope: Scope) -> None:
    """The person that only the refused fact named is not left behind."""
    mine = scope()

    entries = daemon.call(
        "memory.add",
        scope=mine,
        facts=[
            {"content": "Lives in Rome", "subjects": ["Zacharias"], "supersedes": "0" * 8},
            {"content": "The tap drips"},
        ],
    )["memories"]

    assert [entry["outcome"] for entry in entries] == ["refused", "added"]
    assert entries[0]["error"]["data"]["kind"] == "not_found"
    assert daemon.call("person.list", scope=mine, query="Zacharias")["people"] == []


# Updates ------------------------------------------------------------------------------------------


def test_new_content_is_a_new_memory(daemon: Daemon, scope: Scope) -> None:
    """The new memory supersedes the old one and keeps unchanged fields."""
    mine = scope()
    old = add(daemon, "I live in Leeds", scope=mine, tags=["home"], metadata={"a": 1}, type="event")

    result = daemon.call(
        "memory.update", scope=mine, id=old["id"], changes={"content": "I live in York"}
    )

    new = result["memory"]
    assert result["previous_id"] == old["id"]
    assert new["id"] != old["id"]
    assert new["content"] == "I live in York"
    assert (new["tags"], new["metadata"], new["memory_type"]) == (["home"], {"a": 1}, "event")
    assert new["revision"] == old["revision"] + 1
    assert _states(daemon, mine, new["id"]) == [
        ("I live in Leeds", True),
        ("I live in York", False),
    ]
    assert found(daemon, "where do I live", scope=mine) == ["I live in York"]


def test_other_fields_change_in_place(daemon: Daemon, scope: Scope) -> None:
    """Same id, next revision; null takes an expiry, a label or metadata away."""
    mine = scope()
    old = add(daemon, "The lease", scope=mine, expires_in_days=2, metadata={"a": 1}, tags=["x"])

    first = daemon.call(
        "memory.update",
        scope=mine,
        id=old["id"],
        changes={"type": "task", "tags": ["y"], "sensitivity": "sensitive", "portable": False},
    )
    second = daemon.call(
        "memory.update",
        scope=mine,
        id=old["id"],
        changes={"expires_at": None, "metadata": None, "type": "knowledge"},
    )["memory"]

    assert first["previous_id"] is None
    assert first["memory"]["id"] == old["id"]
    assert first["memory"]["revision"] == old["revision"] + 1
    assert first["memory"]["memory_type"] == "task"
    assert first["memory"]["tags"] == ["y"]
    assert first["memory"]["sensitivity"] == "sensitive"
    assert first["memory"]["portable"] is False
    assert first["memory"]["expires_at"] == old["expires_at"]
    assert (second["expires_at"], second["metadata"]) == (None, None)
    assert second["revision"] == old["revision"] + 2
    assert second["tags"] == ["y"]


def test_the_same_content_is_no_change_of_it(daemon: Daemon, scope: Scope) -> None:
    """An editor that sends every field back does not fill the history."""
    mine = scope()
    old = add(daemon, "The boat is green", scope=mine)

    result = daemon.call(
        "memory.update",
        scope=mine,
        id=old["id"],
        changes={"content": " The boat is green\n", "tags": ["boat"]},
    )

    assert result["previous_id"] is None
    assert result["memory"]["id"] == old["id"]
    assert result["memory"]["tags"] == ["boat"]


def test_a_repeated_correction_changes_nothing_else_in_silence(
    daemon: Daemon, scope: Scope
) -> None:
    """The same words again are answered; with a label they are a change of what is superseded."""
    mine = scope()
    old = add(daemon, "The boat is green", scope=mine)
    change = {"scope": mine, "id": old["id"]}
    words = {"content": "The boat is blue"}
    made = daemon.call("memory.update", **change, changes=words)["memory"]

    assert made == daemon.call("memory.update", **change, changes=words)["memory"]
    labelled = {**words, "sensitivity": "sensitive"}
    assert refusal(daemon, "memory.update", **change, changes=labelled).kind == "conflict"


def test_an_update_can_guard_against_one_in_between(daemon: Daemon, scope: Scope) -> None:
    """The stale one is a conflict that says the revision now, and changes nothing."""
    mine = scope()
    old = add(daemon, "Guarded", scope=mine)
    change = {"scope": mine, "id": old["id"], "expected_revision": old["revision"]}

    now = daemon.call("memory.update", **change, changes={"tags": ["one"]})["memory"]
    error = refusal(daemon, "memory.update", **change, changes={"tags": ["two"]})
    again = daemon.call(
        "memory.update",
        **{**change, "expected_revision": now["revision"]},
        changes={"tags": ["three"]},
    )["memory"]

    assert error.kind == "conflict"
    assert error.data["revision"] == now["revision"]
    assert again["tags"] == ["three"]


def test_a_deletion_can_guard_against_a_change_in_between(daemon: Daemon, scope: Scope) -> None:
    """The stale one is a conflict that says the revision now; the memory stays."""
    mine = scope()
    old = add(daemon, "Guarded", scope=mine)
    known = {"scope": mine, "id": old["id"], "expected_revision": old["revision"]}

    now = daemon.call("memory.update", scope=mine, id=old["id"], changes={"tags": ["one"]})
    error = refusal(daemon, "memory.delete", **known)

    assert error.kind == "conflict"
    assert error.data["revision"] == now["memory"]["revision"]
    assert listed(daemon, scope=mine) == ["Guarded"]
    daemon.call("memory.delete", **{**known, "expected_revision": now["memory"]["revision"]})
    assert listed(daemon, scope=mine) == []


def test_a_guarded_deletion_can_be_repeated(daemon: Daemon, scope: Scope) -> None:
    """A caller who lost the reply sends it again; its own deletion is no change in between."""
    mine = scope()
    old = add(daemon, "Guarded", scope=mine)
    guarded = {"scope": mine, "id": old["id"], "expected_revision": old["revision"]}

    first = daemon.call("memory.delete", **guarded)

    assert daemon.call("memory.delete", **guarded) == {**first, "reactivated": []}


def test_what_no_longer_stands_cannot_be_changed(daemon: Daemon, scope: Scope) -> None:
    """Superseded and deleted memories cannot be changed."""
    mine = scope()
    red = add(daemon, "The gate is red", scope=mine)
    blue = add(daemon, "The gate is blue", scope=mine, supersedes=red["id"])
    daemon.call("memory.delete", scope=mine, id=blue["id"])
    add(daemon, "The gate is green", scope=mine, supersedes=red["id"])

    for memory in (red, blue):
        error = refusal(
            daemon, "memory.update", scope=mine, id=memory["id"], changes={"content": "No gate"}
        )
        assert error.kind == "conflict"


def test_text_that_becomes_private_gets_its_label(daemon: Daemon, scope: Scope) -> None:
    """New content about health is labelled personal, whatever the old label was."""
    mine = scope()
    plain = add(daemon, "I see Dr Weber on Monday", scope=mine)
    labelled = add(daemon, "I see Dr Klein on Monday", scope=mine, sensitivity="public")

    changed = [
        daemon.call("memory.update", scope=mine, id=memory["id"], changes={"content": content})[
            "memory"
        ]["sensitivity"]
        for memory, content in (
            (plain, "I have diabetes"),
            (labelled, "My brother has diabetes"),
        )
    ]

    assert changed == ["personal", "personal"]


def test_only_content_or_a_label_changes_the_label(daemon: Daemon, scope: Scope) -> None:
    """New tags, metadata and subjects alone hide nothing; with new content they are judged too.

    A given label is kept, null asks for a new one.
    """
    mine = scope()
    changed = []
    for changes in (
        {"tags": ["chemo"]},
        {"metadata": {"diagnosis": "HIV positive"}},
        {"subjects": ["my oncologist Dr Ziff"]},
        {"tags": ["chemo"], "sensitivity": "public"},
        {"tags": ["chemo"], "sensitivity": None},
        {"tags": ["chemo"], "content": "Friday at the usual place"},
        {"tags": ["chemo"], "content": "Thursday at the usual place 6"},
    ):
        memory = add(daemon, f"Thursday at the usual place {len(changed)}", scope=mine)
        made = daemon.call("memory.update", scope=mine, id=memory["id"], changes=changes)
        changed.append(made["memory"]["sensitivity"])
    tagged = add(daemon, "Friday at nine", scope=mine, tags=["chemo"], sensitivity="public")
    again = daemon.call(
        "memory.update", scope=mine, id=tagged["id"], changes={"sensitivity": None}
    )["memory"]

    assert changed == [None, None, None, "public", "personal", "personal", None]
    assert again["sensitivity"] == "personal"


def test_too_long_content_is_too_large(daemon: Daemon, scope: Scope) -> None:
    """An update with too long content is refused, too."""
    mine = scope()
    memory = add(daemon, "Stays as it is", scope=mine)

    changes = {"content": "x" * 10_001}
    error = refusal(daemon, "memory.update", scope=mine, id=memory["id"], changes=changes)

    assert error.kind == "too_large"
    assert listed(daemon, scope=mine) == ["Stays as it is"]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"content": ""},
        {"content": 5},
        {"colour": "red"},
        {"id": "x"},
        {"owner_user_id": "somebody"},
        {"shared": True},
        {"supersedes": "0" * 8},
        {"observed_at": "2026-01-01"},
        {"type": "rumour"},
        {"expires_at": "2001-01-01"},
        {"valid_from": "2026-02-01", "valid_until": "2026-01-31"},
        {"expires_in_days": 0},
        {"expires_in_days": 2, "expires_at": "2099-01-01"},
        {"subjects": [" "]},
        {"tags": "x"},
        "content",
        None,
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_changes_are_refused(daemon: Daemon, scope: Scope, changes: Any) -> None:
    """The memory stays as it was."""
    mine = scope()
    memory = add(daemon, "Unchanged", scope=mine)

    error = refusal(daemon, "memory.update", scope=mine, id=memory["id"], changes=changes)

    assert error.kind == "invalid_params"
    assert daemon.call("memory.get", scope=mine, id=memory["id"])["memory"]["revision"] == 1


def test_a_secret_is_refused_in_an_update_too(daemon: Daemon, scope: Scope) -> None:
    """The error names the kind of secret and never repeats it (A9)."""
    mine = scope()
    memory = add(daemon, "My key is in the drawer", scope=mine)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

    error = refusal(
        daemon,
        "memory.update",
        scope=mine,
        id=memory["id"],
        changes={"content": f"My key is {secret}"},
    )

    assert error.kind == "content_refused"
    assert secret not in str(error.error)
    assert listed(daemon, scope=mine) == ["My key is in the drawer"]


def test_tags_and_metadata_of_a_replaced_memory_can_be_changed(
    daemon: Daemon, scope: Scope
) -> None:
    """Changes of its content, readers and expiry are refused, and any change of a deleted one."""
    me = scope()

    def refused(**changes: Any) -> str:
        kind: str = refusal(daemon, "memory.update", scope=me, id=old["id"], changes=changes).kind
        return kind

    old = daemon.call("memory.add", scope=me, content="Keeps bees")["memories"][0]["memory"]
    new = daemon.call("memory.add", scope=me, content="Keeps geese", supersedes=old["id"])
    daemon.call("db.gc")
    changes = {"tags": ["hive"], "metadata": {"seen": 1}}
    changed = daemon.call("memory.update", scope=me, id=old["id"], changes=changes)["memory"]

    assert (["hive"], {"seen": 1}) == (changed["tags"], changed["metadata"])
    assert new["memories"][0]["memory"]["id"] == changed["superseded_by_id"]
    for field, value in (("content", "Keeps ants"), ("portable", False), ("expires_in_days", 3)):
        assert "conflict" == refused(**{"tags": [], field: value})
    daemon.call("memory.delete", scope=me, id=old["id"])
    assert "conflict" == refused(tags=[])
