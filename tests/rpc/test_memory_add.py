"""memory.add over the control socket: one fact, batches, repeated calls, bad input. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, listed, refusal
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def test_a_memory_has_every_field_of_the_data_model(daemon: Daemon, scope: Scope) -> None:
    """All fields are there, null or empty where nothing was said (A1, A7)."""
    mine = scope(username="ada_l", display_name="Ada Lovelace", session_id="s-1", message_id="m-7")

    memory = add(
        daemon,
        "I take my coffee black",
        scope=mine,
        type="preference",
        sensitivity="personal",
        portable=False,
        observed_at="2026-02-09T10:00:00+01:00",
        valid_from="2026-01-01",
        valid_until="2027-01-01T00:00:00Z",
        expires_at="2099-05-05T12:30:00.25Z",
        tags=["drinks", "morning", "drinks"],
        metadata={"source": {"app": "notes", "pages": [1, 2]}},
    )

    assert memory == {
        "id": memory["id"],
        "version": 1,
        "revision": 1,
        "content": "I take my coffee black",
        "memory_type": "preference",
        "created_at": memory["created_at"],
        "observed_at": "2026-02-09T09:00:00Z",
        "owner_user_id": mine["user_id"],
        "chat_id": None,
        "provider": "test",
        "subject_person_ids": [],
        "source": "rpc",
        "source_username": "ada_l",
        "source_display_name": "Ada Lovelace",
        "source_session_id": "s-1",
        "source_message_id": "m-7",
        "extraction_confidence": None,
        "sensitivity": "personal",
        "portable": False,
        "expires_at": "2099-05-05T12:30:00.250000Z",
        "valid_from": "2026-01-01T00:00:00Z",
        "valid_until": "2027-01-01T00:00:00Z",
        "tags": ["drinks", "morning"],
        "superseded_at": None,
        "superseded_by_id": None,
        "archived_at": None,
        "archive_reason": None,
        "last_accessed_at": None,
        "access_count": 0,
        "metadata": {"source": {"app": "notes", "pages": [1, 2]}},
        "project": None,
        "conflicts": [],
    }
    assert memory["created_at"].endswith("Z")


def test_what_is_left_out_has_its_default(daemon: Daemon, scope: Scope) -> None:
    """A bare fact is knowledge that lasts, portable, with no label and no people."""
    entry = daemon.call("memory.add", scope=scope(), content="The gate code is on the fridge")

    (stored,) = entry["memories"]
    assert stored["outcome"] == "added"
    assert stored["superseded"] == []
    assert stored["people"] == []
    assert "error" not in stored
    memory = stored["memory"]
    assert memory["memory_type"] == "knowledge"
    assert memory["portable"] is True
    assert memory["sensitivity"] is None
    assert memory["expires_at"] is None
    assert memory["tags"] == []
    assert memory["metadata"] is None


def test_a_shared_fact_belongs_to_the_group(daemon: Daemon, scope: Scope) -> None:
    """In a group an unshared fact belongs to its speaker, a shared one to the chat (A4)."""
    group = scope(chat_id="-1", chat_type="group")

    own = add(daemon, "I am bringing the salad", scope=group)
    shared = add(daemon, "The picnic starts at noon", scope=group, shared=True)

    assert (own["owner_user_id"], own["chat_id"]) == (group["user_id"], None)
    assert (shared["owner_user_id"], shared["chat_id"]) == (None, "-1")


def test_sharing_outside_a_group_is_refused(daemon: Daemon, scope: Scope) -> None:
    """A private chat has nobody to share with."""
    error = refusal(daemon, "memory.add", scope=scope(), content="The door is blue", shared=True)

    assert error.kind == "invalid_params"


def test_the_command_line_is_the_source_cli(daemon: Daemon, scope: Scope) -> None:
    """The source distinguishes what a person types on the host from what programs store."""
    with daemon.client() as client:
        client.call("session.hello", client="ash")
        entry = client.call("memory.add", scope=scope(), content="I typed this")

    assert entry["memories"][0]["memory"]["source"] == "cli"


# Batches ------------------------------------------------------------------------------------------


def test_a_batch_has_an_outcome_for_each_fact_in_order(daemon: Daemon, scope: Scope) -> None:
    """A refused fact says why and takes no other with it (A5)."""
    mine = scope()
    facts = [
        {"content": "The cat is called Miso"},
        {"content": "   "},
        {"content": "the cat is called miso!"},
        {"content": "The dog is called Rex", "expires_at": "2001-01-01"},
        {"content": "The dog is called Rex"},
    ]

    entries = daemon.call("memory.add", scope=mine, facts=facts)["memories"]

    assert [entry["outcome"] for entry in entries] == [
        "added",
        "refused",
        "duplicate",
        "refused",
        "added",
    ]
    assert entries[2]["memory"]["id"] == entries[0]["memory"]["id"]
    assert entries[1]["memory"] is None
    assert entries[1]["error"]["code"] == -32602
    assert entries[1]["error"]["data"]["kind"] == "invalid_params"
    assert entries[1]["error"]["data"]["hint"]
    assert listed(daemon, scope=mine) == ["The dog is called Rex", "The cat is called Miso"]


def test_a_refused_fact_of_a_batch_leaves_nobody_behind(daemon: Daemon, scope: Scope) -> None:
    """A person whom only a refused fact is about is not stored (A1)."""
    mine = scope()
    facts = [
        {"content": "He keeps bees", "subjects": ["Quirin"]},
        {"content": "He rides", "subjects": ["Ruprecht"], "supersedes": "00000000-none"},
    ]

    entries = daemon.call("memory.add", scope=mine, facts=facts)["memories"]

    assert [entry["outcome"] for entry in entries] == ["added", "refused"]
    named = [person["name"] for person in daemon.call("person.list", scope=mine)["people"]]
    assert "Quirin" in named
    assert "Ruprecht" not in named


@pytest.mark.parametrize(
    "bad",
    [
        {"content": "x" * 10_001},
        {"content": "A fact of an unknown type", "type": "rumour"},
        {"content": "A fact with a vague date", "expires_at": "soon"},
        {"content": "A fact with an unknown field", "colour": "red"},
        {"type": "event"},
        {"content": 7},
    ],
    ids=["too long", "type", "date", "field", "no content", "no text"],
)
def test_a_fact_that_does_not_fit_is_refused_alone(
    daemon: Daemon, scope: Scope, bad: dict[str, Any]
) -> None:
    """An invalid fact of a batch does not stop the others from being stored (A5)."""
    mine = scope()

    entries = daemon.call(
        "memory.add", scope=mine, facts=[{"content": "One"}, bad, {"content": "Two"}]
    )["memories"]

    assert [entry["outcome"] for entry in entries] == ["added", "refused", "added"]
    assert entries[1]["error"]["data"]["kind"] in {"invalid_params", "too_large"}
    assert "`" not in entries[1]["error"]["message"]
    assert listed(daemon, scope=mine) == ["Two", "One"]


def test_the_call_gives_the_facts_their_defaults(daemon: Daemon, scope: Scope) -> None:
    """A field at the top applies to each fact that has no own value."""
    entries = daemon.call(
        "memory.add",
        scope=scope(),
        type="event",
        tags=["trip"],
        sensitivity="personal",
        portable=False,
        observed_at="2026-03-01",
        facts=[
            {"content": "We fly to Lisbon"},
            {
                "content": "I like window seats",
                "type": "preference",
                "tags": [],
                "sensitivity": "public",
                "portable": True,
            },
        ],
    )["memories"]

    first, second = (entry["memory"] for entry in entries)
    names = ("memory_type", "tags", "sensitivity", "portable", "observed_at")
    assert [first[name] for name in names] == [
        "event",
        ["trip"],
        "personal",
        False,
        "2026-03-01T00:00:00Z",
    ]
    assert [second[name] for name in names] == [
        "preference",
        [],
        "public",
        True,
        "2026-03-01T00:00:00Z",
    ]


@pytest.mark.parametrize(
    ("default", "own", "expected"),
    [
        ({"expires_in_days": 3}, {"expires_at": "2099-01-01"}, "2099-01-02T00:00:00Z"),
        ({"expires_at": "2001-01-01"}, {"expires_at": "2099-01-01"}, "2099-01-02T00:00:00Z"),
        ({"expires_at": "2098-01-01"}, {}, "2098-01-02T00:00:00Z"),
    ],
)
def test_a_facts_own_expiry_beats_the_default(
    daemon: Daemon, scope: Scope, default: dict[str, Any], own: dict[str, Any], expected: str
) -> None:
    """An expiry in days or as a time, in the call or in the fact, precedes the default."""
    facts = [{"content": "The voucher", **own}]

    (entry,) = daemon.call("memory.add", scope=scope(), facts=facts, **default)["memories"]

    assert entry["outcome"] == "added"
    assert entry["memory"]["expires_at"] == expected


def test_a_hundred_facts_are_one_call(daemon: Daemon, scope: Scope) -> None:
    """100 facts are stored; of 101 none is."""
    mine = scope()
    facts = [{"content": f"House number {number} has a red roof"} for number in range(101)]

    error = refusal(daemon, "memory.add", scope=mine, facts=facts)
    stored = daemon.call("memory.add", scope=mine, facts=facts[:100])["memories"]

    assert error.kind == "too_large"
    assert [entry["outcome"] for entry in stored] == ["added"] * 100
    assert daemon.call("memory.list", scope=mine)["total"] == 100


# The same again -----------------------------------------------------------------------------------


def test_the_same_fact_again_is_a_duplicate(daemon: Daemon, scope: Scope) -> None:
    """The existing memory is returned for any spelling of the same fact (A10)."""
    mine = scope()
    first = add(daemon, "My favourite colour is red.", scope=mine)

    again = daemon.call("memory.add", scope=mine, content="my  favourite colour is Red")

    assert again["memories"][0]["outcome"] == "duplicate"
    assert again["memories"][0]["memory"]["id"] == first["id"]
    assert daemon.call("memory.list", scope=mine)["total"] == 1


def test_another_users_same_fact_is_no_duplicate(daemon: Daemon, scope: Scope) -> None:
    """Each scope has its own memories, and no outcome reveals another's."""
    first = add(daemon, "I work at the harbour", scope=scope())
    second = add(daemon, "I work at the harbour", scope=scope())

    assert first["id"] != second["id"]


