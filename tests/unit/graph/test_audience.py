"""The readers of statements of the graph: one changes another only if none of them would notice."""

from typing import Any

import pytest

from ashd.graph import audience
from ashd.graph.audience import Spoken
from ashd.store.graph import Provenance

TX: Any = None
ANN, BOB, CID = 1, 2, 3
ROSTER = {100: {ANN, BOB}, 200: {ANN, BOB, CID}, 300: {ANN}}
"""The accounts that were present in the group, by the time."""


def present_by(monkeypatch: pytest.MonkeyPatch, roster: dict[int, set[int]]) -> None:
    """Let those be present in the group whom a roster names."""

    def present_at(_tx: Any, _chat: int, at: int) -> set[int]:
        return set(roster[at])

    monkeypatch.setattr(audience.chats, "present_at", present_at)


@pytest.fixture(autouse=True)
def _roster(monkeypatch: pytest.MonkeyPatch) -> None:
    present_by(monkeypatch, ROSTER)


def stated(said_at: int, *, group: bool = True, **more: Any) -> Provenance:
    """Return a statement of Ann's."""
    fields: dict[str, Any] = {
        "owner": None if group else ANN,
        "chat": 7 if group else None,
        "learned_in": 7,
        "learned_type": "group" if group else "private",
        "stated_by": ANN,
        "said_at": said_at,
        "sensitivity": "personal",
        "portable": True,
        "project": None,
    }
    return Provenance(**fields | more)


@pytest.mark.parametrize(
    ("one", "other", "keeps"),
    [
        (stated(100), stated(200), True),  # whoever heard the first heard the second
        (stated(200), stated(100), False),  # Cid did not
        (stated(100, stated_by=CID), stated(100), False),  # not on the roster, but said it
        (stated(200, sensitivity=None), stated(100, sensitivity=None), True),  # all may see both
        (stated(200, sensitivity=None), stated(100), False),
        (stated(200, sensitivity="sensitive"), stated(100), True),  # Ann's alone
        (stated(100), stated(100, portable=False), False),
        (stated(100, group=False), stated(300, group=False), True),
        (stated(100, group=False), stated(300, group=False, sensitivity="sensitive"), False),
        (stated(100, group=False, project="p"), stated(300, group=False), True),
        (stated(100, group=False), stated(300, group=False, project="p"), False),
        (stated(100, group=False, project="p"), stated(300, group=False, project="q"), False),
    ],
)
def test_every_reader_of_one_reads_the_other(
    one: Provenance, other: Provenance, keeps: bool
) -> None:
    """Labels, presence in the group and projects decide."""
    assert audience.keeps(TX, one, other) is keeps


def test_statements_are_the_same_if_all_readers_are() -> None:
    """A wider audience, in either direction, is another one."""
    assert audience.is_same(TX, stated(100), stated(100))
    assert not audience.is_same(TX, stated(100), stated(200))
    assert not audience.is_same(TX, stated(200), stated(100))
    assert not audience.is_same(TX, stated(100), stated(100, sensitivity=None))


@pytest.mark.parametrize(
    ("times", "said_at", "hearers", "has_other_hearers"),
    [
        ([200, 100], 100, {ANN, BOB}, False),
        ([100, 300, 200], 300, {ANN}, False),
        ([100], 100, {ANN, BOB}, False),
    ],
)
def test_a_statement_of_several_turns_is_for_those_who_heard_all(
    times: list[int], said_at: int, hearers: set[int], has_other_hearers: bool
) -> None:
    """It counts as said when only they were present."""
    turns = [Spoken(at, None, portable=True, account=ANN) for at in times]
    viewer: Any = type("InGroup", (), {"chat": 7, "group": True})

    spoken, heard = audience.heard_in_all(TX, viewer, turns)

    assert (spoken.said_at, heard, spoken.has_other_hearers) == (
        said_at,
        frozenset(hearers),
        has_other_hearers,
    )


def test_turns_that_no_audience_heard_alone_are_for_their_speaker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No turn was said before exactly those who heard all of them."""
    roster = {100: {ANN, BOB}, 200: {ANN, CID}}
    present_by(monkeypatch, roster)
    viewer: Any = type("InGroup", (), {"chat": 7, "group": True})
    turns = [
        Spoken(100, None, portable=True, account=ANN),
        Spoken(200, "personal", portable=False, account=ANN),
    ]

    spoken, heard = audience.heard_in_all(TX, viewer, turns)

    assert (spoken.said_at, heard, spoken.has_other_hearers) == (200, frozenset({ANN}), True)
    assert (spoken.sensitivity, spoken.portable) == ("personal", False)
