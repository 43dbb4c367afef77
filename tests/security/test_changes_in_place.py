"""Changes to a group's memories need that group, and writing does not include forgetting. Budget:
15 s.
"""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from sandboxes import opened

Scope = dict[str, Any]


class Told:
    """A group of Ann and Ben, in which Ann told something, and grants for both."""

    def __init__(self, daemon: Daemon, scope: Callable[..., Scope]) -> None:
        self.daemon = daemon
        tag = scope()["user_id"]
        users = [f"{tag}-ann", f"{tag}-ben"]
        chat = {"chat_id": tag, "chat_type": "group"}
        self.private = scope(users[0])
        self.ann = scope(users[0], **chat, participants=users)
        self.ben = scope(users[1], **chat, participants=users)
        for who in (self.ann, self.ben):
            daemon.call("memory.list", scope=who)
        self.memory = self.add(self.ann, "The meeting is on Monday", sensitivity="public")

    def add(self, who: Scope, content: str, **more: Any) -> dict[str, Any]:
        """Store a fact; the memory."""
        added = self.daemon.call("memory.add", scope=who, content=content, **more)
        memory: dict[str, Any] = added["memories"][0]["memory"]
        return memory

    def socket(self, who: Scope, *rights: str) -> str:
        """The socket of a grant."""
        socket: str = opened(self.daemon, who, rights=list(rights))["socket"]
        return socket

    def shown(self, who: Scope) -> list[dict[str, Any]]:
        """Return the memories that somebody reads, without their access counts."""
        listed = self.daemon.call("memory.list", scope=who, include_superseded=True)["memories"]
        return [
            {k: v for k, v in m.items() if k not in {"last_accessed_at", "access_count"}}
            for m in listed
        ]


@pytest.fixture
def told(daemon: Daemon, scope: Callable[..., Scope]) -> Told:
    """Makes the group."""
    return Told(daemon, scope)


def denied(daemon: Daemon, method: str, **params: Any) -> None:
    """Check that a call is denied, with a remedy."""
    with pytest.raises(CallFailed) as failed:
        daemon.call(method, **params)
    assert "denied" == failed.value.kind
    assert failed.value.data["hint"]


def soon() -> str:
    """Return a time in the near future."""
    return (dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)).isoformat()


@pytest.mark.parametrize(
    "changes",
    [
        {"tags": ["divorce"]},
        {"metadata": {"note": "the lawyer on Tuesday"}},
        {"valid_until": "2027-01-01"},
        {"valid_from": "2027-01-01"},
        {"subjects": ["my lawyer Ruth"]},
        {"type": "event"},
        {"expires_in_days": 1},
        {"sensitivity": "sensitive"},
        {"portable": False},
    ],
)
def test_nothing_changes_in_a_group_from_a_private_chat(
    told: Told, changes: dict[str, Any]
) -> None:
    """A sandbox and the host on the speaker's behalf are refused; in the group both work."""
    before = told.shown(told.ben)
    socket = told.socket(told.private, "read", "write", "forget")
    params = {"id": told.memory["id"], "changes": changes}

    denied(told.daemon, "memory.update", at=socket, **params)
    denied(told.daemon, "memory.update", scope=told.private, **params)

    assert before == told.shown(told.ben)
    told.daemon.call("memory.update", scope=told.ann, **params)
    assert before != told.shown(told.ben)


def test_a_group_keeps_what_a_private_chat_replaces(told: Told) -> None:
    """New words and a superseding fact leave it visible to the group."""
    before = told.shown(told.ben)
    params = {"id": told.memory["id"], "changes": {"content": "The meeting is called off"}}
    made = told.daemon.call("memory.update", scope=told.private, **params)["memory"]
    fact = {"content": "There is no meeting", "supersedes": told.memory["id"]}
    denied(told.daemon, "memory.add", scope=told.private, **fact)
    confirmed = {"id": made["id"], "superseded_id": told.memory["id"]}
    denied(told.daemon, "memory.supersede", scope=told.private, **confirmed)

    assert before == told.shown(told.ben)
    history = told.daemon.call("memory.history", scope=told.ben, id=told.memory["id"])
    assert ([told.memory["id"]], []) == ([one["id"] for one in history["chain"]], history["events"])


