"""A memory that the asker may not read replaces nothing for them, on any surface. Budget: 15 s."""

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from sandboxes import opened
from waiting import until

Scope = dict[str, Any]
Names = Callable[..., Scope]
OLD, NEW = "The keys lie under the mat", "The keys lie in the shed"


class Reworded:
    """A group of Ann, Ben and Cem; Ann rewords a memory after Ben has left."""

    def __init__(self, daemon: Daemon, scope: Names) -> None:
        self.daemon = daemon
        tag = scope()["user_id"]
        self.users = {name: f"{tag}-{name}" for name in ("ann", "ben", "cem")}
        self.chat = {"chat_id": tag, "chat_type": "group"}
        self.scope = scope
        everybody, rest = ("ann", "ben", "cem"), ("ann", "cem")
        added = self.call(
            "memory.add", self.group("ann", *everybody), content=OLD, sensitivity="personal"
        )
        self.old = added["memories"][0]["memory"]
        changes = {"content": NEW}
        updated = self.call(
            "memory.update", self.group("ann", *rest), id=self.old["id"], changes=changes
        )
        self.new = updated["memory"]
        assert updated["previous_id"] == self.old["id"]

    def call(self, method: str, who: Scope, **params: Any) -> Any:
        """Call on somebody's behalf."""
        return self.daemon.call(method, scope=who, **params)

    def private(self, name: str) -> Scope:
        """Return a private chat."""
        return self.scope(self.users[name])

    def group(self, name: str, *members: str) -> Scope:
        """Return the group with these members, of whom one asks."""
        return self.scope(
            self.users[name], **self.chat, participants=[self.users[one] for one in members]
        )


@pytest.fixture
def reworded(daemon: Daemon, scope: Names) -> Reworded:
    """Make the group."""
    return Reworded(daemon, scope)


def shown_in(reworded: Reworded, who: Scope, path: Path) -> dict[str, str]:
    """Return the reply of each surface, as text, for a question about the keys."""
    asked = {"scope": who}
    call = reworded.daemon.call
    call("db.export", path=str(path), **asked)
    socket = opened(reworded.daemon, who, rights=["read"])["socket"]
    recalled = {"name": "recall", "arguments": {"query": "Where do the keys lie?"}}
    return {
        "list": str(call("memory.list", **asked)["memories"]),
        "grant": str(call("memory.list", at=socket)["memories"]),
        "search": str(call("memory.search", query="Where do the keys lie?", **asked)["results"]),
        "context": call("context.get", message="Where do the keys lie?", **asked)["text"],
        "tool": str(call("tools.call", at=socket, **recalled)),
        "export": path.read_text(),
    }


def test_who_has_left_keeps_what_was_said_before(reworded: Reworded, tmp_path: Path) -> None:
    """Ben reads the former words, everywhere and as if nothing had followed; Ann the new ones."""
    ben, ann = reworded.private("ben"), reworded.private("ann")
    for surface, shown in shown_in(reworded, ben, tmp_path / "ben").items():
        assert (OLD in shown, NEW in shown, surface) == (True, False, surface)
    for surface, shown in shown_in(reworded, ann, tmp_path / "ann").items():
        assert (NEW in shown, surface) == (True, surface)
        assert surface == "export" or OLD not in shown

    history = reworded.call("memory.history", ben, id=reworded.old["id"])
    assert ([OLD], []) == ([one["content"] for one in history["chain"]], history["events"])
    told = json.dumps([history, reworded.call("memory.get", ben, id=reworded.old["id"])])
    assert (None, None) == (
        history["chain"][0]["superseded_at"],
        history["chain"][0]["superseded_by_id"],
    )
    assert reworded.new["id"] not in told
    exported = [json.loads(line) for line in (tmp_path / "ben").read_text().splitlines()]
    assert {"supersession", "memory_event"}.isdisjoint(one["kind"] for one in exported)
    (memory,) = (one for one in exported if one["kind"] == "memory")
    assert memory["superseded_at"] is None


def test_counts_and_states_are_the_readers(reworded: Reworded) -> None:
    """The former words are active for Ben, superseded for Ann, and counted as such."""
    for name, active, superseded in (("ben", [OLD], []), ("ann", [NEW], [OLD])):
        who = reworded.private(name)
        for state, expected in (("active", active), ("superseded", superseded)):
            listed = reworded.call("memory.list", who, state=state)
            assert expected == [one["content"] for one in listed["memories"]]
            assert listed["total"] == len(expected)
    found = reworded.call(
        "memory.search", reworded.private("ben"), query="keys", as_of="2999-01-01"
    )
    assert [OLD] == [one["memory"]["content"] for one in found["results"]]


def test_a_group_reads_what_all_of_it_heard(reworded: Reworded) -> None:
    """Ben is back: the new words were said without him, so the group has the former ones again."""
    everybody = reworded.group("cem", "ann", "ben", "cem")
    listed = reworded.call("memory.list", everybody)["memories"]
    assert [(OLD, None)] == [(one["content"], one["superseded_at"]) for one in listed]

    without = reworded.group("cem", "ann", "cem")
    assert [NEW] == [one["content"] for one in reworded.call("memory.list", without)["memories"]]


