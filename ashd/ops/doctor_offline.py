"""The doctor without a daemon, for a program that holds the database's lock."""

from functools import partial

import anyio

from ashd import errors
from ashd.clock import Clock
from ashd.config import Places
from ashd.conversation.summary_text import stored_as_text
from ashd.ops import doctor, doctor_checks, upgrade
from ashd.ops.doctor import CheckParams, CheckResult
from ashd.ops.doctor_checks import Finding
from ashd.ops.progress import Progress
from ashd.search.passage_reindexing import reindex
from ashd.store import checking
from ashd.store.connection import reader_of
from ashd.store.database import Database
from ashd.store.snapshot import snapshot


def check(places: Places, clock: Clock, params: CheckParams) -> CheckResult:
    """Check everything, and fix what can be fixed if asked to.

    Raises:
        errors.StorageError: the disk failed while something was fixed.
        errors.StartError: the database is not ours to change.
    """
    if not places.database.exists():
        raise errors.StartError(f"There is no database at {places.database}.")
    found = _look(places, clock)
    if not params.fix or params.dry_run or not doctor_checks.can_change(found):
        return CheckResult(found)
    examined = checking.examine(reader_of(places.database), clock, _go_on)
    if examined.hurt and examined.hurt.is_repairable:
        checking.repair(places.database, examined.hurt)
    if examined.hurt.is_repairable:
        upgrade.back_up_before(places.database, clock, Progress())
        anyio.run(partial(_fix, places, clock))
    doctor_checks.make_private(places)
    return CheckResult(doctor_checks.after_fix(found, _look(places, clock)))


def _look(places: Places, clock: Clock) -> list[Finding]:
    reader = reader_of(places.database)
    examined, counts, alike = None, None, 0
    damaged = False
    try:
        examined = checking.examine(reader, clock, _go_on)
        counts = None if examined.hurt else checking.count(reader, clock)
        alike = doctor.people_alike(partial(snapshot, reader, clock)) if counts is not None else 0
    except errors.StorageError as error:
        damaged = examined is None and isinstance(error, errors.DatabaseDamaged)
    return doctor_checks.of(places, examined, counts, model="", alike=alike, damaged=damaged)


async def _fix(places: Places, clock: Clock) -> None:
    db = Database.open(places.database, clock)
    try:
        await reindex(db, _say_nothing, stored_as_text)
        await db.write(doctor.settle, quiet=True)
    finally:
        await anyio.to_thread.run_sync(db.close)


def _go_on() -> None:
    """Never stop the work: nobody asks to."""


def _say_nothing(_done: int, _total: int) -> None:
    """Show no progress: the work takes seconds."""
