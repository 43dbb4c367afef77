"""What a sandbox may use: writes a minute and a day, stored bytes, reply bytes, texts to embed.

A grant has a quota of its own, and all grants of an owner have one together. Whether a call still
fits is decided by pure functions of what was used; what a day used outlives the daemon (it is
written down every moment, so a crash forgives at most that moment). Stored bytes are a bound that
only grows until it reaches the limit; then the memories themselves are counted again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

import anyio
import msgspec

from ashd import errors, log
from ashd.access.scope import Scope
from ashd.clock import DAY, SECOND, Clock
from ashd.config import Bytes, Limits, PerDay, PerMinute
from ashd.store import usage
from ashd.store.database import Database

_MINUTE: Final = 60 * SECOND
_EVERY_SECONDS: Final = 0.5
_RECOUNT_AFTER: Final = _MINUTE
"""How long an exhausted holder's stored bytes are not counted again."""


class Quota(msgspec.Struct, frozen=True):
    """What a holder may use."""

    writes_per_minute: int
    writes_per_day: int
    stored_bytes: int
    reply_bytes_per_day: int
    embedder_calls_per_day: int


class QuotaParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`quota` of `grant.create`; what is left out is as `[limits]` says."""

    writes_per_minute: PerMinute | None = None
    writes_per_day: PerDay | None = None
    stored_bytes: Bytes | None = None
    reply_bytes_per_day: Bytes | None = None
    embedder_calls_per_day: PerDay | None = None


def of_grant(settings: Limits, given: QuotaParams) -> Quota:
    """The quota of a grant: what it was given, else the configured default."""
    names = Quota.__struct_fields__
    return Quota(*(_given(given, name) or getattr(settings, name) for name in names))


def of_owner(settings: Limits) -> Quota:
    """The quota of all grants of an owner together."""
    return Quota(*(getattr(settings, f"owner_{name}") for name in Quota.__struct_fields__))


def owner_of(scope: Scope) -> str:
    """Whose grants count together: the user's, or for a chat's grant without a user the chat's."""
    kind, identifier = ("user", scope.user_id) if scope.user_id else ("chat", scope.chat_id)
    return msgspec.json.encode([scope.provider, kind, identifier]).decode()


def _given(params: QuotaParams, name: str) -> int | None:
    value: int | None = getattr(params, name)
    return value


class Cost(NamedTuple):
    """What a call changes: how many writes, and at most how many bytes are stored more."""

    writes: int = 0
    size: int = 0


# Decisions ---------------------------------------------------------------------------------------


class Bucket(NamedTuple):
    """Writes that may be made at once; it fills by a minute's worth a minute, and to no more."""

    level: float
    at: int


def filled(bucket: Bucket, per_minute: int, now: int) -> Bucket:
    """The bucket as it is now; a clock that was set back fills nothing."""
    gained = max(0, now - bucket.at) * per_minute / _MINUTE
    return Bucket(min(float(per_minute), bucket.level + gained), now)


