"""Searches by words without an embedder, or with one that does not answer. Budget: 10 s."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from asking import add, found, refusal
from daemons import CallFailed, Daemon
from endpoint import Endpoint
from waiting import until

Scope = Callable[..., dict[str, Any]]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.end()


@pytest.fixture
def daemon(new_daemon: Callable[..., Daemon], endpoint: Endpoint) -> Daemon:
    """A daemon that embeds through the endpoint."""
    made = new_daemon(environment={"OPENAI_API_KEY": "not-a-real-key"})
    made.config(endpoint.config)
    return made.start(wait_for="embedder_ready")


def _ask_until(ask: Callable[[], Any], expected: Any) -> Any:
    """Ask until the answer is the expected one; the last answer."""
    answers: list[Any] = [None]

    def is_there() -> bool:
        with suppress(CallFailed):
            answers.append(ask())
        return bool(answers[-1] == expected)

    with suppress(AssertionError):  # whoever asks shows the answer that came instead
        until(is_there)
    return answers[-1]


def _nearest(daemon: Daemon, mine: dict[str, Any], query: str) -> list[str]:
    return found(daemon, query, scope=mine, mode="vector", min_score=0, limit=1)


def _waiting(daemon: Daemon) -> Callable[[], tuple[str, int]]:
    def ask() -> tuple[str, int]:
        status = daemon.call("system.status")
        return status["embedder"], status["waiting_for_vectors"]

    return ask


def test_without_an_embedder_words_find(new_daemon: Callable[..., Daemon], scope: Scope) -> None:
    """The configuration has no embedder, so nothing is degraded; only vector search is refused."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start(wait_for="embedder_ready")
    mine = scope()
    add(daemon, "The bicycle is in the red shed", scope=mine)

    answer = daemon.call("memory.search", scope=mine, query="bicycle shed")
    error = refusal(daemon, "memory.search", scope=mine, query="bicycle", mode="vector")

    assert [result["memory"]["content"] for result in answer["results"]] == [
        "The bicycle is in the red shed"
    ]
    assert answer["degraded"] == []
    assert found(daemon, "quantum chromodynamics", scope=mine) == []
    assert error.kind == "embedding_unavailable"
    assert error.data["retryable"] is True
    assert _waiting(daemon)() == ("off", 0)
    assert daemon.call("session.hello")["embedder"] == "off"


def test_what_is_deleted_while_it_waits_needs_no_vector(
    daemon: Daemon, scope: Scope, endpoint: Endpoint
) -> None:
    """A restored memory waits again."""
    mine = scope()
    endpoint.status = 401
    memory = add(daemon, "The spare wheel is in the blue cellar", scope=mine)
    assert _waiting(daemon)()[1] == 1

    daemon.call("memory.delete", scope=mine, id=memory["id"])
    assert _waiting(daemon)()[1] == 0
    daemon.call("memory.restore", scope=mine, id=memory["id"])
    assert _waiting(daemon)()[1] == 1
    endpoint.status = 200
    add(daemon, "The garden is green", scope=mine)

    assert _ask_until(_waiting(daemon), ("ready", 0)) == ("ready", 0)
    assert _nearest(daemon, mine, "blue cellar") == ["The spare wheel is in the blue cellar"]


@pytest.mark.parametrize("sections", [["excerpts"], ["memories"], None])
def test_a_block_made_without_the_embedder_says_so(
    new_daemon: Callable[..., Daemon],
    endpoint: Endpoint,
    scope: Scope,
    sections: list[str] | None,
) -> None:
    """Each part that was found by words only is named."""
    daemon = new_daemon()
    daemon.config(endpoint.config)
    daemon.start()
    endpoint.status = 400

    told = daemon.call("context.get", scope=scope(), message="bicycle", sections=sections)

    assert ["embedder"] == told["degraded"]


def test_what_was_stored_without_vectors_is_judged_when_they_come(
    daemon: Daemon, scope: Scope, endpoint: Endpoint
) -> None:
    """Until then the reply says that vectors were missing, and both facts stay."""
    mine = scope()
    endpoint.status = 503
    old, new = "My phone number is 555-1234", "My phone number is 555-9876"

    replies = [daemon.call("memory.add", scope=mine, content=content) for content in (old, new)]

    assert [reply["degraded"] for reply in replies] == [["embedder"], ["embedder"]]
    assert [reply["memories"][0]["may_replace"] for reply in replies] == [[], []]
    endpoint.status = 200
    add(daemon, "Somebody else's fact wakes the queue", scope=scope())

    def earlier() -> list[str]:
        told = daemon.call("memory.get", scope=mine, id=replies[1]["memories"][0]["memory"]["id"])
        return [one["content"] for one in told["memory"]["conflicts"]]

    assert _ask_until(earlier, [old]) == [old]


def test_a_repeated_add_says_what_its_fact_still_waits_for(
    daemon: Daemon, scope: Scope, endpoint: Endpoint
) -> None:
    """The answer to the same key lacks the embedder until there are vectors, and nothing then."""
    mine = scope()
    endpoint.status = 503

    def degraded() -> list[str]:
        told = {"content": "I moved to Irvine", "idempotency_key": "k"}
        return daemon.call("memory.add", scope=mine, **told)["degraded"]

    assert [degraded(), degraded()] == [["embedder"], ["embedder"]]
    endpoint.status = 200
    add(daemon, "Somebody else's fact wakes the queue", scope=scope())
    assert _ask_until(degraded, []) == []


def test_nothing_is_replaced_by_words_alone_while_the_embedder_is_down(
    daemon: Daemon, scope: Scope, endpoint: Endpoint
) -> None:
    """The older fact is offered, and replaced once there are vectors."""
    mine = scope()
    old, new = "My favourite colour is red", "My favourite colour is blue"
    add(daemon, old, scope=mine)
    endpoint.status = 503

    reply = daemon.call("memory.add", scope=mine, content=new)

    (entry,) = reply["memories"]
    assert (reply["degraded"], entry["superseded"]) == (["embedder"], [])
    assert [older["content"] for older in entry["may_replace"]] == [old]
    endpoint.status = 200
    add(daemon, "Somebody else's fact wakes the queue", scope=scope())

    def listed() -> list[str]:
        page = daemon.call("memory.list", scope=mine)
        return [one["content"] for one in page["memories"]]

    assert _ask_until(listed, [new]) == [new]
