"""search.all: memories and messages in one ranking. Budget: 2 s."""

from collections.abc import Callable
from typing import Any

from asking import add
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def _both(daemon: Daemon, mine: dict[str, Any]) -> None:
    add(daemon, "The boat is called Albatross", scope=mine, subjects=["Anna"])
    add(daemon, "Rubbish is collected on Thursdays", scope=mine)
    daemon.call(
        "conversation.ingest",
        scope=mine,
        conversation_id="c",
        messages=[
            {"content": "We sailed the boat to Amrum last summer."},
            {"content": "The bakery opens at six."},
        ],
    )


def _named(hit: dict[str, Any]) -> tuple[str, Any, float]:
    """Return a result without the count of its uses, which each search raises."""
    kind = hit["source_type"]
    return kind, hit[kind]["id"], hit["score"]


def test_memories_and_messages_come_in_one_ranking(any_daemon: Daemon, scope: Scope) -> None:
    """Each under the name of its kind, with what its own search says of it, by score."""
    mine = scope()
    _both(any_daemon, mine)

    answer = any_daemon.call("search.all", scope=mine, query="What of the boat?")

    kinds = {hit["source_type"] for hit in answer["results"]}
    assert kinds == {"memory", "message"}
    scores = [hit["score"] for hit in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    for hit in answer["results"]:
        assert ("memory" in hit) == (hit["source_type"] == "memory")
        assert ("message" in hit) == (hit["source_type"] == "message")
    memory = next(hit for hit in answer["results"] if hit["source_type"] == "memory")
    assert memory["memory"]["content"] == "The boat is called Albatross"
    assert (memory["about"], memory["trust"]) == (["Anna"], "hearsay")
    same = any_daemon.call("memory.search", scope=mine, query="What of the boat?")["results"][0]
    assert (same["memory"]["id"], same["score"]) == (memory["memory"]["id"], memory["score"])


def test_the_limit_counts_both_kinds_together(any_daemon: Daemon, scope: Scope) -> None:
    """The best of either."""
    mine = scope()
    _both(any_daemon, mine)
    everything = any_daemon.call("search.all", scope=mine, query="What of the boat?")["results"]

    one = any_daemon.call("search.all", scope=mine, query="What of the boat?", limit=1)

    assert [_named(hit) for hit in one["results"]] == [_named(hit) for hit in everything[:1]]


def test_ten_are_returned_unless_a_number_is_asked_for(plain: Daemon, scope: Scope) -> None:
    """Messages of a long conversation do not fill a model's window."""
    mine = scope()
    said = [{"content": f"The boat sailed to the {place} pier."} for place in "abcdefghijkl"]
    plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=said)

    some = plain.call("search.all", scope=mine, query="Which pier did the boat sail to?")
    more = plain.call("search.all", scope=mine, query="Which pier did the boat sail to?", limit=12)

    assert (len(some["results"]), len(more["results"])) == (10, 12)


def test_nothing_relevant_is_nothing(any_daemon: Daemon, scope: Scope) -> None:
    """No memory and no message is returned, though `conversation.search` would fill its limit."""
    mine = scope()
    _both(any_daemon, mine)

    answer = any_daemon.call("search.all", scope=mine, query="quarterly revenue forecast")

    assert answer["results"] == []


def test_a_sandbox_asks_too(plain: Daemon, scope: Scope) -> None:
    """A sandbox with the right to read searches its own scope."""
    mine = scope()
    _both(plain, mine)
    _both(plain, scope())
    grant = plain.call("grant.create", scope=mine, rights=["read"])

    hits = plain.call("search.all", at=grant["socket"], query="What of the boat?")["results"]

    assert {hit["source_type"] for hit in hits} == {"memory", "message"}
    own = {memory["id"] for memory in plain.call("memory.list", scope=mine)["memories"]}
    page = plain.call("conversation.get", scope=mine, conversation_id="c")
    own |= {message["id"] for message in page["messages"]}
    assert {hit.get("memory", hit.get("message"))["id"] for hit in hits} <= own


def test_what_is_not_relevant_is_counted(any_daemon: Daemon, scope: Scope) -> None:
    """Irrelevant memories are counted but not shown, unlike an empty store."""
    mine = scope()
    any_daemon.call("memory.add", scope=mine, content="The boat lies in the harbour of Varna")

    found = any_daemon.call("search.all", scope=mine, query="the boat in the harbour")
    unfit = any_daemon.call("search.all", scope=mine, query="income tax rates for companies")
    nothing = any_daemon.call("search.all", scope=scope(), query="the boat in the harbour")

    assert 1 == len(found["results"])
    assert [] == unfit["results"]
    # Without vectors a text that shares no word with the question is not counted as near.
    near = any_daemon.call("system.status")["embedder"] != "off"
    assert near == unfit["withheld"]["below_threshold"]
    assert {"below_threshold": 0, "over_limit": 0} == nothing["withheld"]
