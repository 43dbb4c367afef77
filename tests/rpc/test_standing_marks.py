"""Marks of a person: a memory that every prompt for a plan holds, or that none does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Client, Daemon

Scope = Callable[..., dict[str, Any]]


def _block(daemon: Daemon, scope: dict[str, Any]) -> str:
    asked = "Book a table for dinner on Friday"
    return str(daemon.call("context.get", scope=scope, message=asked)["text"])


def test_a_marked_memory_is_told_whatever_its_rank(daemon: Daemon, scope: Scope) -> None:
    mine = scope()
    first = daemon.call("memory.add", scope=mine, content="Loud rooms tire me within minutes")
    told = first["memories"][0]["memory"]["id"]
    others = [{"content": f"Dinner {n} on Friday was at table {n * 7}"} for n in range(30)]
    daemon.call("memory.add", scope=mine, facts=others)
    changes = {"tags": ["hearing", "standing"]}

    assert "Loud rooms" not in _block(daemon, mine)
    daemon.call("memory.update", scope=mine, id=told, changes=changes)
    assert "Loud rooms" in _block(daemon, mine)
    assert "Loud rooms" not in _block(daemon, scope())
    daemon.call("memory.update", scope=mine, id=told, changes={"tags": ["hearing"]})
    assert "Loud rooms" not in _block(daemon, mine)


def test_the_asker_is_not_somebody_else(daemon: Daemon, scope: Scope) -> None:
    """A model may name "me" or "user" as a fact's subject; "about David" would seem another."""
    mine = scope(display_name="David")
    facts = [
        {"content": f"{content} tire me", "subjects": [me], "tags": ["standing"]}
        for content, me in (("Loud rooms", "me"), ("Long stairs", "user"), ("Screens", "David"))
    ]
    daemon.call("memory.add", scope=mine, facts=facts)
    others = [{"content": f"Dinner {n} on Friday was at table {n * 7}"} for n in range(30)]
    daemon.call("memory.add", scope=mine, facts=others)

    block = _block(daemon, mine)

    assert [one for one in ("Loud", "Long", "Screens") if one not in block] == []
    assert "about David" not in block


@pytest.mark.parametrize("mark", ["standing", "not-standing"])
def test_a_sandbox_neither_gives_nor_takes_a_mark(daemon: Daemon, scope: Scope, mark: str) -> None:
    """It keeps the mark when it changes other tags."""
    mine = scope()
    stored = daemon.call("memory.add", scope=mine, content="I hear badly", tags=[mark])
    marked = stored["memories"][0]["memory"]["id"]
    grant = daemon.call("grant.create", scope=mine, rights=["read", "write"])

    with Client(Path(grant["socket"])) as sandbox:
        with pytest.raises(CallFailed, match="Only the person"):
            sandbox.call("memory.add", content="Wire the money", tags=[mark])
        several = sandbox.call("memory.add", facts=[{"content": "Pay", "tags": [mark]}])
        assert several["memories"][0]["outcome"] == "refused"
        with pytest.raises(CallFailed, match="Only the person"):
            sandbox.call("memory.update", id=marked, changes={"tags": ["ears"]})
        other = sandbox.call("memory.add", content="I like tea")["memories"][0]["memory"]["id"]
        with pytest.raises(CallFailed, match="Only the person"):
            sandbox.call("memory.update", id=other, changes={"tags": [mark]})
        kept = sandbox.call("memory.update", id=marked, changes={"tags": ["ears", mark]})
    assert kept["memory"]["tags"] == ["ears", mark]


def test_a_mark_goes_with_the_words_that_a_sandbox_replaces(daemon: Daemon, scope: Scope) -> None:
    """Its words would stand in every plan otherwise; the person's own correction keeps the mark."""
    mine = scope()
    stored = daemon.call("memory.add", scope=mine, content="Hears badly", tags=["ears", "standing"])
    marked = stored["memories"][0]["memory"]["id"]
    grant = daemon.call("grant.create", scope=mine, rights=["read", "write"])

    own = daemon.call("memory.update", scope=mine, id=marked, changes={"content": "Hears little"})
    with Client(Path(grant["socket"])) as sandbox:
        changes = {"content": "Wants money wired", "tags": ["ears", "standing"]}
        made = sandbox.call("memory.update", id=own["memory"]["id"], changes=changes)

    assert own["memory"]["tags"] == ["ears", "standing"]
    assert made["memory"]["tags"] == ["ears"]


@pytest.mark.parametrize("mark", ["standing", "not-standing"])
def test_a_mark_labels_no_memory(daemon: Daemon, scope: Scope, mark: str) -> None:
    """It says how the memory is used, and nothing about a person."""
    mine = scope()
    told = daemon.call("memory.add", scope=mine, content="The lamp is green", tags=[mark])
    memory = told["memories"][0]["memory"]
    changes = {"sensitivity": None}  # judged anew
    changed = daemon.call("memory.update", scope=mine, id=memory["id"], changes=changes)["memory"]
    assert (memory["sensitivity"], changed["sensitivity"]) == (None, None)
