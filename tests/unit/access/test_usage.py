"""The counters, on a real database, with a clock that is moved by hand."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from services import FixedClock

from ashd import errors
from ashd.access import quota
from ashd.access.quota import Cost, QuotaParams
from ashd.access.scope import Scope
from ashd.access.usage import GrantUsage, Quotas
from ashd.clock import DAY
from ashd.config import Limits
from ashd.store import grants
from ashd.store import usage as used_today
from ashd.store.database import Database, Tx

ME = Scope(provider="p", user_id="me")
SMALL = Limits(
    request_bytes_per_minute=600,
    owner_request_bytes_per_minute=900,
    writes_per_minute=5,
    writes_per_day=8,
    stored_bytes=100,
    reply_bytes_per_day=1_000,
    embedder_calls_per_day=4,
    owner_writes_per_minute=7,
    owner_writes_per_day=12,
    owner_stored_bytes=150,
    owner_reply_bytes_per_day=1_500,
    owner_embedder_calls_per_day=6,
)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
async def db(tmp_path: Path, clock: FixedClock) -> AsyncIterator[Database]:
    database = Database.open(tmp_path / "a.db", clock)
    for grant_id in ("g1", "g2"):
        await database.write(partial(_insert_grant, grant_id=grant_id))
    yield database
    database.close()


def _insert_grant(tx: Tx, grant_id: str) -> None:
    grants.insert(
        tx,
        grant_id=grant_id,
        scope="{}",
        owner=quota.owner_of(ME),
        rights="[]",
        quota="{}",
        expires_at=None,
        token_hash=None,
    )


def _insert_memory(tx: Tx, content: str, grant_id: str) -> None:
    tx.run(
        "insert into memories (uuid, version, revision, content, content_key, memory_type,"
        " created_at, said_at, source, portable, ends_at, tags, superseded_until, access_count,"
        " grant_id) values (?, 1, 1, ?, '', 'knowledge', 0, 0, 'rpc', 1, 0, '[]', 0, 0, ?)",
        *(tx.new_id(), content, grant_id),
    )


@pytest.fixture
def quotas(db: Database, clock: FixedClock) -> Quotas:
    return Quotas(db, clock, SMALL)


async def meter_of(quotas: Quotas, grant_id: str = "g1", **given: Any) -> GrantUsage:
    return await quotas.meter(grant_id, ME, QuotaParams(**given))


async def test_writes_of_a_minute_flow_back(quotas: Quotas, clock: FixedClock) -> None:
    """The next write passes after the wait that the error names."""
    meter = await meter_of(quotas)
    for _ in range(5):
        await meter.admit(Cost(1, 1))
    with pytest.raises(errors.RateLimited) as caught:
        await meter.admit(Cost(1, 1))

    assert caught.value.data["retry_after_ms"] == 12_000
    clock.pass_by(seconds=12)
    await meter.admit(Cost(1, 1))


async def test_what_was_refused_costs_nothing(quotas: Quotas) -> None:
    """A batch that does not fit leaves room for a smaller one."""
    meter = await meter_of(quotas)
    await meter.admit(Cost(3, 1))
    for _ in range(10):
        with pytest.raises(errors.RateLimited):
            await meter.admit(Cost(3, 1))

    await meter.admit(Cost(2, 1))


async def test_all_grants_of_an_owner_share(quotas: Quotas) -> None:
    """A second grant has a quota of its own, but not a second one of the owner's."""
    await (await meter_of(quotas, "g1")).admit(Cost(5, 1))
    second = await meter_of(quotas, "g2")
    await second.admit(Cost(2, 1))

    with pytest.raises(errors.RateLimited, match="7 writes a minute"):
        await second.admit(Cost(1, 1))


