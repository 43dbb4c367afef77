"""as_of: what was known and valid at a time (D9). Budget: 3 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, refusal
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def _at(
    daemon: Daemon, when: str, query: str = "What is my favourite town?", **params: Any
) -> list[str]:
    return found(daemon, query, as_of=when, min_score=0, **params)


@pytest.mark.parametrize(
    ("when", "town"), [("2019-01-01", []), ("2021-01-01", ["Oslo"]), ("2023-01-01", ["Bergen"])]
)
def test_what_was_superseded_since_counts_for_its_time(
    any_daemon: Daemon, scope: Scope, when: str, town: list[str]
) -> None:
    """The time of observation counts, not of the import; there is one value at a time."""
    mine = scope()
    add(any_daemon, "My favourite town is Oslo", scope=mine, observed_at="2020-03-01")
    add(any_daemon, "My favourite town is Bergen", scope=mine, observed_at="2022-03-01")

    assert _at(any_daemon, when, scope=mine) == [f"My favourite town is {name}" for name in town]


def test_now_is_what_a_search_without_it_finds(any_daemon: Daemon, scope: Scope) -> None:
    """A future time counts as now; memories superseded live are gone from then on."""
    mine = scope()
    red = add(any_daemon, "My favourite colour is red", scope=mine)
    blue = add(any_daemon, "My favourite colour is blue", scope=mine)

    question = "favourite colour"
    assert _at(any_daemon, "2090-01-01", question, scope=mine) == [blue["content"]]
    assert _at(any_daemon, red["created_at"], question, scope=mine) == [red["content"]]
    assert _at(any_daemon, blue["created_at"], question, scope=mine) == [blue["content"]]


def test_a_loser_that_is_active_again_is_known_again(any_daemon: Daemon, scope: Scope) -> None:
    """After the winner is deleted, the loser is today's answer, with or without as_of."""
    mine = scope()
    red = add(any_daemon, "My favourite colour is red", scope=mine)
    blue = add(any_daemon, "My favourite colour is blue", scope=mine)
    any_daemon.call("memory.delete", scope=mine, id=blue["id"])

    assert found(any_daemon, "favourite colour", scope=mine) == [red["content"]]
    assert _at(any_daemon, "2090-01-01", "favourite colour", scope=mine) == [red["content"]]


def test_validity_counts(plain: Daemon, scope: Scope) -> None:
    """A memory holds from `valid_from` until `valid_until`, its day included."""
    mine = scope()
    add(
        *(plain, "The tram pass costs 40 euros"),
        scope=mine,
        observed_at="2020-01-01",
        valid_from="2021-01-01",
        valid_until="2021-12-31",
    )

    times = ("2020-06-01", "2021-01-01", "2021-12-31", "2022-01-01")
    seen = [len(_at(plain, when, "tram pass", scope=mine)) for when in times]

    assert seen == [0, 1, 1, 0]


def test_what_has_faded_since_was_known_then(plain: Daemon, scope: Scope) -> None:
    """An event of last year: within its 30 days, and not after."""
    mine = scope()
    add(plain, "The circus is in town", scope=mine, type="event", observed_at="2024-03-01")

    assert found(plain, "circus in town", scope=mine) == []
    assert _at(plain, "2024-03-15", "circus in town", scope=mine) == ["The circus is in town"]
    assert _at(plain, "2024-05-15", "circus in town", scope=mine) == []


def test_a_sandbox_sees_nothing_expired_by_asking_of_the_past(plain: Daemon, scope: Scope) -> None:
    """Faded memories are absent from every read of a sandbox (A2)."""
    mine = scope()
    add(plain, "The circus is in town", scope=mine, type="event", observed_at="2024-03-01")
    grant = plain.call("grant.create", scope=mine, rights=["read"])

    assert _at(plain, "2024-03-15", "circus in town", at=grant["socket"]) == []


def test_what_was_deleted_is_not_brought_back_by_asking_of_the_past(
    plain: Daemon, scope: Scope
) -> None:
    """Deleted is deleted."""
    mine = scope()
    gone = add(plain, "I live in Oslo", scope=mine, observed_at="2020-03-01")
    plain.call("memory.delete", scope=mine, id=gone["id"])

    assert _at(plain, "2021-01-01", scope=mine) == []


@pytest.mark.parametrize("when", ["yesterday", "2024-13-01", "2024-01-01T10:00", 5])
def test_what_is_no_time_is_refused(plain: Daemon, scope: Scope, when: Any) -> None:
    """An invalid time is refused with a hint."""
    for name in ("as_of", "since", "until"):
        error = refusal(plain, "memory.search", scope=scope(), query="x", **{name: when})
        assert error.kind == "invalid_params"