def wait_ms(bucket: Bucket, per_minute: int, cost: int) -> int:
    """How long until the bucket holds `cost`; 0 when it does."""
    missing = cost - bucket.level
    return max(0, -int(-missing * 60_000 // per_minute))


def until_tomorrow_ms(now: int) -> int:
    """How long until the next day (UTC) begins."""
    return -(-(DAY - now % DAY) // 1000)


# Counters ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Holder:
    """A grant, or an owner with all of its grants: its quota and what it used of it."""

    key: str
    quota: Quota
    bucket: Bucket
    used: usage.Used
    stored: int
    """At least what is stored, in bytes; exact when it was counted."""
    counted_at: int
    remedy: str
    """How the person on the host gives it more of a quota named `{}`."""

    def roll(self, now: int) -> None:
        """A new day begins with nothing used."""
        if now // DAY != self.used.day:
            self.used = usage.Used(self.key, now // DAY, 0, 0, 0)

    def spend(self, cost: Cost) -> None:
        """Count a call that was let in."""
        self.bucket = self.bucket._replace(level=self.bucket.level - cost.writes)
        self.stored += cost.size
        self.used = self.used._replace(writes=self.used.writes + cost.writes)

    def has_room(self, size: int) -> bool:
        """Whether so many bytes more may be stored."""
        return not size or self.stored + size <= self.quota.stored_bytes

    def exceeded(self, name: str, now: int, what: str) -> errors.QuotaExceeded:
        """The error for a quota that is used up; the ones of a day come back with the next."""
        daily = {"retry_after_ms": until_tomorrow_ms(now)} if name.endswith("_per_day") else {}
        return errors.QuotaExceeded(
            f"{what} is used up ({getattr(self.quota, name)}).",
            f"The person on the host can raise it: {self.remedy.format(name)}.",
            quota=name,
            **daily,
        )

    def check_day(self, name: str, used: int, cost: int, now: int) -> None:
        """Raise when `cost` more is more than the quota of a day."""
        if used + cost > getattr(self.quota, name):
            what = name.removesuffix("_per_day").replace("_", " ")
            raise self.exceeded(name, now, f"What a day allows of {what}")

    def check_minute(self, cost: int, now: int) -> None:
        """Raise when the bucket does not hold `cost`."""
        per_minute = self.quota.writes_per_minute
        if cost > per_minute:
            raise errors.QuotaExceeded(
                f"A call with {cost} writes is more than a minute allows ({per_minute}).",
                "Send fewer facts in a call.",
                quota="writes_per_minute",
            )
        self.bucket = filled(self.bucket, per_minute, now)
        wait = wait_ms(self.bucket, per_minute, cost)
        if wait:
            raise errors.RateLimited(
                f"More than {per_minute} writes a minute.",
                f"Wait {wait / 1000:.1f} s and try again.",
                quota="writes_per_minute",
                retry_after_ms=wait,
            )


@dataclass(slots=True)
class Meter:
    """What the calls through one grant use, of its quota and of its owner's."""

    holders: tuple[Holder, ...]
    quotas: "Quotas"
    reading: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(1))
    """One reading call at a time: the connections of a grant share one reader, not all."""

    @property
    def quota(self) -> Quota:
        """The quota of the grant itself."""
        return self.holders[0].quota

    async def admit(self, cost: Cost) -> None:
        """Let a call in, and count what it changes.

        Raises:
            errors.RateLimited: too many writes in a minute; `retry_after_ms` is in its data.
            errors.QuotaExceeded: a quota is used up; so is the time until it is not, if it ends.
        """
        full = self._without_room(cost)
        if full:
            await self.quotas.recount(full)
            full = self._without_room(cost)
        if full:
            raise full[0].exceeded("stored_bytes", self.quotas.now(), "The room for memories")
        # Since the check nothing has waited, so no two calls pass for one.
        if cost.writes:
            for holder in self.holders:
                holder.spend(cost)
            self.quotas.note(self.holders)

    def _without_room(self, cost: Cost) -> list[Holder]:
        """Who has no room for the bytes of a call; raises where another quota is used up."""
        now = self._roll()
        for holder in self.holders:
            holder.check_day("reply_bytes_per_day", holder.used.reply_bytes, 1, now)
            if cost.writes:
                holder.check_day("writes_per_day", holder.used.writes, cost.writes, now)
                holder.check_minute(cost.writes, now)
        return [holder for holder in self.holders if not holder.has_room(cost.size)]

    def embed(self, texts: int) -> None:
        """Count texts that the embedder is given.

        Raises:
            errors.QuotaExceeded: more than a day allows.
        """
        now = self._roll()
        for holder in self.holders:
            holder.check_day("embedder_calls_per_day", holder.used.embedder_calls, texts, now)
        for holder in self.holders:
            calls = holder.used.embedder_calls + texts
            holder.used = holder.used._replace(embedder_calls=calls)
        self.quotas.note(self.holders)

    def replied(self, size: int) -> None:
        """Count the bytes of an answer."""
        self._roll()
        for holder in self.holders:
            holder.used = holder.used._replace(reply_bytes=holder.used.reply_bytes + size)
        self.quotas.note(self.holders)

    def _roll(self) -> int:
        now = self.quotas.now()
        for holder in self.holders:
            holder.roll(now)
        return now


class Quotas:
    """The counters of all grants and owners."""

    def __init__(self, db: Database, clock: Clock, settings: Limits) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._meters: dict[str, Meter] = {}
        self._holders: dict[str, Holder] = {}
        self._changed: dict[str, Holder] = {}
        self._wake = anyio.Event()

    def now(self) -> int:
        """The time."""
        return self._clock.now()

    async def meter(self, grant_id: str, scope: Scope, given: QuotaParams) -> Meter:
        """The meter of a grant, with what it and its owner used today."""
        if grant_id not in self._meters:
            own = await self._holder(
                grant_id,
                of_grant(self._settings, given),
                "open a grant with more (`ash grant create --quota {}=N`)",
            )
            shared = await self._holder(
                owner_of(scope), of_owner(self._settings), "owner_{} under [limits] in config.toml"
            )
            # Another call may have made it meanwhile, and counted on it already.
            self._meters.setdefault(grant_id, Meter((own, shared), self))
        return self._meters[grant_id]

    async def _holder(self, key: str, quota: Quota, remedy: str) -> Holder:
        if key not in self._holders:
            now = self._clock.now()
            used, stored = await self._db.read(
                lambda tx: (usage.of(tx, key, now // DAY), usage.stored_bytes(tx, key))
            )
            full = Bucket(float(quota.writes_per_minute), now)
            self._holders.setdefault(key, Holder(key, quota, full, used, stored, now, remedy))
        return self._holders[key]

    async def recount(self, holders: Iterable[Holder]) -> None:
        """Count what is really stored of holders whose bound reached their limit."""
        now = self._clock.now()
        for holder in holders:
            if now - holder.counted_at >= _RECOUNT_AFTER:
                holder.counted_at = now
                holder.stored = await self._db.read(partial(usage.stored_bytes, holder=holder.key))

    def note(self, holders: Iterable[Holder]) -> None:
        """These counted something that is to be written down."""
        for holder in holders:
            self._changed[holder.key] = holder
        self._wake.set()

    def forget(self, grant_id: str) -> None:
        """The grant is no more."""
        self._meters.pop(grant_id, None)
        self._holders.pop(grant_id, None)

    async def run(self) -> None:
        """Write down what was counted, for as long as the daemon runs."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await anyio.sleep(_EVERY_SECONDS)
            await self.flush()

    async def flush(self) -> None:
        """Write down what was counted; a disk that is full costs the note, not the daemon."""
        changed, self._changed = self._changed, {}
        if not changed:
            return
        used = [holder.used for holder in changed.values()]
        try:
            await self._db.write(lambda tx: usage.keep(tx, used), quiet=True)
        except errors.StorageError as error:
            self._changed = {**changed, **self._changed}
            log.warning("usage_not_stored", reason=error.message)

