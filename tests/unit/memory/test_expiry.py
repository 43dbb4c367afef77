"""Time passes and memories fade, expire and come back: the real services, a clock to move."""

from pathlib import Path

import pytest
from services import NOON, FixedClock, house

from ashd import errors
from ashd.clock import DAY, FOREVER, SECOND, to_text
from ashd.memory.by_id import IdParams
from ashd.memory.expiry import FADES_AFTER, ends_at

_LIVES_DAYS = {"context": 7, "event": 30, "task": 14, "observation": 3}


@pytest.mark.parametrize(
    ("memory_type", "expires_at", "observed_at", "expected"),
    [
        ("event", None, None, 130 * DAY),
        ("event", None, 50 * DAY, 80 * DAY),
        ("event", 60 * DAY, None, 60 * DAY),
        ("event", 200 * DAY, None, 200 * DAY),
        ("event", 200 * DAY, 180 * DAY, 200 * DAY),
        ("observation", None, 0, 3 * DAY),
        ("knowledge", 60 * DAY, None, 60 * DAY),
        ("knowledge", None, None, FOREVER),
    ],
)
def test_a_memory_ends_at_its_expiry_or_when_its_type_fades(
    memory_type: str, expires_at: int | None, observed_at: int | None, expected: int
) -> None:
    """The type's time counts since it was observed, else created on day 100 (A2)."""
    assert expected == ends_at(memory_type, expires_at, observed_at, 100 * DAY)


@pytest.mark.parametrize(
    ("memory_type", "told", "expected"),
    [
        ("event", {"valid_from": 200}, 230),
        ("event", {"valid_from": 200, "valid_until": 201}, 230),
        ("event", {"valid_from": 200, "valid_until": 260}, 260),
        ("event", {"valid_from": 99}, 130),
        ("event", {"valid_from": 100}, 130),
        ("event", {"valid_until": 105}, 130),
        ("event", {"valid_until": 50}, 130),
        ("context", {"valid_until": 190}, 190),
        ("event", {"valid_from": 200, "expires_at": 150}, 150),
        ("event", {"valid_until": 200, "expires_at": 150}, 150),
        ("event", {"valid_from": 110, "observed_at": 120}, 150),
        ("event", {"valid_from": 95, "observed_at": 90}, 120),
        ("task", {"valid_from": 110, "observed_at": 90}, 124),
        ("knowledge", {"valid_from": 200, "valid_until": 210}, None),
    ],
)
def test_what_is_to_come_does_not_fade_before(
    memory_type: str, told: dict[str, int], expected: int | None
) -> None:
    """A memory told on day 100 fades from the day it holds from, and not while it holds (A2)."""
    fields: dict[str, int | None] = {"expires_at": None, "observed_at": None}
    fields |= {name: day * DAY for name, day in told.items()}

    end = FOREVER if expected is None else expected * DAY
    assert end == ends_at(memory_type, created=100 * DAY, **fields)


def test_the_fading_types_are_those_of_the_row() -> None:
    """A2, in days."""
    assert {name: lives / DAY for name, lives in FADES_AFTER.items()} == _LIVES_DAYS


@pytest.mark.parametrize("memory_type", list(_LIVES_DAYS))
async def test_a_type_fades_at_its_very_moment(tmp_path: Path, memory_type: str) -> None:
    """The memory is there to the last microsecond, and gone with the next (A2)."""
    async with house(tmp_path) as at:
        memory = await at.add("The ferry is late", type=memory_type)
        at.clock.at = NOON + _LIVES_DAYS[memory_type] * DAY - 1
        assert await at.listed() == ["The ferry is late"]
        assert await at.found("ferry") == ["The ferry is late"]
        assert (await at.get(memory, grant="g")).id == memory.id

        at.clock.at += 1

        assert await at.listed() == []
        assert await at.found("ferry") == []
        with pytest.raises(errors.NotFound):
            await at.get(memory, grant="g")
        with pytest.raises(errors.NotFound):
            await at.read.history(at.call(grant="g"), IdParams(memory.id))
        assert await at.listed(include_expired=True) == ["The ferry is late"]
        assert await at.found("ferry", include_expired=True) == ["The ferry is late"]
        assert (await at.get(memory)).id == memory.id


async def test_what_was_observed_earlier_fades_earlier(tmp_path: Path) -> None:
    """The time counts from when it was seen, not from when it was told (A2)."""
    async with house(tmp_path) as at:
        await at.add("Seen two days ago", type="observation", observed_at=to_text(NOON - 2 * DAY))
        await at.add("Seen just now", type="observation")
        await at.add("To be seen tomorrow", type="observation", observed_at=to_text(NOON + DAY))

        at.clock.pass_by(days=1)
        assert await at.listed() == ["Seen just now", "To be seen tomorrow"]
        at.clock.pass_by(days=2)
        assert await at.listed() == ["To be seen tomorrow"]
        at.clock.pass_by(days=1)
        assert await at.listed() == []


