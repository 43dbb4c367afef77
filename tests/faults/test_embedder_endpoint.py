"""An embedding endpoint that is up, slow, failing, dead, and alive again. Budget: 20 s.

The daemon, the `openai` client and the server are real; the server is on loopback.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from daemons import Daemon
from endpoint import Endpoint
from waiting import PATIENCE_SECONDS, until

from ashd.store.connection import connect

Scope = Callable[..., dict[str, Any]]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.end()


@pytest.fixture
def daemon_at(new_daemon: Callable[..., Daemon]) -> Callable[[Endpoint], Daemon]:
    """A daemon that was started on an endpoint."""

    def start(endpoint: Endpoint, wait_for: str = "embedder_ready") -> Daemon:
        daemon: Daemon = new_daemon(environment={"OPENAI_API_KEY": "no-key-is-needed"})
        daemon.config(endpoint.config)
        return daemon.start(wait_for=wait_for)

    return start


def add(daemon: Daemon, scope: dict[str, Any], content: str) -> dict[str, Any]:
    memory: dict[str, Any] = daemon.call("memory.add", scope=scope, content=content)["memories"][0]
    assert memory["outcome"] == "added"
    return memory["memory"]


def vectors_find(daemon: Daemon, scope: dict[str, Any], query: str) -> list[str]:
    """Return the results of vector search alone."""
    found = daemon.call("memory.search", scope=scope, query=query, mode="vector", min_score=0)
    return [entry["memory"]["content"] for entry in found["results"]]


def test_an_endpoint_embeds_facts_messages_and_questions(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """Model and dimension are recorded with the vectors, as the endpoint answers."""
    daemon, mine = daemon_at(endpoint), scope()
    add(daemon, mine, "The violin hangs in the studio")
    daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="c",
        messages=[{"content": "The oven was repaired"}],
    )

    assert vectors_find(daemon, mine, "violin studio") == ["The violin hangs in the studio"]
    said = daemon.call("conversation.search", scope=mine, query="oven repaired", mode="vector")
    assert [entry["message"]["content"] for entry in said["results"]] == ["The oven was repaired"]
    assert {"The violin hangs in the studio", "The oven was repaired"} <= set(endpoint.asked)
    status = daemon.call("system.status")
    assert (status["embedder"], status["waiting_for_vectors"], status["warnings"]) == (
        "ready",
        0,
        [],
    )
    assert status["model"].startswith("openai:words@")
    daemon.stop()
    with closing(connect(daemon.home / "data" / "ash.db", read_only=True)) as db:
        rows = db.execute("select model, dimension, state from embedding_sets").fetchall()
    assert rows == [(status["model"], endpoint.dimension, "active")]


def test_a_question_is_embedded_once_for_each_who_asks_it(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """One request serves memories, turns and context; another user's question is asked again."""
    daemon, mine, others = daemon_at(endpoint), scope(), scope()
    add(daemon, mine, "The violin hangs in the studio")
    question = "where does the violin hang"

    assert vectors_find(daemon, mine, question) == ["The violin hangs in the studio"]
    daemon.call("conversation.search", scope=mine, query=question)
    daemon.call("context.get", scope=mine, message=question)
    assert vectors_find(daemon, mine, question) == ["The violin hangs in the studio"]
    assert 1 == endpoint.asked.count(question)

    assert vectors_find(daemon, others, question) == []
    assert 2 == endpoint.asked.count(question)