def test_each_reader_gets_the_latest_words_they_may_read(reworded: Reworded) -> None:
    """Ann rewords the former words once more before everybody, who do not see those in between."""
    everybody = reworded.group("ann", "ann", "ben", "cem")
    changes = {"content": "The keys lie with Cem"}
    made = reworded.call("memory.update", everybody, id=reworded.old["id"], changes=changes)
    assert made["previous_id"] == reworded.old["id"]

    def read(name: str) -> list[list[str]]:
        """The words in a list and in a search, which keeps its rows between calls."""
        mine = reworded.private(name)
        listed = reworded.call("memory.list", mine)["memories"]
        found = reworded.call("memory.search", mine, query="keys", min_score=0)["results"]
        return [[one["content"] for one in listed], [one["memory"]["content"] for one in found]]

    for name in ("ann", "ben", "cem"):
        assert read(name) == [["The keys lie with Cem"]] * 2
    reworded.call("memory.delete", everybody, id=made["memory"]["id"])
    for name, left in (("ann", NEW), ("ben", OLD), ("cem", NEW)):
        assert read(name) == [[left]] * 2


def test_words_are_back_when_those_that_replaced_them_end(reworded: Reworded) -> None:
    """A search that kept its rows finds the former words once the new ones get an end."""
    everybody = reworded.group("ann", "ann", "ben", "cem")
    changes = {"content": "The keys lie with Cem"}
    made = reworded.call("memory.update", everybody, id=reworded.old["id"], changes=changes)
    ben = reworded.private("ben")

    def found() -> list[str]:
        results = reworded.call("memory.search", ben, query="keys", min_score=0)["results"]
        return [one["memory"]["content"] for one in results]

    assert found() == ["The keys lie with Cem"]
    soon = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=1)
    ends = {"expires_at": soon.isoformat()}
    reworded.call("memory.update", everybody, id=made["memory"]["id"], changes=ends)
    until(lambda: found() == [OLD])


def test_a_repetition_is_recognised_as_if_nothing_hidden_had_followed(reworded: Reworded) -> None:
    """The same words again are a duplicate of what the group reads."""
    everybody = reworded.group("ann", "ann", "ben", "cem")
    again = reworded.call("memory.add", everybody, content=OLD, sensitivity="personal")
    (entry,) = again["memories"]
    assert ("duplicate", reworded.old["id"]) == (entry["outcome"], entry["memory"]["id"])


def test_a_winner_that_gets_other_readers_counts_for_them(reworded: Reworded) -> None:
    """Searched before and after: a label hides the new words, and the former ones are back."""
    ann = reworded.private("ann")
    cem = reworded.private("cem")

    def found() -> list[str]:
        results = reworded.call("memory.search", cem, query="keys", min_score=0)["results"]
        return [one["memory"]["content"] for one in results]

    assert found() == [NEW]
    here = reworded.group("ann", "ann", "cem")
    for label, expected in (("sensitive", OLD), ("personal", NEW)):
        changes = {"sensitivity": label}
        asked = {"id": reworded.new["id"], "changes": changes, "all_scopes": True}
        reworded.call("memory.update", here, **asked)
        assert found() == [expected]
        listed = reworded.call("memory.list", ann)["memories"]
        assert NEW in {one["content"] for one in listed}


def test_no_cleanup_takes_what_somebody_still_reads(daemon: Daemon, reworded: Reworded) -> None:
    """The clean-up archives a superseded memory only if nobody reads it without its winner."""
    own = reworded.call("memory.add", reworded.private("ann"), content="The code is in the book")
    first = own["memories"][0]["memory"]["id"]
    changes = {"content": "The code is on the wall"}
    reworded.call("memory.update", reworded.private("ann"), id=first, changes=changes)
    archived = {one["id"] for one in daemon.call("db.gc")["memories"]}

    assert first in archived
    assert reworded.old["id"] not in archived
    listed = reworded.call("memory.list", reworded.private("ben"))["memories"]
    assert [(OLD, None)] == [(one["content"], one["archived_at"]) for one in listed]


def test_a_repetition_in_private_is_no_event_in_the_group(daemon: Daemon, scope: Names) -> None:
    """The group's history names what was repeated there, and not what was repeated in private."""
    tag = scope()["user_id"]
    users = [f"{tag}-ann", f"{tag}-ben"]
    chat = {"chat_id": tag, "chat_type": "group", "participants": users}
    ann, ben = (scope(user, **chat) for user in users)
    fact = {"content": "The picnic is on July 9", "sensitivity": "public"}
    told = daemon.call("memory.add", scope=ann, **fact)["memories"][0]["memory"]["id"]

    daemon.call("memory.add", scope=scope(users[0]), content=fact["content"])
    assert [] == daemon.call("memory.history", scope=ben, id=told)["events"]
    daemon.call("memory.add", scope=ann, **fact)
    (event,) = daemon.call("memory.history", scope=ben, id=told)["events"]
    assert "duplicate" == event["event"]


def test_what_is_hidden_changes_no_error(reworded: Reworded) -> None:
    """Ben may not change Ann's memory; he is told so, and not that something has replaced it."""
    with pytest.raises(CallFailed) as failed:
        reworded.call(
            "memory.update",
            reworded.private("ben"),
            id=reworded.old["id"],
            changes={"content": "The keys are lost"},
        )
    assert failed.value.kind == "denied"
