"""Memory switched off (`[memory] enabled`). Budget: 10 s."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asking import refusal
from daemons import Daemon, running

SCOPE = {"provider": "test", "user_id": "alice"}
TURNS = [{"user": "I like tea", "assistant": "Noted."}]


@pytest.fixture(scope="module")
def switched_off() -> Iterator[Daemon]:
    """A daemon that remembered, and then was switched off."""
    for daemon in running():
        memory = daemon.call("memory.add", scope=SCOPE, content="I like tea")["memories"][0]
        daemon.remembered = memory["memory"]["id"]
        daemon.call("override.add", scope=SCOPE, content="Call me Al")
        there = {"chat_id": "club", "chat_type": "group", "participants": ["alice"]}
        daemon.call(
            "conversation.ingest", scope={**SCOPE, **there}, conversation_id="club", turns=TURNS
        )
        daemon.stop()
        daemon.config("[memory]\nenabled = false\n")
        yield daemon.start()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory.add", {"content": "I like coffee"}),
        ("conversation.ingest", {"conversation_id": "c", "turns": TURNS}),
        ("person.resolve", {"reference": "Zoe"}),
        ("override.add", {"content": "Call me Bob"}),
        ("profile.set", {"text": "Al is a nurse."}),
        ("graph.add_entity", {"name": "Acme", "type": "company"}),
        ("graph.relate", {"source": "Al", "relation": "works at", "target": "Acme"}),
        ("tools.call", {"name": "remember", "arguments": {"content": "I like coffee"}}),
        ("tools.call", {"name": "recall", "arguments": {"query": "tea"}}),
    ],
)
def test_nothing_is_stored(switched_off: Daemon, method: str, params: dict[str, Any]) -> None:
    """The error says why, and how to change it."""
    before = switched_off.call("db.stats")["counts"]

    refused = refusal(switched_off, method, scope=SCOPE, **params)

    assert refused.kind == "denied"
    assert "[memory] enabled" in refused.data["hint"]
    after = switched_off.call("db.stats")["counts"]
    for rows in ("memories", "people", "passages"):
        assert before[rows] == after[rows]


def test_a_memory_is_not_changed_into_another(switched_off: Daemon) -> None:
    """A new content would be a new memory."""
    refused = refusal(
        switched_off,
        "memory.update",
        scope=SCOPE,
        id=switched_off.remembered,
        changes={"content": "I like coffee"},
    )

    assert refused.kind == "denied"


def test_nothing_goes_into_a_prompt(switched_off: Daemon) -> None:
    """The block is empty and says why; a model gets no tools."""
    told = switched_off.call("context.get", scope=SCOPE, message="What do I like?")

    assert (told["text"], told["token_count"], told["memories"]) == ("", 0, [])
    assert [notice["kind"] for notice in told["notices"]] == ["memory_off"]
    assert switched_off.call("tools.list", scope=SCOPE)["tools"] == []


def test_a_grant_that_could_never_work_is_refused(switched_off: Daemon) -> None:
    """A group's grant needs its user to take part, which is not recorded while memory is off.

    A grant for the user, for the group, or for somebody who takes part already works.
    """
    carol = {"provider": "test", "user_id": "carol"}
    chat = {"chat_id": "club", "chat_type": "group"}
    before = switched_off.call("grant.list")["grants"]

    refused = refusal(switched_off, "grant.create", scope={**carol, **chat})

    assert ("denied", True) == (refused.kind, "[memory] enabled" in refused.data["hint"])
    assert before == switched_off.call("grant.list")["grants"]
    assert [] == [*(switched_off.run / "sandbox").iterdir()]
    scopes = (carol, {"provider": "test", **chat}, {**SCOPE, **chat})
    made = [switched_off.call("grant.create", scope=scope)["grant_id"] for scope in scopes]
    assert set(made) == {grant["grant_id"] for grant in switched_off.call("grant.list")["grants"]}


def test_what_is_there_can_be_looked_at_and_taken_away(switched_off: Daemon) -> None:
    """The person on the host can still read and delete while memory is off."""
    listed = switched_off.call("memory.list", scope=SCOPE)["memories"]
    assert [memory["content"] for memory in listed] == ["I like tea"]
    found = switched_off.call("person.list", scope=SCOPE)["people"]
    assert found is not None
    gone = switched_off.call("memory.delete", scope=SCOPE, id=switched_off.remembered)
    assert gone["memory"]["archive_reason"] == "user_deleted"


def test_it_is_a_setting_that_is_checked(new_daemon: Callable[..., Daemon]) -> None:
    """An invalid value stops the start, and the error names the allowed ones."""
    daemon = new_daemon()
    daemon.config('[memory]\nenabled = "sometimes"\n')

    daemon.start(wait_for="memory.enabled = 'sometimes' cannot be")

    assert daemon.process is not None
    assert daemon.process.wait(120) != 0
    daemon.process = None
