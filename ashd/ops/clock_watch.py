"""Watch the machine's clock: a jump is warned of, and nothing is cleaned up while it is in doubt.

The time since the machine's boot passes evenly, also in standby, so the clock is compared with it
from the last moment at which it was trusted. That moment is stored, so a jump across a restart of
the daemon is noticed too; after a boot the clock must at least not be behind it. The doubt ends
when the clock agrees again, or when the operator says that it is right (`ash doctor --fix`).

Daemons on one server compare their clocks with the server's instead, which they have in common.
"""

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
import msgspec

from ashd import errors
from ashd.clock import DAY, HOUR, MINUTE, SECOND, Clock, to_text
from ashd.store import clock_marks, jobs
from ashd.store.database import Database, Tx
from ashd.store.health import Warned

BOUND: Final = 5 * MINUTE
"""The largest correction of the clock that gives no warning."""
_LOOK_SECONDS: Final = 10.0
_STORE_EVERY: Final = MINUTE
_LONGEST_DELAY: Final = DAY
"""The longest delay of a job; a longer one means that the clock was ahead at its start."""
_SET_BOTH: Final = "Set the one that is wrong right (`timedatectl`); this goes on by itself."
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
NAME: Final = "clock_jumped"
DIFFERS: Final = "clock_differs"


class Moment(msgspec.Struct, frozen=True):
    """A moment by the clock, and by the time since a boot; times are in microseconds."""

    wall: int
    boot: str
    since_boot: int


class Doubt(msgspec.Struct, frozen=True):
    """The time on the clock, and the expected time (after a boot: the earliest possible)."""

    expected: int
    found: int


class _Stored(msgspec.Struct, frozen=True):
    """The state that outlives the daemon."""

    trusted: Moment
    doubt: Doubt | None


def judge(trusted: Moment, doubt: Doubt | None, now: Moment) -> Doubt | None:
    """Return the doubt about the clock, if something is wrong with it."""
    if now.boot == trusted.boot:
        expected = trusted.wall + now.since_boot - trusted.since_boot
        return Doubt(expected, now.wall) if abs(now.wall - expected) > BOUND else None
    if now.wall < trusted.wall - BOUND:
        return Doubt(trusted.wall, now.wall)
    # How long the machine was off is unknown, but not that the clock has been ahead before.
    was_ahead = doubt is not None and doubt.found > doubt.expected
    return doubt if was_ahead and doubt is not None and now.wall >= doubt.found - BOUND else None


def differs(time_there: int, before: int, after: int) -> Doubt | None:
    """Return the doubt about a clock that read `before` and `after` while a server was asked."""
    if before - BOUND <= time_there <= after + BOUND:
        return None
    return Doubt(time_there, after)


