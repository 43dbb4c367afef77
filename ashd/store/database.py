"""The one SQLite file: a writer thread that commits in groups, and reader threads.

Owns every connection. One thread holds the write connection; callers pass it functions, and waiting
ones are committed together, each in a savepoint of its own, so that a failing one does not affect
the others. A write is acknowledged only after its commit has reached the disk. Readers see whole
commits only. A function runs with all its SQL in one thread, in one go. Nothing else in the daemon
touches SQLite.
"""

import asyncio
import math
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio
import apsw

from ashd import errors, limits
from ashd.clock import Clock
from ashd.fair_turns import FairQueue
from ashd.prometheus_text import Histogram
from ashd.store import full_text, opening
from ashd.store.change_tracker import Changes, Key, Since
from ashd.store.connection import as_ash_error, check_sqlite, why_not
from ashd.store.health import Health
from ashd.store.long_reads import LongReads, connect_to_read
from ashd.store.pending import Answer, Done, Pending, answer
from ashd.store.presence import Presence
from ashd.store.row_numbers import RowNumbers
from ashd.store.transaction import GaveWay, Row, Tx, Work
from ashd.store.witness import Witness

__all__ = ["Database", "GaveWay", "Row", "Tx", "Work"]

T = TypeVar("T")

READERS: Final = 2
_DEADLINE_STEPS: Final = 10_000
_CHECKPOINTS: Final = 600
_CHECKPOINT_PAUSE_SECONDS: Final = 0.05

WRAPPER: ContextVar[Callable[[Work[Any]], Work[Any]] | None] = ContextVar("WRAPPER", default=None)
"""Wrapper of every write of the call in progress; it runs in the write's transaction."""


