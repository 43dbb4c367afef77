"""Quotas of a sandbox: bytes sent and stored, writes, bytes of replies, texts to embed.

A grant has a quota of its own, and all grants of an owner share another. Nothing here waits or
reads a clock: the decision follows from the use so far and the time that is passed in.
`access.usage` keeps the counts.
"""

from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from ashd import errors
from ashd.access.scope import Scope
from ashd.clock import DAY, MINUTE
from ashd.config import Bytes, Limits, PerDay, PerMinute
from ashd.store.usage import Used


class Quota(msgspec.Struct, frozen=True):
    """The limits of one holder: a grant or an owner."""

    request_bytes_per_minute: int
    writes_per_minute: int
    writes_per_day: int
    stored_bytes: int
    reply_bytes_per_day: int
    embedder_calls_per_day: int


class QuotaParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`quota` of `grant.create`; omitted limits are those of `[limits]`."""

    request_bytes_per_minute: Bytes | None = None
    writes_per_minute: PerMinute | None = None
    writes_per_day: PerDay | None = None
    stored_bytes: Bytes | None = None
    reply_bytes_per_day: Bytes | None = None
    embedder_calls_per_day: PerDay | None = None


def of_grant(settings: Limits, given: QuotaParams) -> Quota:
    """Return the quota of a grant: the limits given to it, else the configured ones."""
    names = Quota.__struct_fields__
    return Quota(*(_given(given, name) or getattr(settings, name) for name in names))


def of_owner(settings: Limits) -> Quota:
    """Return the quota that all grants of an owner share."""
    return Quota(*(getattr(settings, f"owner_{name}") for name in Quota.__struct_fields__))


def owner_of(scope: Scope) -> str:
    """Return the key of the owner whose grants share a quota: the user, or else the chat."""
    return owner_key(scope.provider, scope.user_id, scope.chat_id)


def owner_key(provider: str, user_id: str | None, chat_id: str | None) -> str:
    """Return the key of a user, or else of a chat."""
    kind, identifier = ("user", user_id) if user_id else ("chat", chat_id)
    return msgspec.json.encode([provider, kind, identifier]).decode()


def _given(params: QuotaParams, name: str) -> int | None:
    value: int | None = getattr(params, name)
    return value


class Cost(NamedTuple):
    """The cost of a call: the number of writes, and an upper bound of the bytes they add."""

    writes: int = 0
    size: int = 0


# Decisions ---------------------------------------------------------------------------------------


class Bucket(NamedTuple):
    """A token bucket: holds at most a minute's worth, and refills at that rate."""

    level: float
    at: int


def filled(bucket: Bucket, per_minute: int, now: int) -> Bucket:
    """Return the bucket at a later time; a clock that was set back adds nothing."""
    gained = max(0, now - bucket.at) * per_minute / MINUTE
    return Bucket(min(float(per_minute), bucket.level + gained), now)


def wait_ms(bucket: Bucket, per_minute: int, cost: int) -> int:
    """Return the milliseconds until the bucket holds `cost`; 0 if it holds that now."""
    missing = cost - bucket.level
    return max(0, -int(-missing * 60_000 // per_minute))


def until_tomorrow_ms(now: int) -> int:
    """Return the milliseconds until the next day (UTC) begins."""
    return -(-(DAY - now % DAY) // 1000)


@dataclass(slots=True)
class QuotaUsage:
    """The quota and the use of a grant, or of an owner with all of its grants."""

    key: str
    quota: Quota
    bucket: Bucket
    """Writes in the last minute."""
    received: Bucket
    """Bytes of requests in the last minute."""
    used: Used
    kept: Used
    """The part of the use that is stored, including the use at other daemons."""
    stored: int
    """An upper bound of the stored bytes; exact after a count."""
    counted_at: int
    remedy: str
    """The instruction to the operator for raising a quota, whose name goes in place of `{}`."""

    def roll(self, now: int) -> None:
        """Reset the day's counts when a new day has begun."""
        if now // DAY != self.used.day:
            self.used = Used(self.key, now // DAY, 0, 0, 0)

    def spend(self, cost: Cost) -> None:
        """Count a call that was let in."""
        self.bucket = self.bucket._replace(level=self.bucket.level - cost.writes)
        self.stored += cost.size
        self.used = self.used._replace(writes=self.used.writes + cost.writes)

    def settle(self, added: Used, total: Used) -> None:
        """Take over what is stored, once `added` is; other daemons may have stored more."""
        if self.used.day == total.day:
            self.used = total.plus(self.used.minus(self.kept).minus(added))
        self.kept = total

    def is_rested(self, now: int) -> bool:
        """Return whether nothing was used in the last minute."""
        return all(
            filled(bucket, per_minute, now).level >= per_minute
            for bucket, per_minute in (
                (self.bucket, self.quota.writes_per_minute),
                (self.received, self.quota.request_bytes_per_minute),
            )
        )

    def has_space(self, size: int) -> bool:
        """Return whether so many bytes more may be stored."""
        return not size or self.stored + size <= self.quota.stored_bytes

    def exceeded(self, name: str, now: int, message: str) -> errors.QuotaExceeded:
        """Return the error for a quota that is used up; a daily one says when it resets."""
        daily = {"retry_after_ms": until_tomorrow_ms(now)} if name.endswith("_per_day") else {}
        return errors.QuotaExceeded(
            message,
            f"The person on the host can raise it: {self.remedy.format(name)}.",
            quota=name,
            **daily,
        )

    def check_day(self, name: str, used: int, cost: int, now: int) -> None:
        """Raise if `cost` more would exceed a daily quota."""
        allowed = getattr(self.quota, name)
        if used + cost > allowed:
            what = name.removesuffix("_per_day").replace("_", " ")
            raise self.exceeded(name, now, f"A day allows {allowed} {what}; {used} are used.")

    def check_minute(self, cost: int, now: int) -> None:
        """Raise if so many writes would exceed the quota of a minute."""
        name, hint = "writes_per_minute", "Send fewer facts in a call."
        self.bucket = self._filled(self.bucket, name, cost, now, hint)

    def check_received(self, size: int, now: int) -> None:
        """Raise if requests of so many more bytes would exceed the quota of a minute."""
        name, hint = "request_bytes_per_minute", "Send less in a call."
        self.received = self._filled(self.received, name, size, now, hint)

    def receive(self, size: int) -> None:
        """Count the bytes of a request, whether or not it is let in."""
        self.received = self.received._replace(level=max(0.0, self.received.level - size))

    def _filled(self, bucket: Bucket, name: str, cost: int, now: int, hint: str) -> Bucket:
        """Return the refilled bucket; raise if it does not hold `cost`."""
        per_minute = getattr(self.quota, name)
        what = name.removesuffix("_per_minute").replace("_", " ")
        if cost > per_minute:
            raise errors.QuotaExceeded(
                f"A call with {cost} {what} is more than a minute allows ({per_minute}).",
                hint,
                quota=name,
            )
        bucket = filled(bucket, per_minute, now)
        wait = wait_ms(bucket, per_minute, cost)
        if wait:
            raise errors.RateLimited(
                f"More than {per_minute} {what} a minute.",
                f"Wait {wait / 1000:.1f} s and try again.",
                quota=name,
                retry_after_ms=wait,
            )
        return bucket
