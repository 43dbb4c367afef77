"""Counts what the calls of sandboxes use, against the quotas of their grants and owners.

The counts of a day are stored every moment, so a crash forgives at most that moment. The count of
stored bytes is an upper bound; when it reaches the limit, the memories themselves are counted
again.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import anyio

from ashd import errors, log
from ashd.access import quota
from ashd.access.quota import Bucket, Cost, Quota, QuotaParams, QuotaUsage
from ashd.access.scope import Scope
from ashd.clock import DAY, MINUTE, Clock
from ashd.config import Limits
from ashd.store import usage as used_today
from ashd.store.database import Database
from ashd.store.deferred_writes import DeferredWrites

_RECOUNT_AFTER: Final = MINUTE
"""The time before an exhausted holder's stored bytes are counted again."""


@dataclass(slots=True)
class GrantUsage:
    """The use of one grant, against its own quota and its owner's."""

    usages: tuple[QuotaUsage, ...]
    quotas: "Quotas"
    reading: anyio.Lock = field(default_factory=anyio.Lock)
    writing: anyio.Lock = field(default_factory=anyio.Lock)
    decoding: anyio.Lock = field(default_factory=anyio.Lock)
    """Held while a large frame of the grant is decoded: one at a time."""

    @property
    def quota(self) -> Quota:
        """The quota of the grant itself."""
        return self.usages[0].quota

    @asynccontextmanager
    async def one_at_a_time(self, cost: Cost) -> AsyncIterator[None]:
        """Let one reading and one writing call of the grant through at a time.

        So a sandbox with many connections delays others by no more than two calls.
        """
        async with self.writing if cost.writes else self.reading:
            yield

    async def admit(self, cost: Cost) -> None:
        """Let a call in, and count what it changes.

        Raises:
            errors.RateLimited: too many writes in a minute; `retry_after_ms` is in its data.
            errors.QuotaExceeded: a quota is used up; so is the time until it is not, if it ends.
        """
        full = self._without_space(cost)
        if full:
            await self.quotas.recount(full)
            full = self._without_space(cost)
        if full:
            message = f"The memories may have {full[0].quota.stored_bytes} bytes, and they do."
            raise full[0].exceeded("stored_bytes", self.quotas.now(), message)
        # Nothing was awaited since the check, so two calls cannot both pass it.
        if cost.writes:
            for usage in self.usages:
                usage.spend(cost)
            self.quotas.note(self.usages)

    def _without_space(self, cost: Cost) -> list[QuotaUsage]:
        """Return holders without space for the call's bytes; raise if another quota is used up."""
        self.require_replies()
        now = self._roll()
        for usage in self.usages:
            if cost.writes:
                usage.check_day("writes_per_day", usage.used.writes, cost.writes, now)
                usage.check_minute(cost.writes, now)
        return [usage for usage in self.usages if not usage.has_space(cost.size)]

    def receive(self, size: int) -> None:
        """Count the bytes of a request, before it is decoded.

        Raises:
            errors.RateLimited: too many in a minute; `retry_after_ms` is in its data.
            errors.QuotaExceeded: it has more than a minute allows.
        """
        now = self.quotas.now()
        for usage in self.usages:
            usage.check_received(size, now)
        self.received(size)

    def received(self, size: int) -> None:
        """Count the bytes of a frame that arrived."""
        for usage in self.usages:
            usage.receive(size)

    def require_replies(self) -> None:
        """Refuse a call when the day's bytes of answers are used up.

        Raises:
            errors.QuotaExceeded
        """
        now = self._roll()
        for usage in self.usages:
            usage.check_day("reply_bytes_per_day", usage.used.reply_bytes, 1, now)

    def embed(self, texts: int) -> None:
        """Count texts to embed.

        Raises:
            errors.QuotaExceeded: more than a day allows.
        """
        now = self._roll()
        for usage in self.usages:
            usage.check_day("embedder_calls_per_day", usage.used.embedder_calls, texts, now)
        for usage in self.usages:
            calls = usage.used.embedder_calls + texts
            usage.used = usage.used._replace(embedder_calls=calls)
        self.quotas.note(self.usages)

    def replied(self, size: int) -> None:
        """Count the bytes of an answer."""
        self._roll()
        for usage in self.usages:
            usage.used = usage.used._replace(reply_bytes=usage.used.reply_bytes + size)
        self.quotas.note(self.usages)

    def _roll(self) -> int:
        now = self.quotas.now()
        for usage in self.usages:
            usage.roll(now)
        return now