@pytest.mark.parametrize(
    "fields", [{"expires_in_days": 2}, {"expires_at": to_text(NOON + 2 * DAY)}]
)
async def test_an_expiry_is_honoured(tmp_path: Path, fields: dict[str, object]) -> None:
    """An expiry in days or at a time takes effect at that moment, on every read (A6)."""
    async with house(tmp_path) as at:
        memory = await at.add("The voucher is valid", **fields)
        assert memory.expires_at == to_text(NOON + 2 * DAY)

        at.clock.pass_by(days=2, seconds=-1)
        assert await at.found("voucher") == ["The voucher is valid"]
        at.clock.pass_by(seconds=1)

        assert await at.found("voucher") == []
        assert await at.listed() == []


@pytest.mark.parametrize("fields", [{"expires_in_days": 90}, {"valid_from": NOON + 80 * DAY}])
@pytest.mark.parametrize("memory_type", ["event", "task"])
async def test_what_is_announced_is_there_on_its_day(
    tmp_path: Path, memory_type: str, fields: dict[str, int]
) -> None:
    """An announced event is visible on its day, however early it was stored, and fades after it
    (A2)."""
    told = {k: to_text(v) if k == "valid_from" else v for k, v in fields.items()}
    async with house(tmp_path) as at:
        await at.add("The wedding is in June", type=memory_type, **told)

        at.clock.pass_by(days=85)
        assert ["The wedding is in June"] == await at.listed()
        assert ["The wedding is in June"] == await at.found("wedding")
        at.clock.pass_by(days=30)
        assert [] == await at.listed()


async def test_moving_a_day_moves_its_end(tmp_path: Path) -> None:
    """An update of when it holds counts as what was told at first; and so does taking it back."""
    async with house(tmp_path) as at:
        event = await at.add("The fair begins at nine", type="event")
        await at.update(event, valid_from=to_text(NOON + 40 * DAY))

        at.clock.pass_by(days=60)
        assert ["The fair begins at nine"] == await at.listed()
        await at.update(event, valid_from=None)
        assert [] == await at.listed()


async def test_the_end_of_the_winner_brings_the_loser_back(tmp_path: Path) -> None:
    """The loser returns at the moment of the expiry, with no link to the winner left (A12)."""
    async with house(tmp_path) as at:
        red = await at.add("The door is red")
        blue = await at.add("The door is blue", supersedes=red.id, expires_in_days=5)
        assert await at.listed() == ["The door is blue"]
        assert (await at.get(red)).superseded_by_id == blue.id

        at.clock.pass_by(days=5)

        assert await at.listed() == ["The door is red"]
        assert await at.found("door") == ["The door is red"]
        back = await at.get(red)
        assert (back.superseded_at, back.superseded_by_id) == (None, None)


async def test_a_winner_that_fades_is_replaced_by_the_next_that_stands(tmp_path: Path) -> None:
    """The lowest of a chain of three returns only when both above it have ended."""
    async with house(tmp_path) as at:
        red = await at.add("The door is red")
        blue = await at.add("The door is blue", supersedes=red.id, expires_in_days=9)
        await at.add("The door is green", supersedes=blue.id, expires_in_days=3)

        at.clock.pass_by(days=3)
        assert await at.listed() == ["The door is blue"]
        at.clock.pass_by(days=6)
        assert await at.listed() == ["The door is red"]


async def test_a_loser_that_ended_first_never_comes_back(tmp_path: Path) -> None:
    """The memory that it had superseded waits for the last winner."""
    async with house(tmp_path) as at:
        red = await at.add("The door is red")
        blue = await at.add("The door is blue", supersedes=red.id, expires_in_days=3)
        await at.add("The door is green", supersedes=blue.id, expires_in_days=9)

        at.clock.pass_by(days=3)
        assert await at.listed() == ["The door is green"]
        at.clock.pass_by(days=6)
        assert await at.listed() == ["The door is red"]


async def test_moving_an_expiry_moves_the_return(tmp_path: Path) -> None:
    """An update of the winner in place counts for what it superseded, either way."""
    async with house(tmp_path) as at:
        red = await at.add("The door is red")
        blue = await at.add("The door is blue", supersedes=red.id, expires_in_days=3)

        await at.update(blue, expires_in_days=10)
        at.clock.pass_by(days=9)
        assert await at.listed() == ["The door is blue"]
        await at.update(blue, expires_in_days=0.5)
        at.clock.pass_by(days=1)
        assert await at.listed() == ["The door is red"]


