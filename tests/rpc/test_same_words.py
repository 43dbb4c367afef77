"""Only the same words in the same order are a duplicate: nothing told is dropped (A10)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import Daemon
from waiting import until

Scope = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The lawn is 5² metres", "The lawn is 52 metres"),
        ("Take 1½ tablets a day", "Take 11\N{FRACTION SLASH}2 tablets a day"),
        ("Der Wirt trinkt in Maßen", "Der Wirt trinkt in Massen"),
        ("Use US keyboards", "Use us keyboards"),
        ("The shop is open.", "The shop is open?"),
    ],
)
def test_texts_that_differ_in_signs_are_both_stored(
    any_daemon: Daemon, scope: Scope, one: str, other: str
) -> None:
    """A superscript, a sharp s, an abbreviation and a question mark make another text."""
    mine = scope()
    first = add(any_daemon, one, scope=mine)

    second = add(any_daemon, other, scope=mine)

    assert listed(any_daemon, scope=mine) == [other, one]
    any_daemon.call("memory.delete", scope=mine, id=first["id"])
    any_daemon.call("memory.restore", scope=mine, id=first["id"])
    any_daemon.call("override.add", scope=mine, content=one)
    pinned = any_daemon.call("override.add", scope=mine, content=other)
    assert (pinned["outcome"], second["content"]) == ("added", other)


def test_the_same_words_do_not_supersede_themselves(daemon: Daemon, scope: Scope) -> None:
    """A fact that names its own memory is refused: there is nothing to correct."""
    mine = scope()
    first = add(daemon, "The shop is open", scope=mine)

    error = refusal(
        *(daemon, "memory.add"), scope=mine, content="the shop is open.", supersedes=first["id"]
    )

    assert error.kind == "invalid_params"
    assert listed(daemon, scope=mine) == ["The shop is open"]


A, B, C = (
    "The spare key hangs behind the boiler",
    "The boiler hangs behind the spare key",
    "The key that is spare hangs behind the boiler",
)


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        ([A, B, C], [{A}, {B}, {C}]),
        ([A, C, B], [{A, C}, {B}]),
        ([A, C], [{A, C}]),
    ],
)
def test_swapped_words_are_not_folded_through_a_third_text(
    with_embedder: Callable[[str], Daemon], scope: Scope, texts: list[str], shown: list[set[str]]
) -> None:
    """A text that seems to repeat both of two swapped ones is a result of its own."""
    daemon, mine = with_embedder("minilm"), scope()
    contents = {add(daemon, text, scope=mine)["id"]: text for text in texts}

    def folded() -> list[list[str]]:
        results = daemon.call("memory.search", scope=mine, query=texts[0])["results"]
        groups = [{hit["memory"]["id"], *hit["repeats"]} for hit in results]
        return sorted(sorted(contents[one] for one in group) for group in groups)

    # The pair that is read for the answer is not the last word.
    until(lambda: folded() == sorted(map(sorted, shown)))


def test_an_event_that_happens_again_is_stored(any_daemon: Daemon, scope: Scope) -> None:
    """The same words of another time are another run; told twice, one run stays one memory."""
    mine = scope()
    today = datetime.now(UTC).replace(microsecond=0)
    times = [(today - timedelta(days=days)).isoformat() for days in (2, 1, 1)]

    entries = [
        any_daemon.call(
            "memory.add", scope=mine, content="Went for a run", type="event", observed_at=at
        )["memories"][0]
        for at in times
    ]

    assert [entry["outcome"] for entry in entries] == ["added", "added", "duplicate"]
    results = any_daemon.call("memory.search", scope=mine, query="went for a run")["results"]
    assert len({hit["memory"]["observed_at"] for hit in results}) == 2
    first = entries[0]["memory"]["id"]
    any_daemon.call("memory.delete", scope=mine, id=first)
    assert any_daemon.call("memory.restore", scope=mine, id=first)["restored"]


def test_a_fact_observed_on_another_day_keeps_both_days(daemon: Daemon, scope: Scope) -> None:
    """A fact of any type is the same fact on one day; it is one result, with the day asked for."""
    mine = scope()
    times = ("2026-01-05T08:00:00Z", "2026-02-06", "2026-01-05T19:00:00Z", "2026-02-06")

    outcomes = [
        daemon.call("memory.add", scope=mine, content="Swam in the lake", observed_at=at)[
            "memories"
        ][0]["outcome"]
        for at in times
    ]

    assert outcomes == ["added", "added", "duplicate", "duplicate"]
    for day in ("2026-01-05", "2026-02-06"):
        query = f"what did I do on {day}"
        (hit,) = daemon.call("memory.search", scope=mine, query=query)["results"]
        assert hit["memory"]["observed_at"].startswith(day)
        assert len(hit["repeats"]) == 1


def test_a_repetition_adds_its_tags_and_names_what_is_not_kept(
    any_daemon: Daemon, scope: Scope
) -> None:
    """A duplicate has one memory: the reply says in which fields it stays as it was (A10)."""
    mine, content = scope(), "The pool is open"
    details: dict[str, Any] = {"tags": ["town"], "metadata": {"seen": "sign", "by": "me"}}
    add(any_daemon, content, scope=mine, **details)

    def again(**fields: Any) -> tuple[str, list[str], list[str]]:
        entry = any_daemon.call("memory.add", scope=mine, content=content, **fields)["memories"][0]
        return entry["outcome"], entry["memory"]["tags"], entry.get("not_kept", [])

    both = ["town", "summer"]
    until = "2099-09-01"
    assert again(**details) == ("duplicate", ["town"], [])
    assert again(metadata={"by": "me", "seen": "sign"}) == ("duplicate", ["town"], [])
    today = datetime.now(UTC).isoformat()
    assert again(observed_at=today) == ("duplicate", ["town"], ["observed_at"])
    assert again(type="preference") == ("duplicate", ["town"], ["type"])
    assert again(tags=["summer"]) == ("duplicate", both, [])
    assert again(metadata={"seen": "web"}, valid_until=until) == (
        "duplicate",
        both,
        ["metadata", "valid_until"],
    )
    assert again(tags=["oncology", "HIV"], sensitivity="public")[1] == [*both, "oncology", "HIV"]


def test_a_repetition_adds_no_close_tags_to_what_others_may_see(
    any_daemon: Daemon, scope: Scope
) -> None:
    """Nor tags to what somebody else said."""
    tag = scope()["user_id"]
    members = [f"{tag}-ann", f"{tag}-bob"]
    here = {"chat_id": f"group-{tag}", "chat_type": "group", "participants": members}
    ann, bob = (scope(name, **here) for name in members)
    content = "The meeting is on Monday"
    add(any_daemon, content, scope=ann, shared=True)

    for who, tags in ((ann, ["HIV"]), (bob, ["work"])):
        entry = any_daemon.call("memory.add", scope=who, content=content, shared=True, tags=tags)[
            "memories"
        ][0]
        assert (entry["outcome"], entry["memory"]["tags"]) == ("duplicate", [])
        assert entry["not_kept"] == ["tags"]


def test_words_told_again_in_another_group_are_read_there(any_daemon: Daemon, scope: Scope) -> None:
    """A fact told to a group is found in it, although another group was told it before."""
    ann, bob = (scope()["user_id"] for _ in range(2))
    members = {"chat_type": "group", "participants": [ann, bob]}
    choir, trip = ({"chat_id": f"{name}-{ann}", **members} for name in ("choir", "trip"))
    first = add(any_daemon, "I play the cello", scope=scope(ann, **choir))

    again = add(any_daemon, "I play the cello", scope=scope(ann, **trip))

    assert again["id"] != first["id"]
    assert listed(any_daemon, scope=scope(bob, **trip)) == ["I play the cello"]
    assert found(any_daemon, "cello", scope=scope(ann)) == ["I play the cello"]
    repeated = any_daemon.call("memory.add", scope=scope(ann, **trip), content="I play the cello")
    assert [one["outcome"] for one in repeated["memories"]] == ["duplicate"]


def test_words_told_again_to_a_newcomer_are_read_by_them(any_daemon: Daemon, scope: Scope) -> None:
    """A newcomer to whom a personal fact is told anew was present when it was told."""
    ann, bob, cem = (scope()["user_id"] for _ in range(3))
    group = {"chat_id": f"trip-{ann}", "chat_type": "group"}
    before, now = ({**group, "participants": of} for of in ([ann, bob], [ann, bob, cem]))
    told: dict[str, Any] = {"content": "I am vegan", "sensitivity": "personal"}
    any_daemon.call("memory.add", scope=scope(ann, **before), **told)
    assert listed(any_daemon, scope=scope(cem, **now)) == []

    any_daemon.call("memory.add", scope=scope(ann, **now), **told)

    assert listed(any_daemon, scope=scope(cem, **now)) == ["I am vegan"]
    assert listed(any_daemon, scope=scope(cem)) == ["I am vegan"]
    assert found(any_daemon, "vegan", scope=scope(bob, **now)) == ["I am vegan"]
