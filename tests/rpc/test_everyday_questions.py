"""People ask for what they told in other words; the default embedder is enough (D7)."""

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


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_what_was_told_answers_in_other_words(
    plain: Daemon, scoped: dict[str, Any], mode: str
) -> None:
    """Each question brings the statement that answers it first or second, with vectors or not."""
    for text in TOLD:
        tell(plain, scoped, text)

    answers = {question: found(plain, scoped, question, mode=mode) for question, _ in ASKED}

    assert {} == {
        question: answers[question]
        for question, place in ASKED
        if TOLD[place] not in answers[question][:2]
    }


def test_a_single_memory_is_found(plain: Daemon, scoped: dict[str, Any]) -> None:
    """The first thing that was ever told answers, and nothing comes for what it does not answer."""
    tell(plain, scoped, "I'm allergic to peanuts")

    assert found(plain, scoped, "What should I avoid eating?") == ["I'm allergic to peanuts"]
    assert found(plain, scoped, "where do I live") == []
    assert found(plain, scoped, "write a song about rain") == []


def test_what_my_wife_likes_and_is_called(plain: Daemon, scoped: dict[str, Any]) -> None:
    """What was told of a person under what she is to the speaker answers, whatever is asked."""
    tell(plain, scoped, "My wife's name is Sarah")
    tell(plain, scoped, "She likes Italian food", subjects=["my wife"])
    tell(plain, scoped, "I moved to Irvine")

    for mode in ("hybrid", "lexical"):
        liked = found(plain, scoped, "What does my wife like?", mode=mode)
        assert liked[0] == "She likes Italian food", mode
    assert found(plain, scoped, "What's my wife's name?")[0] == "My wife's name is Sarah"


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
def test_what_somebody_likes_comes_before_what_else_is_known_of_them(
    with_embedder: Callable[[str], Daemon], scoped: dict[str, Any], embedder: str
) -> None:
    """ "Like" is a word as others where a question is about liking, whoever is asked about."""
    daemon = with_embedder(embedder)
    for text in ("My wife is called Sarah", "My wife loves Italian food", "I enjoy sailing"):
        tell(daemon, scoped, text)

    assert found(daemon, scoped, "What does my wife like?")[0] == "My wife loves Italian food"
    assert "I enjoy sailing" in found(daemon, scoped, "What do I like?")