async def test_a_day_counts_over_a_restart(quotas: Quotas, db: Database, clock: FixedClock) -> None:
    """A new daemon continues the day's usage from the database."""
    meter = await meter_of(quotas)
    await meter.admit(Cost(5, 1))
    meter.embed(4)
    meter.replied(1_000)
    await quotas.flush()

    clock.pass_by(seconds=60)
    again = await meter_of(Quotas(db, clock, SMALL))

    with pytest.raises(errors.QuotaExceeded, match="embedder calls"):
        again.embed(1)
    with pytest.raises(errors.QuotaExceeded, match="reply bytes"):
        await again.admit(Cost())
    clock.pass_by(days=1)
    again.embed(4)
    await again.admit(Cost(5, 1))


@pytest.mark.parametrize("use", ["writes", "texts", "replies"])
async def test_each_use_by_itself_is_written_down(
    quotas: Quotas, db: Database, monkeypatch: pytest.MonkeyPatch, use: str
) -> None:
    """Usage is written for the grant and for its owner, once something was used."""
    meter = await meter_of(quotas)
    written = anyio.Event()
    flush = quotas.flush

    async def flushed() -> None:
        await flush()
        written.set()

    monkeypatch.setattr(quotas, "flush", flushed)
    async with anyio.create_task_group() as group:
        group.start_soon(quotas.run)
        if use == "writes":
            await meter.admit(Cost(3, 1))
        elif use == "texts":
            meter.embed(3)
        else:
            meter.replied(3)
        with anyio.fail_after(60):
            await written.wait()
        group.cancel_scope.cancel()

    assert await _used(db, "g1") == await _used(db, quota.owner_of(ME)) == 3