async def test_a_winner_can_be_revived_after_its_end(tmp_path: Path) -> None:
    """The person on the host still finds the ended winner, and can revive it."""
    async with house(tmp_path) as at:
        red = await at.add("The door is red")
        blue = await at.add("The door is blue", supersedes=red.id, expires_in_days=3)
        at.clock.pass_by(days=4)
        assert await at.listed() == ["The door is red"]

        await at.update(blue, expires_at=None)

        assert await at.listed() == ["The door is blue"]


async def test_the_same_fact_after_its_end_is_new(tmp_path: Path) -> None:
    """A duplicate to the last moment, another memory from then on (A10)."""
    async with house(tmp_path) as at:
        first = await at.add("The market is open", type="context")
        at.clock.pass_by(days=7, seconds=-1)
        assert (await at.entry("The market is open", type="context")).outcome == "duplicate"

        at.clock.pass_by(seconds=1)
        second = await at.add("The market is open", type="context")

        assert second.id != first.id


async def test_red_blue_red_is_three_memories(tmp_path: Path) -> None:
    """Deleting the last two memories leaves the first (A10, A12)."""
    async with house(tmp_path) as at:
        red = await at.add("The colour is red")
        blue = await at.add("The colour is blue", supersedes=red.id)
        again = await at.add("The colour is red", supersedes=blue.id)

        assert (await at.entry("The colour is red")).outcome == "duplicate"
        await at.delete(again)
        assert (await at.entry("The colour is blue")).outcome == "duplicate"
        await at.delete(blue)
        assert (await at.entry("The colour is red")).memory is not None
        assert await at.listed() == ["The colour is red"]
        assert (await at.get(red)).superseded_at is None


async def test_a_restored_winner_that_ended_meanwhile_hides_nothing(tmp_path: Path) -> None:
    """Restoring undoes the deletion, not the passing of time."""
    async with house(tmp_path) as at:
        red = await at.add("The door is red")
        blue = await at.add("The door is blue", supersedes=red.id, expires_in_days=3)
        await at.delete(blue)
        at.clock.pass_by(days=4)

        await at.restore(blue)

        assert await at.listed() == ["The door is red"]


async def test_new_content_lives_its_types_time_anew(tmp_path: Path) -> None:
    """The memory that an update makes is created then, and fades from then (A2)."""
    async with house(tmp_path) as at:
        event = await at.add("The fair begins at nine", type="event")
        at.clock.pass_by(days=29)

        changed = await at.update(event, content="The fair begins at ten")
        at.clock.pass_by(days=2)

        assert changed.created_at == to_text(NOON + 29 * DAY)
        assert await at.listed() == ["The fair begins at ten"]


async def test_a_key_is_remembered_for_a_day(tmp_path: Path) -> None:
    """A retry within 24 hours gets the first answer; after that it is a new call."""
    async with house(tmp_path) as at:
        first = await at.entry("Buy milk", type="observation", idempotency_key="k")
        at.clock.at = NOON + DAY
        retried = await at.entry("Buy milk", type="observation", idempotency_key="k")
        at.clock.at += SECOND
        later = await at.entry("Buy bread", idempotency_key="k")

        assert retried == first
        assert later.outcome == "added"


async def test_the_same_key_of_another_grant_is_another(tmp_path: Path) -> None:
    """Keys belong to a grant, or to the scope on the control socket."""
    async with house(tmp_path) as at:
        entries = [
            await at.entry(f"Told through {grant}", idempotency_key="k", grant=grant)
            for grant in (None, "g1", "g2")
        ]

        assert [entry.outcome for entry in entries] == ["added"] * 3
        with pytest.raises(errors.Conflict):
            await at.entry("Something else", idempotency_key="k", grant="g1")


async def test_what_was_said_at_a_time_is_found_as_of_it(tmp_path: Path) -> None:
    """A past search finds what was known and active then, whatever became of it since (D9)."""
    clock = FixedClock()
    async with house(tmp_path, clock) as at:
        red = await at.add("The door is red")
        clock.pass_by(days=2)
        await at.add("The door is blue", supersedes=red.id)
        clock.pass_by(days=2)

        assert await at.found("door", as_of=to_text(NOON - DAY)) == []
        assert await at.found("door", as_of=to_text(NOON + DAY)) == ["The door is red"]
        assert await at.found("door", as_of=to_text(NOON + 3 * DAY)) == ["The door is blue"]