def test_the_same_words_about_somebody_else_are_another_fact(daemon: Daemon, scope: Scope) -> None:
    """The people that a fact is about are part of what it says."""
    mine = scope()
    add(daemon, "Likes jazz", scope=mine, subjects=["Nora"])

    entry = daemon.call("memory.add", scope=mine, content="Likes jazz", subjects=["Peter"])

    assert entry["memories"][0]["outcome"] == "added"


def test_a_repeated_call_stores_once(daemon: Daemon, scope: Scope) -> None:
    """A retry with its key gets the first answer, also after the memory was deleted (A10)."""
    mine = scope()
    call = {
        "scope": mine,
        "facts": [{"content": "Nora plays the cello", "subjects": ["Nora"]}, {"content": ""}],
        "idempotency_key": "k-1",
    }

    first = daemon.call("memory.add", **call)
    second = daemon.call("memory.add", **call)
    daemon.call("memory.delete", scope=mine, id=first["memories"][0]["memory"]["id"])
    third = daemon.call("memory.add", **call)

    assert second == first
    assert first["memories"][0]["people"][0]["created"] is True
    assert third["memories"][0]["memory"]["id"] == first["memories"][0]["memory"]["id"]
    assert third["memories"][0]["memory"]["archive_reason"] == "user_deleted"
    assert daemon.call("memory.list", scope=mine)["total"] == 0