async def _used(db: Database, holder: str) -> int:
    """The sum of what a holder used today, as it is on the disk."""
    found = await db.read(lambda tx: used_today.of(tx, holder, tx.now // DAY))
    return found.writes + found.reply_bytes + found.embedder_calls


async def test_a_reply_after_midnight_counts_for_the_new_day(
    quotas: Quotas, clock: FixedClock
) -> None:
    """A reply counts for the day on which it ends, even if its call began the day before."""
    meter = await meter_of(quotas)
    meter.require_replies()
    clock.pass_by(days=1)
    meter.replied(999)
    meter.require_replies()
    meter.replied(1)

    with pytest.raises(errors.QuotaExceeded, match="reply bytes"):
        meter.require_replies()


async def test_new_limits_are_in_force_at_once(quotas: Quotas) -> None:
    """For owners and for grants, but not where a grant was given one of its own."""
    plain, given = await meter_of(quotas, "g1"), await meter_of(quotas, "g2", writes_per_minute=6)

    quotas.configure(Limits(writes_per_minute=3, owner_writes_per_minute=4))

    allowed = [
        [usage.quota.writes_per_minute for usage in meter.usages] for meter in (plain, given)
    ]
    assert allowed == [[3, 4], [6, 4]]
    assert (plain.quota.writes_per_minute, given.quota.writes_per_minute) == (3, 6)


async def test_stored_bytes_are_counted_again_once_a_minute(
    quotas: Quotas, db: Database, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A grant that is full asks the database no more often, whatever it tries."""
    await db.write(lambda tx: _insert_memory(tx, "y" * 200, "g1"))
    meter = await meter_of(quotas)
    counts: list[str] = []
    count = used_today.stored_bytes

    def counted(tx: Tx, holder: str) -> int:
        counts.append(holder)
        return count(tx, holder)

    monkeypatch.setattr(used_today, "stored_bytes", counted)
    for pause in (59, 1, 0, 59, 1):
        clock.pass_by(seconds=pause)
        with pytest.raises(errors.QuotaExceeded):
            await meter.admit(Cost(1, 1))

    assert counts.count("g1") == 2


async def test_writes_of_a_day_end(quotas: Quotas, clock: FixedClock) -> None:
    """Even slow writes reach the quota of the day."""
    meter = await meter_of(quotas)
    for _ in range(8):
        await meter.admit(Cost(1))
        clock.pass_by(seconds=60)

    with pytest.raises(errors.QuotaExceeded) as caught:
        await meter.admit(Cost(1))
    assert caught.value.data["quota"] == "writes_per_day"
    assert caught.value.data["retry_after_ms"] > 0


async def test_room_is_what_is_really_stored(
    quotas: Quotas, db: Database, clock: FixedClock
) -> None:
    """Bytes that were sent and not kept are given back once the memories are counted again."""
    meter = await meter_of(quotas)
    await meter.admit(Cost(1, 90))  # a duplicate, say: nothing was stored of it
    clock.pass_by(seconds=61)
    await meter.admit(Cost(1, 90))

    await db.write(lambda tx: _insert_memory(tx, "x" * 60, "g1"))
    clock.pass_by(seconds=61)
    with pytest.raises(errors.QuotaExceeded, match="100 bytes"):
        await meter.admit(Cost(1, 90))
    await meter.admit(Cost(1, 30))


async def test_room_counts_from_the_first_call(quotas: Quotas, db: Database) -> None:
    """Usage counts for the grant, and for its owner over all grants."""
    await db.write(lambda tx: _insert_memory(tx, "é" * 40, "g1"))
    await db.write(lambda tx: _insert_memory(tx, "y" * 60, "g2"))

    meter = await meter_of(quotas, "g1", stored_bytes=1_000)

    with pytest.raises(errors.QuotaExceeded) as caught:
        await meter.admit(Cost(1, 10))
    assert "owner_stored_bytes" in caught.value.hint


async def test_a_full_grant_can_delete(quotas: Quotas, db: Database) -> None:
    """A write of no bytes needs no room."""
    await db.write(lambda tx: _insert_memory(tx, "y" * 200, "g1"))
    meter = await meter_of(quotas)

    await meter.admit(Cost(1, 0))


async def test_a_grant_may_be_given_more_than_the_default(quotas: Quotas) -> None:
    """The owner's quota stays the configuration's."""
    meter = await meter_of(quotas, writes_per_minute=100)

    await meter.admit(Cost(6, 1))
    with pytest.raises(errors.RateLimited, match="7 writes a minute"):
        await meter.admit(Cost(2, 1))


async def test_bytes_of_requests_flow_back(quotas: Quotas, clock: FixedClock) -> None:
    """Counted before anything is decoded; what is turned away for them costs none."""
    meter = await meter_of(quotas)
    meter.receive(600)
    for _ in range(3):
        with pytest.raises(errors.RateLimited) as caught:
            meter.receive(100)

    assert caught.value.data["quota"] == "request_bytes_per_minute"
    assert caught.value.data["retry_after_ms"] == 10_000
    clock.pass_by(seconds=10)
    meter.receive(100)


async def test_a_request_that_no_minute_holds_is_told_to_shrink(quotas: Quotas) -> None:
    """Waiting would not help."""
    meter = await meter_of(quotas)

    with pytest.raises(errors.QuotaExceeded, match="601 request bytes"):
        meter.receive(601)


async def test_all_grants_of_an_owner_share_the_bytes_of_requests(quotas: Quotas) -> None:
    """A second grant brings the owner no second minute."""
    (await meter_of(quotas, "g1")).receive(600)
    second = await meter_of(quotas, "g2")
    second.receive(300)

    with pytest.raises(errors.RateLimited, match="900 request bytes"):
        second.receive(1)


async def test_what_came_in_unasked_counts(quotas: Quotas) -> None:
    """A frame over the limit has been read by the time that it is refused."""
    meter = await meter_of(quotas)
    meter.received(5_000)

    with pytest.raises(errors.RateLimited):
        meter.receive(1)


async def test_replies_end_with_their_day(quotas: Quotas, clock: FixedClock) -> None:
    """The quota of reply bytes starts again the next day."""
    meter = await meter_of(quotas)
    meter.require_replies()
    meter.replied(1_000)

    with pytest.raises(errors.QuotaExceeded, match="reply bytes"):
        meter.require_replies()
    clock.pass_by(days=1)
    meter.require_replies()


async def test_who_has_no_grant_any_more_is_forgotten(quotas: Quotas, clock: FixedClock) -> None:
    """Usage outlasts its grant by a minute, so that a new grant does not reset the limit."""
    first = await meter_of(quotas, "g1")
    await first.admit(Cost(5, 1))
    quotas.forget("g1")
    await quotas.flush()
    assert await waits(await meter_of(quotas, "g2"), 3)
    quotas.forget("g2")
    clock.pass_by(seconds=120)
    first.replied(1)
    await quotas.flush()

    assert quotas.held == 0


async def test_nothing_is_left_of_grants_that_are_gone(quotas: Quotas) -> None:
    """Thousands of short ones cost no memory: after an erasure of one, and of all."""
    for forget in (lambda: quotas.forget("g1"), quotas.forget_all):
        meter = await meter_of(quotas, writes_per_day=5)
        await meter.admit(Cost(1))
        forget()
        assert not [counted for counted in quotas._counted() if "g1" in counted]

    assert quotas.held == 0


async def waits(meter: GrantUsage, writes: int) -> bool:
    """Return whether this number of writes is too many now."""
    try:
        await meter.admit(Cost(writes, 1))
    except errors.RateLimited:
        return True
    return False


async def test_calls_of_a_grant_take_turns(quotas: Quotas) -> None:
    """A grant has one reading and one writing call at a time, on any number of connections."""
    meter = await meter_of(quotas)
    order: list[str] = []

    async def call(name: str, cost: Cost) -> None:
        async with meter.one_at_a_time(cost):
            order.append(f"{name} begins")
            await anyio.lowlevel.checkpoint()
            await anyio.lowlevel.checkpoint()
            order.append(f"{name} ends")

    for cost in (Cost(), Cost(writes=1)):
        order.clear()
        async with anyio.create_task_group() as group:
            for name in ("one", "two"):
                group.start_soon(call, name, cost)
        assert [order[0][:3], order[2][:3]] == [order[1][:3], order[3][:3]]


async def test_daemons_add_to_the_same_counts(db: Database, clock: FixedClock) -> None:
    """None overwrites what another has counted, and each takes over the sum."""
    one, other = [Quotas(db, clock, SMALL) for _ in range(2)]
    meters = [await quotas.meter("g1", ME, QuotaParams()) for quotas in (one, other)]
    await meters[0].admit(Cost(2, 10))
    await meters[1].admit(Cost(3, 10))
    await one.flush()
    await meters[1].admit(Cost(1, 10))
    await other.flush()
    assert meters[1].usages[0].used.writes == 6

    meters[0].embed(1)
    await one.flush()
    assert meters[0].usages[0].used.writes == 6
    clock.at += DAY
    await meters[0].admit(Cost(1, 10))
    await one.flush()
    await other.flush()
    assert await db.read(partial(used_today.of, holder="g1", day=clock.at // DAY)) == (
        *("g1", clock.at // DAY, 1, 0, 0),
    )


async def test_counts_that_are_stored_twice_at_a_time_count_once(
    db: Database, clock: FixedClock
) -> None:
    """A list of grants stores them, too, while the background does."""
    quotas = Quotas(db, clock, SMALL)
    meter = await quotas.meter("g1", ME, QuotaParams())
    await meter.admit(Cost(2, 10))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(quotas.flush)
        await anyio.lowlevel.checkpoint()
        await meter.admit(Cost(1, 10))
        tasks.start_soon(quotas.flush)
    assert await db.read(partial(used_today.of, holder="g1", day=clock.at // DAY)) == (
        *("g1", clock.at // DAY, 3, 0, 0),
    )
    assert meter.usages[0].used.writes == 3