def test_a_winner_that_a_group_may_not_read_replaces_nothing(told: Told) -> None:
    """A label or portability hides the winner; a later label reactivates the older one."""
    for fact in ({"sensitivity": "sensitive"}, {"portable": False}):
        content = {"content": "The meeting is about Ben", "supersedes": told.memory["id"]}
        denied(told.daemon, "memory.add", scope=told.ann, **content, **fact)
        changed = {"content": "The meeting is about Ben", **fact}
        params = {"id": told.memory["id"], "changes": changed}
        denied(told.daemon, "memory.update", scope=told.ann, **params)

    fact = {"content": "The meeting is on Tuesday", "supersedes": told.memory["id"]}
    newer = told.add(told.ann, **fact)
    assert ["The meeting is on Tuesday"] == [
        m["content"] for m in told.daemon.call("memory.list", scope=told.ben)["memories"]
    ]
    params = {"id": newer["id"], "changes": {"sensitivity": "sensitive"}}
    told.daemon.call("memory.update", scope=told.ann, **params)
    (left,) = told.daemon.call("memory.list", scope=told.ben)["memories"]
    assert (told.memory["id"], None) == (left["id"], left["superseded_at"])


def test_a_repetition_in_private_changes_nothing_in_the_group(told: Told) -> None:
    """A repetition with a stricter label becomes a memory of its own."""
    before = told.shown(told.ben)
    again = {"content": "The meeting is on Monday", "sensitivity": "sensitive"}
    (entry,) = told.daemon.call("memory.add", scope=told.private, **again)["memories"]
    assert "added" == entry["outcome"]
    assert before == told.shown(told.ben)


# To write is not to forget ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{"expires_in_days": 1e-7}, {"expires_at": soon()}, {"type": "observation"}],
)
@pytest.mark.parametrize("shared", [False, True])
def test_to_let_a_memory_end_takes_the_right_to_forget(
    told: Told, changes: dict[str, Any], *, shared: bool
) -> None:
    """One's own in private, or the group's; callers with the right to forget may."""
    who = told.ann if shared else told.private
    old = dt.datetime.now(dt.UTC) - dt.timedelta(days=30)
    fact = {"content": "The picnic is on July 9", "observed_at": old.isoformat()}
    memory = told.add(who, **fact, shared=shared)
    params = {"id": memory["id"], "changes": changes}

    denied(told.daemon, "memory.update", at=told.socket(who, "read", "write"), **params)
    told.daemon.call("memory.update", at=told.socket(who, "read", "write", "forget"), **params)


def test_to_redate_what_others_see_takes_the_right_to_forget(told: Told) -> None:
    """A validity that hides it from questions counts as an end too."""
    socket = told.socket(told.ann, "read", "write")
    for changes in ({"valid_until": "2020-01-01"}, {"valid_from": "2090-01-01"}):
        params = {"id": told.memory["id"], "changes": changes}
        denied(told.daemon, "memory.update", at=socket, **params)


def test_a_repetition_without_the_right_to_forget_ends_nothing(told: Told) -> None:
    """A repeated fact with an early end leaves the first one unchanged."""
    memory = told.add(told.private, "The picnic is on July 9")
    again = {"content": "The picnic is on July 9", "expires_in_days": 1}
    told.daemon.call("memory.add", at=told.socket(told.private, "read", "write"), **again)
    shown = told.daemon.call("memory.get", scope=told.private, id=memory["id"])["memory"]
    assert shown["expires_at"] is None