def test_the_same_text_is_embedded_once(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """A text is embedded once, as memory or message, in one call or over several (D12)."""
    daemon, text = daemon_at(endpoint), "The violin hangs in the studio"

    add(daemon, scope(), text)
    add(daemon, scope(), text)
    daemon.call(
        *("conversation.ingest",),
        scope=scope(),
        conversation_id="c",
        messages=[{"content": text}, {"content": text}],
    )
    mine = scope()
    add(daemon, mine, text)

    assert endpoint.asked.count(text) == 1
    assert vectors_find(daemon, mine, "violin studio") == [text]


def test_what_was_stored_while_it_was_down_is_filled_in(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """During an outage word search answers and says so; then the queue empties by itself."""
    daemon, mine = daemon_at(endpoint), scope()
    endpoint.status = 400  # final: no waits in between

    add(daemon, mine, "The violin hangs in the studio")

    answer = daemon.call("memory.search", scope=mine, query="violin studio")
    assert answer["degraded"] == ["embedder"]
    assert [entry["memory"]["content"] for entry in answer["results"]] == [
        "The violin hangs in the studio"
    ]
    status = daemon.call("system.status")
    assert status["embedder"] == "failed"
    assert status["waiting_for_vectors"] == 1
    assert status["warnings"]

    endpoint.status = 200
    add(daemon, mine, "The oven is in the cellar")

    until(lambda: daemon.call("system.status")["waiting_for_vectors"] == 0)
    assert daemon.call("system.status")["embedder"] == "ready"
    assert vectors_find(daemon, mine, "violin studio")[0] == "The violin hangs in the studio"
    assert daemon.call("memory.search", scope=mine, query="violin studio")["degraded"] == []


def test_an_endpoint_that_died_and_came_back_fills_the_queue(
    daemon_at: Callable[..., Daemon], scope: Scope
) -> None:
    """The port refuses connections: adds are kept, in time; another server answers there later."""
    first = Endpoint()
    daemon, mine = daemon_at(first), scope()
    first.end()
    grant = daemon.call("grant.create", scope=mine)

    times = []
    for content in ("The violin hangs in the studio", "The clock is in the hallway"):
        start = time.monotonic()
        daemon.call("memory.add", at=grant["socket"], content=content)
        times.append(time.monotonic() - start)
    assert times[0] < 8, "the endpoint is tried again for a while"
    assert times[1] < 2, "and then left alone"
    answer = daemon.call("memory.search", scope=mine, query="violin studio")
    assert (answer["degraded"], len(answer["results"])) == (["embedder"], 1)
    assert daemon.call("system.status")["waiting_for_vectors"] == 2

    # The breaker pauses for a minute; a restart asks at once.
    daemon.stop()
    second = Endpoint(first.server_port)
    try:
        daemon.start()
        until(lambda: daemon.call("system.status")["waiting_for_vectors"] == 0)
        assert vectors_find(daemon, mine, "violin studio")[0] == "The violin hangs in the studio"
    finally:
        second.end()


def test_a_daemon_stops_though_its_endpoint_hangs(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """SIGTERM ends it in order; stored texts wait for their vectors until the next start."""
    daemon, mine = daemon_at(endpoint), scope()
    endpoint.open.clear()
    grant = daemon.call("grant.create", scope=mine)
    daemon.call("memory.add", at=grant["socket"], content="The violin hangs in the studio")

    start = time.monotonic()
    assert daemon.stop() == 0
    assert time.monotonic() - start < 10

    endpoint.open.set()
    daemon.start()
    until(lambda: daemon.call("system.status")["waiting_for_vectors"] == 0)
    assert vectors_find(daemon, mine, "violin studio") == ["The violin hangs in the studio"]


def test_an_endpoint_that_hangs_holds_up_nobody_for_long(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """Adds are kept and searches answered by words within a sandbox's time for a call (10 s)."""
    daemon, mine = daemon_at(endpoint), scope()
    add(daemon, mine, "The lamp is in the attic")
    endpoint.open.clear()
    grant = daemon.call("grant.create", scope=mine)

    times = []
    for name, params in (
        ("memory.add", {"content": "The violin hangs in the studio"}),
        ("memory.add", {"content": "The oven is in the cellar"}),
        ("memory.search", {"query": "violin studio"}),
    ):
        start = time.monotonic()
        answer = daemon.call(name, at=grant["socket"], **params)
        times.append(time.monotonic() - start)

    assert [entry["memory"]["content"] for entry in answer["results"]] == [
        "The violin hangs in the studio"
    ]
    assert answer["degraded"] == ["embedder"]
    assert max(times) < 8, f"calls took {times}"
    assert daemon.call("memory.list", scope=mine)["total"] == 3

    endpoint.open.set()
    add(daemon, mine, "The clock is in the hallway")
    until(lambda: daemon.call("system.status")["waiting_for_vectors"] == 0)
    assert vectors_find(daemon, mine, "violin studio")[0] == "The violin hangs in the studio"


def test_a_slow_bulk_does_not_hold_up_questions(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """Word search answers while the endpoint works on a large batch."""
    daemon, mine = daemon_at(endpoint), scope()
    add(daemon, mine, "The lamp is in the attic")
    endpoint.open.clear()
    endpoint.came.clear()
    other = daemon.client()
    bulk = threading.Thread(
        target=lambda: other.call(
            *("conversation.ingest",),
            scope=mine,
            conversation_id="c",
            messages=[{"content": f"The boat has number {n}"} for n in range(50)],
        )
    )
    bulk.start()
    assert endpoint.came.wait(120)

    start = time.monotonic()
    answer = daemon.call("memory.search", scope=mine, query="lamp", mode="lexical")
    took = time.monotonic() - start
    endpoint.open.set()
    bulk.join(PATIENCE_SECONDS)
    other.close()

    assert not bulk.is_alive()
    assert len(answer["results"]) == 1
    assert took < 2


def test_a_daemon_starts_without_its_endpoint(
    daemon_at: Callable[..., Daemon], scope: Scope
) -> None:
    """A daemon without its endpoint searches by words, and uses the endpoint once it answers."""
    gone = Endpoint()
    gone.end()
    daemon, mine = daemon_at(gone, wait_for="daemon_ready"), scope()
    daemon.call("memory.add", scope=mine, content="The violin hangs in the studio")
    found = daemon.call("memory.search", scope=mine, query="violin")
    assert len(found["results"]) == 1

    until(lambda: daemon.call("system.status")["embedder"] == "failed")
    alive = Endpoint(gone.server_port)
    try:
        daemon.call("memory.add", scope=mine, content="The oven is in the cellar")
        until(lambda: daemon.call("system.status")["embedder"] == "ready")
        until(lambda: daemon.call("system.status")["waiting_for_vectors"] == 0)
        assert vectors_find(daemon, mine, "violin studio")[0] == "The violin hangs in the studio"
    finally:
        alive.end()


def test_a_refusal_is_told_in_the_log_without_what_was_asked(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """The log has no text, no key and nothing from the endpoint."""
    daemon, mine = daemon_at(endpoint), scope()
    endpoint.status = 401

    add(daemon, mine, "The violin hangs in the studio")

    until(lambda: any("vectors_not_stored" in line for line in daemon.log))
    log = "\n".join(daemon.log)
    assert "401" in log
    for secret in ("violin", "no-key-is-needed", "out of order"):
        assert secret not in log


def test_another_dimension_is_no_vector_of_this_model(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """An endpoint that changes its model under the same name damages nothing."""
    daemon, mine = daemon_at(endpoint), scope()
    add(daemon, mine, "The violin hangs in the studio")
    endpoint.dimension = 32

    add(daemon, mine, "The oven is in the cellar")
    answer = daemon.call("memory.search", scope=mine, query="oven cellar")

    assert answer["degraded"] == ["embedder"]
    assert [entry["memory"]["content"] for entry in answer["results"]] == [
        "The oven is in the cellar"
    ]


def test_what_has_no_vectors_yet_is_said_and_found_by_words(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """Callers who may see it are told; another owner's answer is complete (D7)."""
    daemon, mine, other = daemon_at(endpoint), scope(), scope()
    add(daemon, other, "The violin hangs in the studio")
    add(daemon, mine, "The violin hangs in the studio")
    endpoint.refuses = "oven"
    add(daemon, mine, "The oven was repaired by Harald")

    def ask(scope: dict[str, Any], query: str) -> tuple[list[str], list[str]]:
        found = daemon.call("memory.search", scope=scope, query=query)
        return [one["memory"]["content"] for one in found["results"]][:1], found["degraded"]

    oven = "The oven was repaired by Harald"
    assert until(lambda: ask(mine, "was it repaired by Harald") == ([oven], ["embedder"]))
    assert until(lambda: ask(other, "violin studio")[1] == [])
    assert ask(mine, "violin studio")[1] == ["embedder"]
    block = daemon.call("context.get", scope=mine, message="Who repaired it?")
    assert block["degraded"] == ["embedder"]


def test_a_text_that_is_refused_holds_up_no_other(
    daemon_at: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """The refused text is reported to the operator; the endpoint stays ready (E8)."""
    daemon, mine, other = daemon_at(endpoint), scope(), scope()
    endpoint.status = 400  # all wait in the queue together
    add(daemon, mine, "The oven was repaired by Harald")
    for number in range(5):
        add(daemon, other, f"The violin number {number} hangs in the studio")
    assert daemon.call("system.status")["waiting_for_vectors"] == 6

    endpoint.refuses = "oven"
    endpoint.status = 200
    add(daemon, other, "The lamp is in the attic")

    until(lambda: daemon.call("system.status")["waiting_for_vectors"] == 0)
    assert len(vectors_find(daemon, other, "violin studio")) == 6
    status = daemon.call("system.status")
    assert status["embedder"] == "ready"
    assert [warning["name"] for warning in status["warnings"]] == ["texts_refused"]
    asked = endpoint.calls
    add(daemon, other, "The clock is in the hallway")
    assert endpoint.calls == asked + 1, "what was refused is not sent again with each new text"
