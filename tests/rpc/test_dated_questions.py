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
        assert found(daemon, scoped, f"what ends on {date}")[0] == told[0]
        assert found(daemon, scoped, f"which exam do I have on {date}")[0] == told[1]


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("words", ["in June 2025", "in 2025-06"])
def test_a_memory_from_the_asked_month_comes_first(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str, words: str
) -> None:
    """A month decides as days do, in words or in figures."""
    daemon = with_embedder(embedder)
    for text, at in (
        ("The audit at work was passed", "2025-06-12T10:00:00Z"),
        ("I was promoted at work", "2025-08-12T10:00:00Z"),
        ("I got a new desk at work", "2026-02-12T10:00:00Z"),
    ):
        daemon.call("memory.add", scope=scoped, content=text, observed_at=at)

    assert (
        found(daemon, scoped, f"what happened at work {words}")[0] == "The audit at work was passed"
    )


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The flood came in summer 2021", "what happened in summer 2021"),
        ("Kenji's wedding is on May 4th 2025", "anything about May 2025?"),
        ("I was in hospital in March 2022", "what happened in spring 2022"),
        ("The audit took place on March 3, 2024", "what took place in March 2024"),
    ],
)
def test_a_text_that_names_a_longer_time_is_found_by_it(
    with_embedder: Callable[[str], Daemon],
    scoped: dict[str, Any],
    embedder: str,
    text: str,
    question: str,
) -> None:
    """It was stored today: what it says of its time counts as any words do."""
    daemon = with_embedder(embedder)
    daemon.call("memory.add", scope=scoped, content=text)

    assert found(daemon, scoped, question) == [text]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_question_for_a_time_alone_is_answered_by_what_is_from_then(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """It shares no word with the answer."""
    daemon, now = with_embedder(embedder), dt.datetime.now(dt.UTC)
    told = {
        1: "I baked a plum cake",
        2: "I met Igor at the post office",
        5: "I called the bank about the card",
        12: "I repaired the fence",
        30: "I painted the shutters",
        400: "I sold the old sofa",
    }
    for days, text in told.items():
        at = (now - dt.timedelta(days=days)).isoformat()
        daemon.call("memory.add", scope=scoped, content=text, observed_at=at)

    for question, days in (
        ("what did I do yesterday?", 1),
        ("what happened two days ago", 2),
        (f"anything on {now - dt.timedelta(days=5):%Y-%m-%d}?", 5),
        (f"what did I do on {now - dt.timedelta(days=12):%d %B}", 12),
        (f"{now - dt.timedelta(days=30):%B %d}", 30),
    ):
        assert found(daemon, scoped, question)[0] == told[days]


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_day_is_found_however_it_is_written(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """Without its year it is that of any year; with its year it is of no other one."""
    daemon, now = with_embedder(embedder), dt.datetime.now(dt.UTC)
    year = now.year + (now.month == 12)
    dentist, hut = "Dentist appointment on 2 December at nine", "The hut is booked for Dec 4"
    concert, dinner = "The concert was on 2 December 1998", "Dinner with Igor on 12 December"
    flight = f"My flight is on {year}-12-15"
    for text in (dentist, hut, concert, dinner, flight):
        daemon.call("memory.add", scope=scoped, content=text)

    for question, first in (
        *(("anything on 4 December?", hut), ("Dec 4th", hut), ("the 4th of December", hut)),
        *(("what is on December 12", dinner), (f"what is on 2 Dec {year}?", dentist)),
        *((f"{year}-12-02", dentist), (f"what do I have on 15 December {year}", flight)),
        ("what happened on December 2nd, 1998", concert),
    ):
        assert found(daemon, scoped, question)[0] == first
    assert {dentist, concert} == set(found(daemon, scoped, "what is on Dec 2?")[:2])


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_the_weekday_that_is_asked_for_comes_first(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """What names another day of the week comes after it (row D6)."""
    daemon = with_embedder(embedder)
    weekly = {
        "Thursday": "My piano lesson with Mrs Falk is on Thursdays",
        "Tuesday": "Tuesday is bowls at the club, I bring the cake",
        "Monday": "The bins go out on Monday nights",
        "Saturday": "Every Saturday we swim at the lido",
    }
    for content in weekly.values():
        daemon.call("memory.add", scope=scoped, content=content)

    for day, content in weekly.items():
        assert found(daemon, scoped, f"what happens on {day}?")[0] == content
        assert found(daemon, scoped, f"what do I have on {day}s")[0] == content


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_the_next_day_is_not_the_day_that_is_asked_for(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """A memory of midnight is of the day that begins, and comes after those of the asked one."""
    daemon = with_embedder(embedder)
    days = {"2025-05-12": "Signed the papers for the mooring", "2025-05-13": "A tyre went flat"}
    for day, content in days.items():
        daemon.call("memory.add", scope=scoped, content=content, observed_at=day)

    for asked in ("on 12 May 2025", "on Monday 12 May 2025", "on the twelfth of May 2025"):
        question = f"What did I do {asked}?"
        assert found(daemon, scoped, question)[0] == days["2025-05-12"]