@pytest.mark.parametrize("changes", [{"expires_in_days": 1e-9}, {"type": "observation"}])
def test_the_operator_brings_back_what_was_let_end(told: Told, changes: dict[str, Any]) -> None:
    """Expired and faded memories are restored as deleted ones are, and no longer expire."""
    old = dt.datetime.now(dt.UTC) - dt.timedelta(days=30)
    fact = {"content": "The picnic is on July 9", "observed_at": old.isoformat()}
    memory = told.add(told.private, **fact)
    socket = told.socket(told.private, "read", "write", "forget")
    told.daemon.call("memory.update", at=socket, id=memory["id"], changes=changes)
    assert [] == told.daemon.call("memory.search", at=socket, query="picnic")["results"]

    answer = told.daemon.call(
        "memory.restore", id=memory["id"], all_scopes=True, scope=told.private
    )
    assert answer["restored"]
    assert answer["memory"]["expires_at"] is None
    found = told.daemon.call("memory.search", at=socket, query="picnic")["results"]
    assert memory["id"] == found[0]["memory"]["id"]


def test_a_sandbox_does_not_choose_when_something_was_said(told: Told) -> None:
    """Presence is judged by the clock, not by `observed_at` nor by an update."""
    ann, ben = told.ann, told.ben
    socket = told.socket(ann, "read", "write")
    year = {"observed_at": "2020-01-01"}
    told.daemon.call(
        "memory.add", at=socket, content="A secret plan", sensitivity="personal", **year
    )

    # Ben heard it, though it is dated before he joined; a later member did not.
    assert "A secret plan" in str(told.shown(ben))
    joined = {**ben, "participants": [*ben["participants"], f"{ann['chat_id']}-zoe"]}
    assert "A secret plan" not in str(told.shown(joined))


# People and relations -----------------------------------------------------------------------------


def test_facts_about_people_in_a_group_are_changed_only_there(daemon: Daemon, told: Told) -> None:
    """Relationships, aliases and relations; a new name in private is a private one."""
    daemon.call(
        "memory.add",
        scope=told.ann,
        content="My boss Priya sings",
        subjects=["my boss Priya"],
    )
    (priya,) = daemon.call("person.list", scope=told.ben, query="Priya")["people"]
    daemon.call("person.add_alias", scope=told.ann, id=priya["id"], alias="Pri")
    relation = {"source": "Priya", "relation": "works_at", "target": "Initech"}
    tie = daemon.call("graph.relate", scope=told.ann, **relation)["relation"]

    def seen() -> str:
        asked = {"scope": told.ben}
        listed = daemon.call("person.list", query="Pri", **asked)
        return str([listed, daemon.call("graph.search", name="Initech", **asked)])

    before = seen()
    own = {"scope": told.private, "id": priya["id"]}
    denied(daemon, "person.unrelate", **own, relationship="boss")
    denied(daemon, "person.remove_alias", **own, alias="Pri")
    denied(daemon, "graph.end", scope=told.private, id=tie["id"])
    denied(daemon, "graph.remove", scope=told.private, id=tie["id"])
    daemon.call("person.update", **own, name="Priscilla")
    shown = daemon.call("person.get", **own)["person"]

    assert "Priscilla" == shown["name"]
    assert "Priscilla" not in seen()
    assert all(word in seen() for word in ("'Priya'", "'Pri'", "boss"))
    assert before.count("Initech") == seen().count("Initech")
    daemon.call("person.unrelate", scope=told.ann, id=priya["id"], relationship="boss")


def test_one_names_oneself_in_private_for_oneself(daemon: Daemon, told: Told) -> None:
    """The group keeps the names that its provider shows."""
    named = {**told.ann, "display_name": "Ann"}
    daemon.call("memory.list", scope=named)
    own = daemon.call("person.resolve", scope=told.private, reference="me")["person_id"]
    daemon.call("person.update", scope=told.private, id=own, name="Annabel")
    assert "Annabel" == daemon.call("person.get", scope=told.private, id=own)["person"]["name"]
    listed = daemon.call("person.list", scope=told.ben)["people"]
    assert "Annabel" not in str(listed)
    assert "Ann" in {person["name"] for person in listed}