class ClockWatch:
    """Watches the clock. One for the daemon; make it with `ClockWatch.started`."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._boot = _boot_id() or clock.new_id()
        self._doubt: Doubt | None = None
        self._trusted = self._moment()
        self._stored_at = self._stored_generation = 0
        self._one_at_a_time = anyio.Lock()

    @classmethod
    async def started(cls, db: Database, clock: Clock) -> "ClockWatch":
        """Return a watch that has compared the clock with the moment stored by the last run."""
        self = cls(db, clock)
        await self._start()
        return self

    async def _start(self) -> None:
        # A mark at a server may be of another machine.
        text = None if self._db.is_shared else await self._db.read(clock_marks.stored)
        if text is not None:
            with suppress(msgspec.ValidationError):  # of another version
                found = msgspec.json.decode(text, type=_Stored)
                self._trusted, self._doubt = found.trusted, found.doubt
        if self._doubt is not None:
            self._warn(self._doubt)
        await self.look()
        await self._store()

    async def run(self) -> None:
        """Look again and again, for as long as the daemon runs."""
        while True:
            await anyio.sleep(_LOOK_SECONDS)
            await self.look()

    @property
    def is_in_doubt(self) -> bool:
        """Return whether the clock may be wrong, as of the last look."""
        return self._doubt is not None

    async def look(self) -> None:
        """Compare the clock now."""
        async with self._one_at_a_time:
            now = self._moment()
            before, doubt = self._doubt, await self._judged(now)
            if doubt is None:
                self._trusted = now
            self._set(doubt)
            if (before is None) != (doubt is None):
                await self._store()
            elif doubt is None and now.wall - self._stored_at >= _STORE_EVERY:
                await self._store_if_written()

    async def _judged(self, now: Moment) -> Doubt | None:
        if not self._db.is_shared:
            return judge(self._trusted, self._doubt, now)
        with suppress(errors.StorageError):  # it has a warning of its own
            time_there = await self._db.read(clock_marks.server_time)
            if time_there is not None:
                return differs(time_there, now.wall, self._clock.now())
        return self._doubt

    async def require_certain(self) -> None:
        """Refuse work that removes old data while the clock is in doubt.

        Raises:
            errors.Conflict
        """
        await self.look()
        if self._doubt is not None:
            raise _conflict(self._warned(self._doubt))

    async def confirm(self) -> None:
        """Trust the clock as it is, since the operator says that it is right.

        Raises:
            errors.StorageError: the disk failed.
        """
        async with self._one_at_a_time:
            if self._doubt is not None:
                self._trusted = self._moment()
                self._set(None)
                await self._store()

    def _set(self, doubt: Doubt | None) -> None:
        if doubt is not None and self._doubt is None:
            self._warn(doubt)
        elif doubt is None and self._doubt is not None:
            self._db.health.clear(NAME, DIFFERS)
        self._doubt = doubt
        self._db.clock_in_doubt = doubt is not None

    def _warn(self, doubt: Doubt) -> None:
        self._db.clock_in_doubt = True
        hours = f"{(doubt.found - doubt.expected) / HOUR:+.1f}"
        self._db.health.warn(self._warned(doubt), hours=hours)

    def _warned(self, doubt: Doubt) -> Warned:
        if self._db.is_shared:
            return Warned(DIFFERS, _difference(doubt), _SET_BOTH)
        return Warned(NAME, _detail(doubt), _remedy(doubt))

    async def _store(self) -> None:
        text = msgspec.json.encode(_Stored(self._trusted, self._doubt)).decode()
        self._stored_at = self._trusted.wall
        self._stored_generation = self._db.generation
        with suppress(errors.StorageError):  # the disk has a warning of its own
            await self._db.write(lambda tx: _store(tx, text), quiet=True)

    async def _store_if_written(self) -> None:
        """Store the trusted moment, unless the database was idle since: the disk may sleep."""
        if self._db.generation != self._stored_generation:
            await self._store()

    def _moment(self) -> Moment:
        since_boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
        return Moment(self._clock.now(), self._boot, since_boot)


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return ""  # every start of the daemon counts as a boot then


def _store(tx: Tx, text: str) -> None:
    clock_marks.store(tx, text)
    jobs.bring_forward(tx, tx.now + _LONGEST_DELAY)


def _conflict(warned: Warned) -> errors.Conflict:
    return errors.Conflict(warned.detail, warned.remedy)


def _detail(doubt: Doubt) -> str:
    seconds = abs(doubt.found - doubt.expected) // SECOND
    way = "forward" if doubt.found > doubt.expected else "back"
    return (
        f"The machine's clock went {way} by {_span(seconds)}, to {to_text(doubt.found)}:"
        " nothing is cleaned up meanwhile."
    )


def _difference(doubt: Doubt) -> str:
    seconds = abs(doubt.found - doubt.expected) // SECOND
    way = "ahead of" if doubt.found > doubt.expected else "behind"
    return (
        f"The machine's clock is {_span(seconds)} {way} the PostgreSQL server's: this ashd cleans"
        " nothing up meanwhile."
    )


def _remedy(doubt: Doubt) -> str:
    ends = " What ended by it alone is there again then." if doubt.found > doubt.expected else ""
    return (
        f"Set the clock right (`timedatectl`).{ends} If it is right as it is, say so with"
        " `ash doctor --fix`."
    )


def _span(seconds: int) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size:,} {unit}"
    return f"{seconds:,} seconds"