def test_a_key_with_other_params_is_a_conflict(daemon: Daemon, scope: Scope) -> None:
    """The second call stores nothing."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="Red", idempotency_key="k")

    error = refusal(daemon, "memory.add", scope=mine, content="Blue", idempotency_key="k")

    assert error.kind == "conflict"
    assert listed(daemon, scope=mine) == ["Red"]


def test_keys_of_other_scopes_and_grants_are_others(daemon: Daemon, scope: Scope) -> None:
    """The same key means nothing to another user, another chat or another grant."""
    mine = scope()
    elsewhere = {**mine, "chat_id": "-5", "chat_type": "group"}
    grants = [daemon.call("grant.create", scope=mine)["socket"] for _ in range(2)]
    added = {"idempotency_key": "k", "content": "x"}

    daemon.call("memory.add", scope=mine, content="Mine", idempotency_key="k")
    add(daemon, "Yours", scope=scope(), idempotency_key="k")
    add(daemon, "The group's", scope=elsewhere, idempotency_key="k")
    for number, socket in enumerate(grants):
        daemon.call(
            "memory.add", at=socket, **{**added, "content": f"The sandbox's, number {number}"}
        )

    assert daemon.call("memory.list", scope=mine)["total"] == 4


# Bad input ----------------------------------------------------------------------------------------


def test_ten_thousand_characters_fit(daemon: Daemon, scope: Scope) -> None:
    """The limit is the one in session.hello, and a content of exactly that length is stored."""
    mine = scope()
    limit = daemon.call("session.hello")["limits"]["content_chars"]
    longest = "é" * limit

    memory = add(daemon, longest, scope=mine)
    error = refusal(daemon, "memory.add", scope=mine, content=longest + "é")

    assert limit == 10_000
    assert memory["content"] == longest
    assert error.kind == "too_large"
    assert daemon.call("memory.list", scope=mine)["total"] == 1


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"content": "a", "facts": [{"content": "b"}]},
        {"facts": []},
        {"content": ""},
        {"content": " \n\t "},
        {"content": "\u200b"},
        {"content": 5},
        {"content": None},
        {"content": ["a"]},
        {"content": "a", "colour": "red"},
        {"content": "a", "type": "rumour"},
        {"content": "a", "type": "Knowledge"},
        {"content": "a", "subjects": "Sarah"},
        {"content": "a", "subjects": [""]},
        {"content": "a", "subjects": ["  "]},
        {"content": "a", "subjects": ["x" * 201]},
        {"content": "a", "subjects": ["Sarah"] * 21},
        {"content": "a", "shared": "yes"},
        {"content": "a", "sensitivity": "secret"},
        {"content": "a", "portable": 1},
        {"content": "a", "expires_in_days": 0},
        {"content": "a", "expires_in_days": -1},
        {"content": "a", "expires_in_days": 1e9},
        {"content": "a", "expires_in_days": "7"},
        {"content": "a", "expires_in_days": 7, "expires_at": "2099-01-01"},
        {"content": "a", "expires_at": "2001-01-01"},
        {"content": "a", "expires_at": "2099-02-30"},
        {"content": "a", "expires_at": "2099-01-01T10:00:00"},
        {"content": "a", "expires_at": "next week, perhaps"},
        {"content": "a", "observed_at": "yesterday"},
        {"content": "a", "observed_at": 1_700_000_000},
        {"content": "a", "valid_from": "2026-13-01"},
        {"content": "a", "valid_until": "99999-01-01"},
        {"content": "a", "valid_from": "2026-02-01", "valid_until": "2026-01-31"},
        {"content": "a", "tags": "one"},
        {"content": "a", "tags": ["x"] * 51},
        {"content": "a", "tags": ["x" * 101]},
        {"content": "a", "metadata": [1]},
        {"content": "a", "supersedes": "abc"},
        {"content": "a", "supersedes": "not-hex!"},
        {"content": "a", "idempotency_key": ""},
        {"content": "a", "idempotency_key": "k" * 201},
    ],
    ids=lambda params: ",".join(f"{k}={str(v)[:20]}" for k, v in params.items()) or "nothing",
)
def test_bad_params_are_refused(daemon: Daemon, scope: Scope, params: dict[str, Any]) -> None:
    """The error says so and nothing is stored."""
    mine = scope()

    error = refusal(daemon, "memory.add", scope=mine, **params)

    assert error.kind == "invalid_params"
    assert daemon.call("memory.list", scope=mine)["total"] == 0


@pytest.mark.parametrize("value", ["9999-12-31", "9999-12-31T23:59:59Z"])
def test_the_last_day_of_the_calendar_is_a_day(daemon: Daemon, scope: Scope, value: str) -> None:
    """Callers write it for "never"."""
    memory = add(daemon, "It never ends", scope=scope(), expires_at=value)

    assert memory["expires_at"].startswith("9999-12-31T23:59:59")


def test_metadata_has_a_size(daemon: Daemon, scope: Scope) -> None:
    """16 KiB of it are kept, more is too large."""
    mine = scope()
    add(daemon, "It fits", scope=mine, metadata={"text": "x" * 16_000})

    error = refusal(daemon, "memory.add", scope=mine, content="No", metadata={"t": "x" * 16_384})

    assert error.kind == "too_large"


@pytest.mark.parametrize(
    ("scope_given", "part"),
    [
        ({"provider": "test"}, "user_id"),
        ({"provider": "test", "user_id": "u", "chat_id": "-1"}, "chat_type"),
        ({"provider": "test", "user_id": "u", "chat_type": "group"}, "chat_id"),
        (
            {"provider": "test", "user_id": "u", "chat_id": "1", "chat_type": "channel"},
            "group, private",
        ),
        ({"provider": "test", "user_id": 7}, "user_id"),
        ({"user_id": "u"}, "provider"),
        ({"provider": "test", "user_id": "u", "team": "x"}, "team"),
        ({"provider": "test", "user_id": "u", "participants": ["u"]}, "participants"),
        ("me", "scope"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_scope_that_names_nobody_is_refused(daemon: Daemon, scope_given: Any, part: str) -> None:
    """The error names the part that is wrong."""
    error = refusal(daemon, "memory.add", scope=scope_given, content="a")

    assert error.kind == "invalid_params"
    assert part in error.error["message"]


def test_without_a_scope_it_is_the_local_user(daemon: Daemon) -> None:
    """The login name of whoever runs the daemon, at the provider local."""
    hello = daemon.call("session.hello")

    memory = add(daemon, f"Stored without a scope by {hello['scope']['user_id']}")

    assert memory["provider"] == "local"
    assert memory["owner_user_id"] == hello["scope"]["user_id"]


@pytest.mark.parametrize(
    "beside",
    [
        {"tags": ["friends", "cancer"]},
        {"metadata": {"diagnosis": "HIV positive"}},
        {"metadata": {"notes": [{"illness": "depression"}]}},
        {"subjects": ["my oncologist Dr Ziff"]},
    ],
    ids="-".join,
)
def test_tags_metadata_and_subjects_are_labelled_too(
    daemon: Daemon, scope: Scope, beside: dict[str, Any]
) -> None:
    """Texts beside a plain content can be private; a given label is kept."""
    content = "Thursday at nine at the usual place"

    plain = add(daemon, content, scope=scope(), subjects=["my wife"], tags=["friends"])
    private = add(daemon, content, scope=scope(), **beside)
    given = add(daemon, content, scope=scope(), sensitivity="public", **beside)

    labels = [memory["sensitivity"] for memory in (plain, private, given)]
    assert labels == [None, "personal", "public"]


def test_a_fact_is_knowledge(daemon: Daemon, scope: Scope) -> None:
    """`fact` is accepted as a type, at the top and in a batch (A3)."""
    mine = scope()

    first = add(daemon, "The gate is red", scope=mine, type="fact")
    batch = daemon.call(
        "memory.add", scope=mine, facts=[{"content": "The door is blue", "type": "fact"}]
    )["memories"]
    found = daemon.call("memory.list", scope=mine, types=["fact"])["memories"]
    changed = daemon.call("memory.update", scope=mine, id=first["id"], changes={"type": "task"})
    back = daemon.call("memory.update", scope=mine, id=first["id"], changes={"type": "fact"})

    assert [first["memory_type"], batch[0]["memory"]["memory_type"]] == ["knowledge", "knowledge"]
    assert {"The gate is red", "The door is blue"} == {memory["content"] for memory in found}
    assert ("task", "knowledge") == (
        changed["memory"]["memory_type"],
        back["memory"]["memory_type"],
    )
