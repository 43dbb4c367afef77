"""People ask in other words than they told; the default embedder is enough (D7)."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon

TOLD = (
    "I am allergic to peanuts",
    "I work as a nurse",
    "I moved to Irvine",
    "My dog is called Rex",
    "I was born on 3 May 1990",
    "We release to production every Tuesday",
    "I take 20 mg of lisinopril every evening",
    "I have a grey Honda Civic",
    "On weekends I mostly go hiking",
    "I report to Anneke Visser",
    "I do everything in Helix, never in VS Code",
    "I speak English and a little Portuguese",
)
ASKED = (
    ("What should I avoid eating?", 0),
    ("which foods are dangerous for me", 0),
    ("what is my job", 1),
    ("what do I do for a living", 1),
    ("where do we live", 2),
    ("what's my address", 2),
    ("do I have any pets", 3),
    ("when is my birthday", 4),
    ("what is our deploy schedule", 5),
    ("what medication do I take", 6),
    ("what car do I drive", 7),
    ("what do I do for fun", 8),
    ("who is my boss", 9),
    ("which editor do I prefer", 10),
    ("what languages do I speak", 11),
)


@pytest.fixture
def scoped(scope: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return scope()


def tell(daemon: Daemon, scope: dict[str, Any], text: str, **fields: Any) -> None:
    daemon.call("memory.add", scope=scope, content=text, **fields)


def found(daemon: Daemon, scope: dict[str, Any], question: str, **options: Any) -> list[str]:
    answer = daemon.call("memory.search", scope=scope, query=question, **options)
    assert answer["degraded"] == []
    return [result["memory"]["content"] for result in answer["results"]]


EVENINGS = ("had ramen for dinner", "had tacos for dinner", "had goulash for dinner")
SERIES = (
    (EVENINGS, "what did I have for dinner"),
    (("lost my scarf", "lost my umbrella", "lost my sketchbook"), "what have I lost"),
    (
        ("paid 4 euros to park", "paid 7 euros to park", "paid 2 euros to park"),
        "what did I pay to park",
    ),
    (
        ("read a book by Mahfouz", "read a book by Atwood", "read a book by Levi"),
        "which book did I read",
    ),
)


@pytest.mark.parametrize("embedder", ["minilm", "wordllama", "none"])
def test_the_day_that_is_asked_for_comes_first(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """The same on neighbouring days is told apart by the time alone (row D6)."""
    daemon, now = with_embedder(embedder), dt.datetime.now(dt.UTC)
    for texts, _ in SERIES:
        for days, text in reversed(list(enumerate(texts))):
            at = (now - dt.timedelta(days=days)).isoformat()
            tell(daemon, scoped, f"I {text}", type="event", observed_at=at)

    for texts, question in SERIES:
        for days, words in enumerate(("today", "yesterday", "two days ago")):
            assert found(daemon, scoped, f"{question} {words}")[0] == f"I {texts[days]}"


def test_what_was_told_answers_in_other_words(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any]
) -> None:
    """Each question brings the statement that answers it among the first three."""
    daemon = with_embedder("minilm")
    for text in TOLD:
        tell(daemon, scoped, text)

    answers = {question: found(daemon, scoped, question) for question, _ in ASKED}

    assert {} == {
        question: answers[question]
        for question, place in ASKED
        if TOLD[place] not in answers[question][:3]
    }


def test_a_single_memory_is_found(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any]
) -> None:
    """A single stored fact answers, and an unrelated question finds nothing."""
    daemon = with_embedder("minilm")
    tell(daemon, scoped, "I'm allergic to peanuts")

    assert found(daemon, scoped, "What should I avoid eating?") == ["I'm allergic to peanuts"]
    assert found(daemon, scoped, "where do I live") == []
    assert found(daemon, scoped, "write a song about rain") == []


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
def test_what_is_known_of_a_named_person_is_not_withheld(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """Memories about her are shown, whatever the words of the question (D2)."""
    daemon = with_embedder(embedder)
    tell(daemon, scoped, "My wife's name is Sarah", subjects=["my wife"])
    tell(daemon, scoped, "She likes Italian food", subjects=["my wife"])
    tell(daemon, scoped, "The plumber is called Ferris")

    for question in ("What does my wife like?", "an idea for Sarah's birthday"):
        answers = found(daemon, scoped, question)
        assert {"My wife's name is Sarah", "She likes Italian food"} <= set(answers)
        assert "The plumber is called Ferris" not in answers[:2]
