"""The rows that are active at a moment, and when that changes."""

import numpy as np
import pytest

from ashd.clock import FOREVER
from ashd.search.visible_rows import ActiveRows, VisibleRows


def visible(
    passages: list[int],
    *,
    ends_at: list[int] | None = None,
    superseded_until: list[int] | None = None,
    archived: list[int] | None = None,
    speakers: list[str | None] | None = None,
    about: list[tuple[int, ...]] | None = None,
) -> VisibleRows:
    size = len(passages)
    numbers = np.zeros(size, dtype=np.int64)
    return VisibleRows(
        passage=np.array(passages, dtype=np.int64),
        item=np.arange(size),
        chat=np.array([number % 2 for number in passages], dtype=np.int64),
        at=numbers,
        words=numbers,
        asking=np.zeros(size),
        dated=numbers.astype(np.bool_),
        ends_asking=numbers.astype(np.bool_),
        conversation=numbers,
        position=numbers,
        ordinal=numbers,
        speaker=np.array(speakers or [None] * size, dtype=np.object_),
        ends_at=np.array(ends_at or [FOREVER] * size, dtype=np.int64),
        superseded_until=np.array(superseded_until or [0] * size, dtype=np.int64),
        archived=np.array(archived or [0] * size, dtype=np.bool_),
        fades=numbers.astype(np.bool_),
        trust=np.ones(size),
        about=np.fromiter(about or [()] * size, dtype=np.object_),
        valid_from=numbers,
        valid_until=numbers + FOREVER,
    )


def active(rows: VisibleRows, now: int = 10, **let_in: bool) -> ActiveRows:
    states = {"include_superseded": False, "include_expired": False, **let_in}
    return ActiveRows(rows, now, **states)


def test_expired_superseded_and_archived_rows_are_not_active() -> None:
    """One row is active; the others are expired, superseded or archived."""
    rows = visible(
        [1, 2, 3, 4],
        ends_at=[FOREVER, 10, FOREVER, FOREVER],
        superseded_until=[10, 0, 11, 0],
        archived=[0, 0, 0, 1],
    )

    assert [1] == active(rows).rows.passage.tolist()
    assert [1, 2] == active(rows, include_expired=True).rows.passage.tolist()
    assert [1, 3] == active(rows, include_superseded=True).rows.passage.tolist()


@pytest.mark.parametrize("change", [{"ends_at": [15, FOREVER]}, {"superseded_until": [15, 0]}])
def test_it_holds_until_the_next_row_ends_or_is_active_again(change: dict[str, list[int]]) -> None:
    """The set is valid from its creation to the microsecond before the change."""
    rows = active(visible([1, 2], **change))

    assert [False, True, True, False] == [rows.holds(now) for now in (9, 10, 14, 15)]


def test_without_a_change_to_come_it_holds() -> None:
    """A set of rows without an end time stays valid."""
    assert active(visible([1, 2])).holds(FOREVER - 1)
    assert active(visible([])).holds(FOREVER - 1)


def test_places_of_passages_in_any_order() -> None:
    """Rows of turns are not in the order of their passages, and some passages are not there."""
    rows = active(visible([7, 3, 9], ends_at=[FOREVER, FOREVER, 5]))

    assert [1, 0] == rows.places(np.array([3, 4, 7, 9, 12])).tolist()


def test_speakers_and_chats_are_returned_once_each() -> None:
    """The lists are in order, and omit rows without a speaker."""
    rows = active(visible([1, 2, 3, 4], speakers=["Bob", None, "Ann", "Bob"]))

    assert ("Ann", "Bob") == rows.speakers
    assert (0, 1) == rows.chats


def test_the_rows_about_a_person_are_known_by_their_places() -> None:
    """A place is an index among the active rows."""
    rows = visible([1, 2, 3, 4], about=[(), (7, 8), (7,), (8,)], archived=[0, 0, 1, 0])
    current = active(rows)

    assert [7, 8] == current.people
    assert ([1], [1, 2]) == tuple(current.places_about([person]).tolist() for person in (7, 8))
    assert [] == current.places_about([]).tolist()
