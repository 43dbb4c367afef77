"""Memories whose state is due to change, and the least valuable ones."""

from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from services import NOON, House, house

from ashd.clock import DAY, FOREVER, SECOND
from ashd.store import cleanup
from ashd.store.cleanup import Due, Places
from ashd.store.database import Tx


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def rows(at: House, *contents: str) -> list[int]:
    """The rows of new memories."""
    made = [await at.add(content) for content in contents]
    ids = [one.id for one in made]
    return await at.db.read(
        lambda tx: [tx.value("select id from memories where uuid = ?", one) for one in ids]
    )


def put(tx: Tx, number: int, **columns: Any) -> None:
    """Set columns of a memory."""
    names = ", ".join(f"{name} = :{name}" for name in columns)
    tx.named(f"update memories set {names} where id = :id", {**columns, "id": number})


def due_for(
    ends_at: int, hidden_until: int, reason: str | None, winner: str, *, expires: bool
) -> str | None:
    """The step that is due for a memory, by the rules in words."""
    has_ended = ends_at <= NOON
    is_won = winner == "lasting"
    if reason is None and has_ended:
        return "expired" if expires else "ephemeral_decay"
    if reason is None and hidden_until >= FOREVER and is_won:
        return "superseded"
    if reason == "superseded" and not has_ended and (hidden_until <= NOON or not is_won):
        return "returned"
    return None


async def test_a_memory_is_due_by_its_times_and_its_winner(at: House) -> None:
    """The memories listed as due are due, and no others."""
    old, new = await rows(at, "The gate is green", "Cats purr at night")
    times = (NOON, NOON + 1, FOREVER)
    combinations = product(
        times, times, (None, "superseded", "expired"), ("lasting", "ending", "gone")
    )
    reasons: tuple[Any, ...] = ("expired", "superseded", "returned", "evicted")

    def check(tx: Tx) -> None:
        for ends_at, hidden_until, reason, winner in combinations:
            expires = winner == "lasting"
            put(
                *(tx, old),
                ends_at=ends_at,
                expires_at=ends_at if expires else None,
                superseded_by=new,
                superseded_at=NOON - 2,
                superseded_until=hidden_until,
                archived_at=None if reason is None else NOON - 1,
                archive_reason=reason,
            )
            put(
                *(tx, new),
                ends_at=FOREVER if winner != "ending" else NOON + 5,
                archived_at=NOON - 1 if winner == "gone" else None,
                archive_reason="user" if winner == "gone" else None,
            )
            expected = due_for(ends_at, hidden_until, reason, winner, expires=expires)
            listed = [one.reason for one in cleanup.due(tx) if one.memory == old]
            assert listed == ([expected] if expected else [])
            assert {one: cleanup.is_due(tx, Due(old, one)) for one in reasons} == {
                "expired": expected in {"expired", "ephemeral_decay"},
                "superseded": reason is None and hidden_until == FOREVER and winner == "lasting",
                "returned": expected == "returned",
                "evicted": reason is None,
            }
        assert not cleanup.is_due(tx, Due(9_999, "expired"))

    await at.db.write(check)


async def test_the_least_valuable_go_first(at: House) -> None:
    """Hidden and ended ones, then the unused, then those that were used least and longest ago."""
    names = ("The gate is green", "Cats purr", "Otto rows", "Tea is hot", "Snow falls", "Bees hum")
    hidden, ended, early, late, seldom, often = numbers = await rows(at, *names)
    long_ago = NOON - 300 * DAY
    await at.db.write(
        lambda tx: put(tx, hidden, superseded_until=FOREVER, access_count=9, last_accessed_at=NOON)
    )
    await at.db.write(
        lambda tx: put(tx, ended, ends_at=NOON, access_count=9, last_accessed_at=NOON)
    )
    await at.db.write(lambda tx: put(tx, early, created_at=NOON - 2))
    await at.db.write(lambda tx: put(tx, late, created_at=NOON - 1))
    await at.db.write(lambda tx: put(tx, seldom, access_count=9, last_accessed_at=long_ago))
    await at.db.write(lambda tx: put(tx, often, access_count=2, last_accessed_at=NOON))
    owner = await at.db.read(lambda tx: tx.value("select owner from memories where id = 1"))
    place = Places(owner, None)

    def worst(most: int, but: int | None = None) -> Any:
        return at.db.read(lambda tx: cleanup.least_valuable(tx, place, most, but=but))

    assert set(await worst(4)) == {hidden, ended}
    order = [early, late, seldom, often]
    for count in range(3, 7):
        assert (await worst(6 - count))[2:] == order[: count - 2]
    assert await worst(6) == await worst(7) == []
    assert len(await worst(5)) == 1
    assert early not in await worst(3, early)
    assert late in await worst(3, early)
    await at.db.write(lambda tx: put(tx, often, archived_at=NOON, archive_reason="user"))
    assert await worst(5) == []
    assert len(numbers) == 6
    crowds = {most: await at.db.read(lambda tx, n=most: cleanup.crowded(tx, n)) for most in (4, 5)}
    assert crowds == {4: [place], 5: []}


async def test_the_clean_up_remembers_its_last_run(at: House) -> None:
    """It never ran at first; later runs replace earlier ones."""
    assert await at.db.read(cleanup.last_run) == 0
    for _ in range(2):
        at.clock.pass_by(days=1)
        await at.db.write(cleanup.note_run)
        assert await at.db.read(cleanup.last_run) == at.clock.at


async def test_how_long_rows_are_kept(at: House) -> None:
    """Replies a day, grants ninety days, the audit a year."""
    times = await at.db.read(cleanup.times)

    assert {name: (NOON - at_) // DAY for name, at_ in times.items() if "_" in name} == {
        "reply_before": 1,
        "audit_before": 365,
        "grant_before": 90,
    }
    assert times["now"] == NOON
    assert times["today"] * DAY <= NOON < (times["today"] + 1) * DAY
    assert (cleanup.interval(1), cleanup.interval(0.5)) == (3600 * SECOND, 1800 * SECOND)


async def test_archived_memories_are_listed_by_when(at: House) -> None:
    """Memories archived before a time are, not at it; active ones never."""
    first, second, _ = await rows(at, "The gate is green", "Cats purr", "Otto rows")
    await at.db.write(lambda tx: put(tx, first, archived_at=NOON - 1, archive_reason="user"))
    await at.db.write(lambda tx: put(tx, second, archived_at=NOON, archive_reason="user"))

    assert await at.db.read(lambda tx: cleanup.archived_before(tx, NOON)) == [first]
    assert await at.db.read(lambda tx: cleanup.archived_before(tx, NOON + 1)) == [first, second]