class Database:
    """The open database. Make it with `Database.open`, end it with `close`."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._writes: FairQueue[Pending] = FairQueue(1)
        self._reads: FairQueue[Pending] = FairQueue(READERS)
        self._threads: list[threading.Thread] = []
        self._giving_up = threading.Lock()
        self._generation = 0
        self._changes = Changes()
        self._deletion_callbacks: list[Callable[[Sequence[int]], None]] = []
        self._witness = Witness(path)
        self.presence: Presence
        self._long_reads: LongReads
        self._row_numbers: RowNumbers
        self.health = Health(path)
        self.clock_in_doubt = False
        self.transactions = Histogram()
        """The time that each group of writes occupied the writer."""

    @classmethod
    def open(cls, path: Path, clock: Clock) -> "Database":
        """Open or create the database at `path`, migrate it and start its threads.

        Raises:
            errors.StartError: the file cannot be used; the message says why and what to do.
        """
        check_sqlite()
        self = cls(path, clock)
        try:
            writer = opening.open_writer(path, clock, self._witness, self.health)
            self._row_numbers = RowNumbers.of(writer)
            readers = [connect_to_read(path) for _ in range(READERS)]
            self.presence = Presence(path)
            self._long_reads = LongReads(path, self.presence)
        except apsw.Error as error:
            raise errors.StartError(why_not(error, path)) from error
        self._start("ashd-writer", self._write_loop, writer)
        for number, reader in enumerate(readers):
            self._start(f"ashd-reader-{number}", self._read_loop, reader)
        return self

    def _start(
        self, name: str, loop: Callable[[apsw.Connection], None], connection: apsw.Connection
    ) -> None:
        thread = threading.Thread(target=loop, args=(connection,), name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    def since(self, keys: Collection[Key], generation: int) -> Since:
        """Return how rows visible by these keys were changed or added after a generation."""
        return self._changes.since(keys, generation)

    def revised(self, keys: Collection[Key], generation: int) -> set[int]:
        """Return the memories that were changed since, where `since` says "revised"."""
        return self._changes.revised(keys, generation)

    def on_deletion(self, callback: Callable[[Sequence[int]], None]) -> None:
        """Call a function with the passages that a commit deleted: caches hold them no longer.

        It runs on the writer thread, after the commit and before the caller's answer.
        """
        self._deletion_callbacks.append(callback)

    @property
    def generation(self) -> int:
        """The number of commits that changed what a reader may find."""
        return self._generation

    @property
    def waiting(self) -> dict[str, int]:
        """The number of functions that wait for a thread, by kind."""
        return {"writes": len(self._writes), "reads": len(self._reads)}

    async def write(
        self,
        work: Work[T],
        *,
        quiet: bool = False,
        scoped: bool = False,
        seconds: float = math.inf,
    ) -> T:
        """Run `work` in the writer thread and return its result once it is on disk.

        A `quiet` write changes nothing that a reader could notice (a counter). A `scoped` one
        declares by `Tx.touch`, `Tx.grow` and `Tx.revise` who may see its changes; any other may be
        seen by everybody. After `seconds` in the writer thread, `Tx.check_time` stops it. A write
        is committed even if its caller is cancelled. With `seconds`, it is rolled back then; if it
        is too late for that, its result is returned.

        Raises:
            errors.StorageError: nothing was changed.
        """
        wrap = WRAPPER.get()
        job = Pending(wrap(work) if wrap else work, seconds, quiet=quiet, scoped=scoped)
        self._writes.put(job.owner, job)
        result: T
        try:
            result = await asyncio.shield(job.future)
        except asyncio.CancelledError:
            if job.seconds == math.inf or self._gave_up(job):
                raise
            with anyio.CancelScope(shield=True):
                result = await job.future
        return result

    def _gave_up(self, job: Pending) -> bool:
        """Mark a write as abandoned; return whether it can still be skipped or rolled back."""
        with self._giving_up:
            job.abandoned = not job.sealed
            if job.abandoned and job.tx is not None:
                job.tx.until = -math.inf  # it stops when it next checks its time
        return job.abandoned

    async def read(self, work: Work[T], *, seconds: float = 60.0) -> T:
        """Run `work` on a reader, in one snapshot, when it is its owner's turn.

        Raises:
            errors.StorageError: the database could not answer, or not in `seconds`.
        """
        job = Pending(work, seconds)
        self._reads.put(job.owner, job)
        result: T = await job.future
        return result

    async def alone(self, work: Callable[[Tx], T]) -> T:
        """Run `work` on the writer thread outside of any transaction; return its result.

        Raises:
            errors.StorageError
        """
        job = Pending(work, math.inf, is_alone=True)
        self._writes.put(job.owner, job)
        with anyio.CancelScope(shield=True):  # it cannot be stopped any more
            result: T = await job.future
        return result

    def long_read(self) -> AbstractContextManager[apsw.Connection]:
        """Return a connection for a long read on another thread; nobody waits for it."""
        return self._long_reads.open()

    async def empty_log(self, then: Callable[[], None] = lambda: None) -> None:
        """Copy the write-ahead log into the database file, empty it, and call `then` at once.

        Nobody waits for it: while a reader needs the log, it is tried again later.

        Raises:
            errors.StorageError: readers kept the log in use all the time, or the disk failed.
        """
        for _ in range(_CHECKPOINTS):
            if await self.alone(lambda tx: tx.empty_log(then)):
                return
            await asyncio.sleep(_CHECKPOINT_PAUSE_SECONDS)
        raise errors.StorageError(
            "The write-ahead log could not be emptied: it is being read all the time.",
            "The rows are gone. Ask again in a moment; a restart empties the log too.",
        )

    def close(self) -> None:
        """Finish what waits, checkpoint, and end the threads."""
        writer, *readers = self._threads
        self._reads.end()
        for reader in readers:
            reader.join()
        self._long_reads.close()
        # Last, when nobody else has the file open, so that the checkpoint does not wait.
        self._writes.end()
        writer.join()

    # The threads ----------------------------------------------------------------------------

    def _write_loop(self, connection: apsw.Connection) -> None:
        while (taken := self._writes.take()) is not None:
            owner, first = taken
            alone: list[Pending] = []
            if first.is_alone:
                alone.append(first)
            elif not first.abandoned:
                self._commit(connection, self._group(first, alone))
            self._writes.give_back(owner)
            for job in alone:
                answer([self._run_alone(connection, job)])
        with suppress(apsw.Error):  # everything is in the write-ahead log, for the next start
            connection.pragma("wal_checkpoint(truncate)")
        connection.close()
        self._witness.close()

    def _group(self, first: Pending, alone: list[Pending]) -> Iterator[Pending]:
        """Yield a write and those that wait after it, as long as nobody has waited for long.

        It ends before a job that runs outside of any transaction, which is added to `alone`.
        """
        ends, job, count = time.monotonic() + limits.WRITE_GROUP_SECONDS, first, 1
        while True:
            yield job
            if count == limits.WRITE_GROUP or time.monotonic() > ends:
                return
            following = self._writes.take_waiting()
            while following is not None and following.abandoned:
                following = self._writes.take_waiting()
            if following is None:
                return
            if following.is_alone:
                alone.append(following)
                return
            job, count = following, count + 1

    def _tx(self, connection: apsw.Connection, generation: int = 0) -> Tx:
        now, new_id, doubt = self._clock.now(), self._clock.new_id, self.clock_in_doubt
        used = self._row_numbers
        return Tx(connection, now, new_id, generation, clock_in_doubt=doubt, row_numbers=used)

    def _run_alone(self, connection: apsw.Connection, job: Pending) -> Answer:
        tx = self._tx(connection)
        try:
            return job, job.work(tx), None
        except Exception as error:  # noqa: BLE001  passed on to the caller of this job
            if connection.in_transaction:
                connection.execute("rollback")
            return job, None, as_ash_error(error, self.health, connection)

    def _commit(self, connection: apsw.Connection, group: Iterable[Pending]) -> None:
        """Run and commit jobs together: each in its savepoint, answered after the commit."""
        begun = time.monotonic()
        jobs: list[Pending] = []
        answers: list[Answer] = []
        done_by: list[Done] = []
        try:
            for job in group:
                jobs.append(job)
                if len(jobs) == 1:
                    self.presence.require()
                    connection.execute("begin immediate")
                    changes = connection.total_changes()
                answers.append((job, *self._run_in_savepoint(connection, job, done_by)))
            number = None
            if any(done.scoped and done.tx.grown for done in done_by):
                full_text.merge(connection)
            if connection.total_changes() != changes:
                number = self._witness.count(Tx(connection, 0, self._clock.new_id))
            connection.execute("commit")
            if number is not None:
                self._witness.committed(number)
                self.health.written()
            self._note(done_by)
            self.presence.require()  # else it may have been committed to a file without a name
        except Exception as error:  # noqa: BLE001  whatever it is, every waiting caller must hear of it
            with suppress(apsw.Error):
                if connection.in_transaction:
                    connection.execute("rollback")
            failure = as_ash_error(error, self.health, connection)
            done = {id(job) for job, _, own in answers if own is not None}
            # A job that failed by itself keeps its own error; all others were rolled back.
            answers = [one for one in answers if id(one[0]) in done]
            answers += [(job, None, failure) for job in jobs if id(job) not in done]
        self.transactions.observe(time.monotonic() - begun)
        answer(answers)

    def _run_in_savepoint(
        self, connection: apsw.Connection, job: Pending, done_by: list[Done]
    ) -> tuple[Any, BaseException | None]:
        tx = self._tx(connection)
        tx.until = time.monotonic() + job.seconds
        job.tx = tx
        if job.abandoned:  # while it waited for the others of its group
            return None, _given_up()
        connection.execute("savepoint job")
        try:
            result = job.work(tx)
            self._seal(job)
        except Exception as error:
            if not connection.in_transaction:
                raise  # SQLite rolled back the whole transaction (a full disk)
            connection.execute("rollback to job")
            connection.execute("release job")
            return None, as_ash_error(error, self.health, connection)
        connection.execute("release job")
        if not job.quiet:
            done_by.append(Done(tx, job.scoped))
        return result, None

    def _seal(self, job: Pending) -> None:
        """Mark a finished write to be committed, unless it was abandoned meanwhile."""
        with self._giving_up:
            job.sealed = not job.abandoned
        if job.abandoned:
            raise _given_up()

    def _note(self, done_by: list[Done]) -> None:
        """Count a commit that readers may see, after it: whoever reads the old number is safe."""
        if not done_by:
            return
        generation = self._generation + 1
        for tx, scoped in done_by:
            if scoped:
                self._changes.note(generation, tx.changed, tx.grown, tx.revised)
            else:
                self._changes.note_all(generation)
        self._generation = generation
        if deleted := [number for tx, _ in done_by for number in tx.deleted]:
            for callback in self._deletion_callbacks:
                callback(deleted)

    def _read_loop(self, connection: apsw.Connection) -> None:
        while (taken := self._reads.take()) is not None:
            owner, job = taken
            try:
                self._read(connection, job)
            except GaveWay:
                self._reads.put(owner, job)
            finally:
                self._reads.give_back(owner)
        connection.close()

    def _read(self, connection: apsw.Connection, job: Pending) -> None:
        """Run a read and answer its caller.

        Raises:
            GaveWay: it has to be run again, after others.
        """
        if job.is_late():
            answer([(job, None, errors.StorageError("The query waited too long."))])
            return
        connection.set_progress_handler(job.is_late, _DEADLINE_STEPS)
        generation = self._generation
        try:
            connection.execute("begin")
            try:
                tx = self._tx(connection, generation)
                tx.progress, tx.is_late = job.progress, job.is_late
                result = job.work(tx)
            finally:
                if connection.in_transaction:  # a failing disk may have ended the transaction
                    connection.execute("rollback")
        except GaveWay:
            raise
        except Exception as error:  # noqa: BLE001  passed on to the caller of this job
            answer([(job, None, as_ash_error(error, self.health, connection))])
        else:
            answer([(job, result, None)])


def _given_up() -> errors.TimedOut:
    return errors.TimedOut("Nobody waits for this any more.")
