"""The decisions on quotas: pure, by what was used and the time it is given."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd import errors
from ashd.access import quota
from ashd.access.quota import Bucket, Cost, Quota, QuotaParams, QuotaUsage
from ashd.access.scope import Scope
from ashd.clock import DAY, SECOND
from ashd.config import Limits
from ashd.store.usage import Used

MINUTE = 60 * SECOND
NOON = 20_000 * DAY + DAY // 2


def usage(**changes: int) -> QuotaUsage:
    """A holder that has used nothing."""
    allowed = {
        "request_bytes_per_minute": 1_000,
        "writes_per_minute": 10,
        "writes_per_day": 100,
        "stored_bytes": 1_000,
        "reply_bytes_per_day": 5_000,
        "embedder_calls_per_day": 50,
        **changes,
    }
    return QuotaUsage(
        key="g1",
        quota=Quota(**allowed),
        bucket=Bucket(float(allowed["writes_per_minute"]), NOON),
        received=Bucket(float(allowed["request_bytes_per_minute"]), NOON),
        used=Used("g1", NOON // DAY, 0, 0, 0),
        kept=Used("g1", NOON // DAY, 0, 0, 0),
        stored=0,
        counted_at=0,
        remedy="raise {}",
    )


def test_a_grant_takes_the_defaults_that_it_was_not_given() -> None:
    """Each quota by itself."""
    made = quota.of_grant(Limits(writes_per_day=7), QuotaParams(writes_per_minute=3))

    assert made.writes_per_minute == 3
    assert made.writes_per_day == 7
    assert made.stored_bytes == Limits().stored_bytes


def test_a_quota_that_is_misspelt_is_refused() -> None:
    """A misspelt quota would set no limit; a quota that is not given is not shown."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"writes": 3}, QuotaParams)

    assert msgspec.to_builtins(QuotaParams(writes_per_day=3)) == {"writes_per_day": 3}


def test_defaults_let_an_agent_work() -> None:
    """The defaults allow 120 writes a minute; an owner has at least the quota of a grant."""
    settings = Limits()

    assert settings.writes_per_minute >= 120
    for name in Quota.__struct_fields__:
        assert getattr(settings, f"owner_{name}") >= getattr(settings, name)


def test_grants_of_a_user_count_together_in_all_chats() -> None:
    """A group's grants without a user count for the group; providers stay apart."""
    alone = Scope(provider="p", user_id="7")
    in_chat = Scope(provider="p", user_id="7", chat_id="c", chat_type="group")
    chats_own = Scope(provider="p", chat_id="7", chat_type="group")
    elsewhere = Scope(provider="q", user_id="7")

    assert quota.owner_of(alone) == quota.owner_of(in_chat)
    assert len({quota.owner_of(one) for one in (alone, chats_own, elsewhere)}) == 3


@given(
    per_minute=st.integers(1, 1_000),
    calls=st.lists(st.tuples(st.integers(0, 2 * MINUTE), st.integers(1, 20)), max_size=200),
)
def test_no_minute_sees_more_than_a_burst_and_a_minutes_worth(
    per_minute: int, calls: list[tuple[int, int]]
) -> None:
    """A full bucket and what flows in within the minute is the most that goes out."""
    now = NOON
    bucket = Bucket(float(per_minute), now)
    taken: list[tuple[int, int]] = []
    for pause, cost in calls:
        now += pause
        bucket = quota.filled(bucket, per_minute, now)
        if quota.wait_ms(bucket, per_minute, cost) == 0:
            bucket = bucket._replace(level=bucket.level - cost)
            taken.append((now, cost))

    for begin, _ in taken:
        window = sum(cost for at, cost in taken if begin <= at < begin + MINUTE)
        assert window <= 2 * per_minute + 1


@given(level=st.floats(0, 100), per_minute=st.integers(1, 1_000), cost=st.integers(1, 1_000))
def test_after_the_wait_it_is_there(level: float, per_minute: int, cost: int) -> None:
    """`retry_after_ms` is long enough, where a minute's worth is enough at all."""
    bucket = Bucket(min(level, per_minute), NOON)
    cost = min(cost, per_minute)
    wait = quota.wait_ms(bucket, per_minute, cost)
    later = quota.filled(bucket, per_minute, NOON + wait * 1_000)

    assert later.level >= cost - 1e-6


def test_a_bucket_fills_within_a_minute() -> None:
    """Evenly, and not over its brim."""
    empty = Bucket(0.0, NOON)

    levels = [
        quota.filled(empty, 60, NOON + seconds * SECOND).level for seconds in (0, 1, 30, 60, 90)
    ]
    assert levels == pytest.approx([0, 1, 30, 60, 60])
    assert quota.filled(empty, 60, NOON + SECOND).at == NOON + SECOND


def test_a_clock_that_is_set_back_fills_nothing() -> None:
    """A clock that is set back takes nothing away either."""
    assert quota.filled(Bucket(2.0, NOON), 10, NOON - MINUTE).level == pytest.approx(2.0)


def test_a_call_that_no_minute_holds_is_told_to_shrink() -> None:
    """Waiting would not help, so it is no rate limit."""
    with pytest.raises(errors.QuotaExceeded) as caught:
        usage().check_minute(11, NOON)

    assert "fewer" in caught.value.hint
    assert "retry_after_ms" not in caught.value.data


def test_the_last_of_a_day_is_let_in_and_no_more() -> None:
    """The error tells how long the day still is, and who can raise the quota."""
    one = usage()
    one.spend(Cost(99))
    one.check_day("writes_per_day", one.used.writes, 1, NOON)
    one.spend(Cost(1))

    with pytest.raises(errors.QuotaExceeded) as caught:
        one.check_day("writes_per_day", one.used.writes, 1, NOON)

    assert caught.value.data["retry_after_ms"] == 12 * 60 * 60 * 1_000
    assert "raise writes_per_day" in caught.value.hint


def test_the_next_day_begins_with_nothing_used() -> None:
    """The daily quotas restart at midnight in UTC; stored memories still count."""
    one = usage()
    one.spend(Cost(100, 500))
    one.roll(NOON + DAY)

    assert (one.used, one.stored) == (Used("g1", NOON // DAY + 1, 0, 0, 0), 500)
    one.spend(Cost(2, 0))
    one.roll(NOON + DAY + 1)
    assert one.used.writes == 2


def test_what_only_takes_away_always_has_room() -> None:
    """A full grant can still delete."""
    one = usage()
    one.spend(Cost(1, 1_000))

    assert not one.has_space(1)
    assert one.has_space(0)
    one.stored -= 1
    assert one.has_space(1)
    assert (Cost().writes, Cost().size) == (0, 0)
