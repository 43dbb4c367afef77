"""Others' memories change neither an owner's results nor their speed (D4). Budget: 25 s."""

import statistics
from collections.abc import Callable
from typing import Any

from daemons import Daemon, cpu_ms

Scope = Callable[..., dict[str, Any]]

_THINGS = ["boat", "lamp", "violin", "ladder", "oven", "garden", "window", "bicycle", "clock"]
_PLACES = ["attic", "cellar", "harbour", "studio", "hallway", "kitchen", "workshop"]
_DONE = ["painted", "sold", "repaired", "borrowed", "measured"]
_QUESTIONS = [
    "Who repaired the violin in the studio?",
    "Where is the boat?",
    "Was the ladder sold in May 2024?",
    "oven kitchen measured",
    "Anna and the bicycle",
]
_OWN_FACTS, _OWN_TURNS = 12, 60
_TIMES = 40


def _told(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "content": f"The {_THINGS[n % 9]} in the {_PLACES[n % 7]} was {_DONE[n % 5]}, no {n}",
            "at": f"2024-{n % 12 + 1:02}-11",
        }
        for n in range(first, first + count)
    ]


def _fill(daemon: Daemon, mine: dict[str, Any], facts: int, turns: int, first: int = 0) -> None:
    known = [{"content": t["content"], "observed_at": t["at"]} for t in _told(facts, first)]
    daemon.call("memory.add", scope=mine, facts=known)
    daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="c",
        messages=_told(turns, first),
    )


def _answers(daemon: Daemon, mine: dict[str, Any]) -> list[Any]:
    """Every text and score that an owner's questions get, with what was withheld."""
    made: list[Any] = []
    for question in _QUESTIONS:
        found = daemon.call("memory.search", scope=mine, query=question, limit=50, min_score=0)
        cut = daemon.call("memory.search", scope=mine, query=question)
        said = daemon.call("conversation.search", scope=mine, query=question, limit=50)
        assert found["results"]
        assert said["results"]
        made.append(
            (
                [(entry["memory"]["content"], entry["score"]) for entry in found["results"]],
                cut["withheld"],
                [(entry["message"]["content"], entry["score"]) for entry in said["results"]],
            )
        )
    return made


def test_forty_times_more_of_others_changes_nothing(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """The same texts and the same scores to the last digit, for at most twice the CPU.

    One daemon holds only the owner's memories, the other also those of ten others with the same
    words, before and after, so that a statistic over all would show. They are asked in turns.
    """
    mine = scope()
    alone, among = new_daemon(), new_daemon()
    for daemon in (alone, among):
        daemon.config('[embedding]\nprovider = "wordllama"\n')
        daemon.start()
    others = [scope() for _ in range(10)]
    share = (_OWN_FACTS * _TIMES // 10, _OWN_TURNS * _TIMES // 10)
    for other in others[:5]:
        _fill(among, other, *share, first=1_000)
    for daemon in (alone, among):
        _fill(daemon, mine, _OWN_FACTS, _OWN_TURNS)
    for other in others[5:]:
        _fill(among, other, *share, first=1_000)

    answers = _answers(alone, mine)
    assert _answers(among, mine) == answers
    assert _answers(among, mine) == answers, "the same question gets the same answer"

    taken: dict[Daemon, list[float]] = {alone: [], among: []}
    for question in _QUESTIONS * 12:
        for method in ("memory.search", "conversation.search"):
            for daemon, times in taken.items():
                before = cpu_ms(daemon)
                daemon.call(method, scope=mine, query=question)
                times.append(cpu_ms(daemon) - before)
    ratio = statistics.median(taken[among]) / statistics.median(taken[alone])
    assert ratio <= 2, f"{ratio:.2f} times the CPU"

    among.stop()
    among.start()
    assert _answers(among, mine) == answers, "nor does a restart change it"


def _kept(number: int) -> list[str]:
    return [
        f"House {number} has an oven",
        f"We like the oven of house {number}",
        "Oven gloves",
    ]


def test_one_owner_among_a_hundred_does_not_starve(plain: Daemon, scope: Scope) -> None:
    """Everybody has similar memories; each finds all of their own, up to the limit (D4)."""
    everybody = [scope() for _ in range(100)]
    for number, owner in enumerate(everybody):
        plain.call(
            *("memory.add",),
            scope=owner,
            facts=[{"content": text} for text in _kept(number)],
        )

    for number in (0, 37, 99):
        results = plain.call(
            "memory.search", scope=everybody[number], query="oven", limit=10, min_score=0
        )["results"]
        found_here = len(results) + sum(len(entry["repeats"]) for entry in results)
        assert found_here == len(_kept(number))
        assert {entry["memory"]["content"] for entry in results} <= set(_kept(number))


def test_a_rare_word_of_others_says_nothing_of_them(any_daemon: Daemon, scope: Scope) -> None:
    """Scores and counts do not reveal whether others hold the word of a question."""
    mine, asked = scope(), "Where is the zirconium oven?"
    any_daemon.call("memory.add", scope=mine, content="The oven is in the cellar")

    def answer() -> Any:
        result = any_daemon.call("memory.search", scope=mine, query=asked, explain=True)
        for entry in result["results"]:
            entry["memory"] = entry["memory"]["id"]  # what was returned is counted in it
        return result

    before = answer()
    any_daemon.call("memory.add", scope=scope(), content="The zirconium oven exploded")
    assert answer() == before