class Quotas(DeferredWrites):
    """The counters of all grants and owners."""

    def __init__(self, db: Database, clock: Clock, settings: Limits) -> None:
        super().__init__()
        self._db = db
        self._clock = clock
        self._settings = settings
        self._meters: dict[str, GrantUsage] = {}
        self._given: dict[str, QuotaParams] = {}
        """The quotas given to grants; all other counters are owners'."""
        self._holders: dict[str, QuotaUsage] = {}
        self._changed: dict[str, QuotaUsage] = {}

    @property
    def held(self) -> int:
        """The number of grants and owners with counters."""
        return len(self._holders)

    def now(self) -> int:
        """The time."""
        return self._clock.now()

    def allowed(self, given: QuotaParams) -> Quota:
        """Return the quota in force for a grant with these limits."""
        return quota.of_grant(self._settings, given)

    async def meter(self, grant_id: str, scope: Scope, given: QuotaParams) -> GrantUsage:
        """Return the counters of a grant, with today's use by it and by its owner."""
        if grant_id not in self._meters:
            self._given[grant_id] = given
            own = await self._holder(
                grant_id,
                quota.of_grant(self._settings, given),
                "open a grant with more (`ash grant create --quota {}=N`)",
            )
            shared = await self._holder(
                quota.owner_of(scope),
                quota.of_owner(self._settings),
                "owner_{} under [limits] in config.toml",
            )
            # Another call may have made the counters meanwhile, and have counted with them.
            self._meters.setdefault(grant_id, GrantUsage((own, shared), self))
        return self._meters[grant_id]

    def configure(self, settings: Limits) -> None:
        """Apply other limits from now on."""
        self._settings = settings
        for key, usage in self._holders.items():
            given = self._given.get(key)
            usage.quota = (
                quota.of_owner(settings) if given is None else quota.of_grant(settings, given)
            )

    async def _holder(self, key: str, allowed: Quota, remedy: str) -> QuotaUsage:
        if key not in self._holders:
            now = self._clock.now()
            used, stored = await self._db.read(
                lambda tx: (
                    used_today.of(tx, key, now // DAY),
                    used_today.stored_bytes(tx, key),
                )
            )
            writes = Bucket(float(allowed.writes_per_minute), now)
            received = Bucket(float(allowed.request_bytes_per_minute), now)
            usage = QuotaUsage(key, allowed, writes, received, used, used, stored, now, remedy)
            self._holders.setdefault(key, usage)
        return self._holders[key]

    async def recount(self, usages: Iterable[QuotaUsage]) -> None:
        """Count the stored bytes again for holders whose bound reached their limit."""
        now = self._clock.now()
        for usage in usages:
            if now - usage.counted_at >= _RECOUNT_AFTER:
                usage.counted_at = now
                usage.stored = await self._db.read(
                    partial(used_today.stored_bytes, holder=usage.key)
                )

    def note(self, usages: Iterable[QuotaUsage]) -> None:
        """Mark counters that have to be stored."""
        for usage in usages:
            self._changed[usage.key] = usage
        self.wake()

    def forget(self, key: str) -> None:
        """Drop the counters of a grant, or an owner, that is gone."""
        for counted in self._counted():
            counted.pop(key, None)

    def forget_all(self) -> None:
        """Drop all counters: every grant is gone."""
        for counted in self._counted():
            counted.clear()

    def _counted(self) -> tuple[dict[str, Any], ...]:
        return self._meters, self._given, self._holders, self._changed

    async def flush(self) -> None:
        """Store the counts."""
        async with self._flushing:
            changed, self._changed = self._changed, {}
            if not changed:
                return
            await self._keep(changed)
        now = self._clock.now()
        counted = {usage.key for meter in self._meters.values() for usage in meter.usages}
        for key, usage in list(self._holders.items()):
            # All grants of the owner have ended, and nothing of their use is left.
            if key not in counted and key not in self._changed and usage.is_rested(now):
                del self._holders[key]

    async def _keep(self, changed: dict[str, QuotaUsage]) -> None:
        added = [usage.used.minus(usage.kept) for usage in changed.values()]
        try:
            totals = await self._db.write(lambda tx: used_today.add(tx, added), quiet=True)
        except errors.StorageError as error:
            self._changed = {**changed, **self._changed}
            log.warning("usage_not_stored", reason=error.message)
            return
        for usage, one, total in zip(changed.values(), added, totals, strict=True):
            usage.settle(one, total)
        if self._db.is_shared:  # others may have stored memories too
            await self.recount(changed.values())
