"""A question that names a date finds what is from then, and what names that date (row D6)."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon

EMBEDDERS = ("minilm", "wordllama", "none")


@pytest.fixture
def scoped(scope: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return scope()


def found(daemon: Daemon, scope: dict[str, Any], question: str) -> list[str]:
    answer = daemon.call("memory.search", scope=scope, query=question)
    return [result["memory"]["content"] for result in answer["results"]]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_date_finds_what_is_from_that_day(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """A date answers like "three days ago", however it is written."""
    daemon, now = with_embedder(embedder), dt.datetime.now(dt.UTC)
    for days, name in enumerate(("Kim", "Bob", "Ana", "Raj", "Lee", "Zoe", "Max", "Ida")):
        at = (now - dt.timedelta(days=days)).isoformat()
        daemon.call("memory.add", scope=scoped, content=f"Lunch with {name}", observed_at=at)
    day = now - dt.timedelta(days=3)

    for words in ("3 days ago", f"on {day:%Y-%m-%d}", f"on {day:%B %d, %Y}", f"on {day:%d %b %Y}"):
        assert found(daemon, scoped, f"who did I have lunch with {words}")[0] == "Lunch with Raj"
        assert found(daemon, scoped, f"what did I do {words}") == ["Lunch with Raj"]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_date_finds_what_names_it(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """A text may speak of another day than that it is from, and write it in another way."""
    daemon = with_embedder(embedder)
    told = ("The lease ends on 2031-10-07", "My exam is on 7 October 2031", "My rent is 900 euros")
    for text in told:
        daemon.call("memory.add", scope=scoped, content=text)

    for date in ("2031-10-07", "7 October 2031", "October 7th, 2031"):
        assert set(found(daemon, scoped, f"what is on {date}")) == set(told[:2])
        assert found(daemon, scoped, f"what ends on {date}")[0] == told[0]
        assert found(daemon, scoped, f"which exam do I have on {date}")[0] == told[1]


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("in June 2025", "The audit at work was passed"),
        ("in 2025-06", "The audit at work was passed"),
        ("before August 2025", "The audit at work was passed"),
        ("between May and July 2025", "The audit at work was passed"),
        ("after 2025", "I got a new desk at work"),
        ("since 2026", "I got a new desk at work"),
    ],
)
def test_what_is_from_a_span_comes_first(
    with_embedder: Callable[[str], Daemon],
    scoped: dict[str, Any],
    embedder: str,
    words: str,
    first: str,
) -> None:
    """Months and spans between two dates decide as days do."""
    daemon = with_embedder(embedder)
    for text, at in (
        ("The audit at work was passed", "2025-06-12T10:00:00Z"),
        ("I was promoted at work", "2025-08-12T10:00:00Z"),
        ("I got a new desk at work", "2026-02-12T10:00:00Z"),
    ):
        daemon.call("memory.add", scope=scoped, content=text, observed_at=at)

    assert found(daemon, scoped, f"what happened at work {words}")[0] == first
